"""Shorter times of keeping than the settings say, each agreed by two persons.

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
