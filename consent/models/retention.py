"""Times of keeping that two persons made shorter, and what each night deleted.

>>> RetentionOverride(data_class="raw_message", days=14).days
14
"""

from django.db import models

from memsys.kernel.privacy_class import FieldPrivacy


class RetentionOverride(models.Model):
    """How many days a class of data is kept, while that is less than the setting."""

    data_class = models.CharField(max_length=40, primary_key=True)
    days = models.IntegerField()
    change_request = models.UUIDField()
    set_at = models.DateTimeField()

    class Privacy(FieldPrivacy):
        technical = ("data_class", "days", "change_request", "set_at")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(days__gte=1), name="retention_override_days"
            ),
        ]

    def __str__(self) -> str:
        return self.data_class


class RetentionRun(models.Model):
    """What one night deleted and kept, by class of data; `days` were in force.

    It looks at all that was due when it `started_at`, and is finished once it has.
    """

    night = models.DateField(primary_key=True)
    days = models.JSONField(default=dict)
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)
    looked = models.IntegerField(default=0)
    counts = models.JSONField(default=dict)
    kept = models.JSONField(default=dict)

    class Privacy(FieldPrivacy):
        technical = (
            "night", "days", "started_at", "finished_at", "looked", "counts", "kept",
        )  # fmt: skip

    def __str__(self) -> str:
        return f"{self.night:%Y-%m-%d}"
