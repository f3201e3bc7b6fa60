"""Deeds that take two persons.

>>> ChangeRequest(kind="field_release", state="open").state
'open'
"""

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from consent.types import ChangeState, change_states
from memsys.kernel.privacy_class import FieldPrivacy
from memsys.kernel.sharding.ids import new_id


class ChangeRequest(models.Model):
    """What one person asks for and another decides; carried out once.

    `payload` holds ids, numbers and codes, no personal text. The approval is bound to
    `payload_hash`, which the approver was shown. Persons are accounts of the desk.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    kind = models.CharField(max_length=40)
    object_ref = models.CharField(max_length=200, blank=True)
    payload = models.JSONField()
    payload_hash = models.CharField(max_length=64)
    reason = models.CharField(max_length=500)
    state = models.CharField(
        max_length=20, choices=change_states, default=ChangeState.OPEN
    )
    requested_by = models.IntegerField()
    requested_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField()
    decided_by = models.IntegerField(null=True)
    decided_at = models.DateTimeField(null=True)
    decision_note = models.CharField(max_length=500, blank=True)
    finished_at = models.DateTimeField(null=True)
    result = models.JSONField(default=dict)

    class Privacy(FieldPrivacy):
        identifying = ("requested_by", "decided_by")
        technical = (
            "id", "kind", "object_ref", "payload", "payload_hash", "reason", "state",
            "requested_at", "expires_at", "decided_at", "decision_note",
            "finished_at", "result",
        )  # fmt: skip

    class Meta:
        verbose_name = _("change for two persons")
        verbose_name_plural = _("changes for two persons")
        constraints = [
            models.CheckConstraint(
                condition=models.Q(decided_by=None)
                | models.Q(state="withdrawn")
                | ~models.Q(decided_by=models.F("requested_by")),
                name="change_request_two_persons",
            ),
            models.CheckConstraint(
                condition=models.Q(state__in=["open", "expired"], decided_by=None)
                | (
                    ~models.Q(state__in=["open", "expired"])
                    & models.Q(decided_by__isnull=False, decided_at__isnull=False)
                ),
                name="change_request_decided",
            ),
            models.CheckConstraint(
                condition=models.Q(state__in=["done", "failed"])
                & models.Q(finished_at__isnull=False)
                | ~models.Q(state__in=["done", "failed"]) & models.Q(finished_at=None),
                name="change_request_finished",
            ),
        ]
        indexes = [
            models.Index(fields=["state", "expires_at"], name="change_request_queue"),
            models.Index(fields=["object_ref"], name="change_request_object"),
        ]

    def __str__(self) -> str:
        return str(self.pk)
