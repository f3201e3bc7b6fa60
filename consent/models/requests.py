"""What people ask of those who run this, with a number and a due date.

The request is a queue of the staff and carries no row policy; its words do.

>>> SubjectRequest(kind="access", state="open").state
'open'
"""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _

from consent.models.owned import UserModel
from consent.types import RequestState, request_kinds, request_states
from memsys.kernel.privacy_class import FieldPrivacy
from memsys.kernel.sharding.fields import ShardForeignKey


class SubjectRequest(UserModel):
    """What a person asks of the people who run this, with a number and a due date.

    Paused time does not count: `due_date` moves with it. A refusal has its reason, and
    the letter that told it. `deeds` name what was done for it, as `erasure:<id>`.
    """

    number = models.CharField(max_length=20)
    kind = models.CharField(max_length=20, choices=request_kinds)
    relationship = ShardForeignKey(
        "identity.Relationship",
        models.DO_NOTHING,
        null=True,
        related_name="+",
        db_index=False,
    )
    state = models.CharField(
        max_length=20, choices=request_states, default=RequestState.OPEN
    )
    received_at = models.DateTimeField()
    received_by = models.CharField(max_length=100)
    due_date = models.DateField()
    assigned_to = models.IntegerField(null=True)
    paused_at = models.DateTimeField(null=True)
    pause_code = models.CharField(max_length=60, blank=True)
    closed_at = models.DateTimeField(null=True)
    closed_by = models.CharField(max_length=100, blank=True)
    outcome_code = models.CharField(max_length=60, blank=True)
    duplicate_of = models.UUIDField(null=True)
    deeds = ArrayField(models.CharField(max_length=60), default=list)
    letter_version = models.SmallIntegerField(null=True)
    letter_locale = models.CharField(max_length=20, blank=True)

    class Privacy(FieldPrivacy):
        identifying = ("received_by", "assigned_to", "closed_by")
        technical = (
            "id", "shard", "global_user", "number", "kind", "relationship", "state",
            "received_at", "due_date", "paused_at", "pause_code", "closed_at",
            "outcome_code", "duplicate_of", "deeds", "letter_version", "letter_locale",
        )  # fmt: skip

    class Meta(UserModel.Meta):
        verbose_name = _("request")
        verbose_name_plural = _("requests")
        constraints = [
            models.UniqueConstraint(
                fields=["shard", "global_user", "id"], name="subject_request_owner"
            ),
            models.UniqueConstraint(
                fields=["shard", "number"], name="subject_request_number"
            ),
            models.CheckConstraint(
                condition=models.Q(state__in=["open", "paused"], closed_at=None)
                | (
                    models.Q(state__in=["done", "refused"], closed_at__isnull=False)
                    & ~models.Q(outcome_code="")
                ),
                name="subject_request_closed",
            ),
            models.CheckConstraint(
                condition=(models.Q(state="paused") & models.Q(paused_at__isnull=False))
                | (~models.Q(state="paused") & models.Q(paused_at=None)),
                name="subject_request_paused",
            ),
        ]
        indexes = [
            models.Index(
                fields=["due_date"],
                condition=models.Q(state__in=["open", "paused"]),
                name="subject_request_queue",
            ),
            models.Index(
                fields=["global_user", "received_at"], name="subject_request_line"
            ),
            models.Index(fields=["number"], name="subject_request_by_number"),
            # The order of the desk's list, in which closed ones stand as well.
            models.Index(fields=["due_date", "id"], name="subject_request_due"),
        ]

    def __str__(self) -> str:
        return self.number


class SubjectRequestNote(UserModel):
    """Words of a request: what the person wrote, or what was answered."""

    request = ShardForeignKey(
        SubjectRequest, models.DO_NOTHING, related_name="notes", db_index=False
    )
    author = models.CharField(max_length=100)
    is_answer = models.BooleanField(default=False)
    text = models.TextField()
    written_at = models.DateTimeField()

    class Privacy(FieldPrivacy):
        identifying = ("author",)
        sensitive = ("text",)
        technical = (
            "id", "shard", "global_user", "request", "is_answer", "written_at",
        )  # fmt: skip

    class Meta(UserModel.Meta):
        indexes = [
            models.Index(fields=["request", "written_at"], name="request_note_line"),
        ]

    def __str__(self) -> str:
        return str(self.pk)
