"""Policy texts, the ledger of consent, and the grants that follow from it.

The ledger is append-only: the database refuses a change. A grant is what its last
events amount to, kept as a row so that it can be locked and found at once.

>>> ConsentGrant.objects.filter(global_user_id=user_id)  # doctest: +SKIP
"""

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from consent.models.owned import UserModel
from consent.types import (
    GrantStatus,
    TargetKind,
    consent_actions,
    grant_statuses,
    reminder_kinds,
    surfaces,
    target_kinds,
)
from memsys.kernel.privacy_class import FieldPrivacy
from memsys.kernel.sharding.fields import ShardForeignKey
from memsys.kernel.sharding.ids import new_id


class PolicyVersion(models.Model):
    """The exact text that people are shown, in one language; never changed.

    `document` is the part of a scope before its colon. When a later version that is
    material is published, `renewal_from` is set, and what was granted under this one
    denies from then on.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    document = models.CharField(max_length=40)
    number = models.IntegerField()
    locale = models.CharField(max_length=20)
    title = models.CharField(max_length=200)
    text = models.TextField()
    sha256 = models.CharField(max_length=64)
    is_material = models.BooleanField()
    published_at = models.DateTimeField()
    change_request = models.UUIDField(null=True)
    renewal_from = models.DateTimeField(null=True)

    class Privacy(FieldPrivacy):
        technical = (
            "id", "document", "number", "locale", "title", "text", "sha256",
            "is_material", "published_at", "change_request", "renewal_from",
        )  # fmt: skip

    class Meta:
        verbose_name = _("policy text")
        verbose_name_plural = _("policy texts")
        constraints = [
            models.UniqueConstraint(
                fields=["document", "number", "locale"], name="policy_version_number"
            ),
            models.CheckConstraint(
                condition=models.Q(number__gte=1), name="policy_version_from_one"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.document}/{self.number}/{self.locale}"


class ConsentEvent(UserModel):
    """What a person did about one scope: which text they saw, where, and when."""

    scope = models.CharField(max_length=80)
    target_kind = models.CharField(max_length=20, choices=target_kinds)
    target_id = models.UUIDField(null=True)
    action = models.CharField(max_length=20, choices=consent_actions)
    policy_version = models.ForeignKey(
        PolicyVersion, models.PROTECT, null=True, db_index=False, related_name="+"
    )
    text_sha256 = models.CharField(max_length=64, blank=True)
    locale = models.CharField(max_length=20, blank=True)
    surface = models.CharField(max_length=20, choices=surfaces, blank=True)
    shown_at = models.DateTimeField(null=True)
    acted_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True)
    actor = models.CharField(max_length=100)
    evidence_id = models.CharField(max_length=200, blank=True)
    recorded_at = models.DateTimeField(db_default=Now())

    class Privacy(FieldPrivacy):
        identifying = ("actor", "evidence_id")
        technical = (
            "id", "shard", "global_user", "scope", "target_kind", "target_id",
            "action", "policy_version", "text_sha256", "locale", "surface",
            "shown_at", "acted_at", "expires_at", "recorded_at",
        )  # fmt: skip

    class Meta(UserModel.Meta):
        constraints = [
            models.CheckConstraint(
                condition=models.Q(target_kind="all", target_id=None)
                | (~models.Q(target_kind="all") & models.Q(target_id__isnull=False)),
                name="consent_event_target",
            ),
            models.CheckConstraint(
                condition=~models.Q(action="grant")
                | (
                    models.Q(policy_version__isnull=False, shown_at__isnull=False)
                    & ~models.Q(text_sha256="")
                ),
                name="consent_event_grant_saw_text",
            ),
            models.UniqueConstraint(
                fields=["shard", "global_user", "id"], name="consent_event_owner"
            ),
        ]
        indexes = [
            models.Index(fields=["global_user", "acted_at"], name="consent_event_line"),
        ]

    def __str__(self) -> str:
        return str(self.pk)


class ConsentGrant(UserModel):
    """Whether a user allows one scope for one target, as of the last event.

    It holds while `status` is granted, `expires_at` is ahead, and its text needs no
    renewal. Whoever writes by it locks it for the transaction.
    """

    scope = models.CharField(max_length=80)
    target_kind = models.CharField(
        max_length=20, choices=target_kinds, default=TargetKind.ALL
    )
    target_id = models.UUIDField(null=True)
    status = models.CharField(
        max_length=20, choices=grant_statuses, default=GrantStatus.GRANTED
    )
    policy_version = models.ForeignKey(
        PolicyVersion, models.PROTECT, null=True, db_index=False, related_name="+"
    )
    granted_at = models.DateTimeField(null=True)
    expires_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    last_event = ShardForeignKey(
        ConsentEvent, models.DO_NOTHING, related_name="+", db_index=False
    )

    class Privacy(FieldPrivacy):
        technical = (
            "id", "shard", "global_user", "scope", "target_kind", "target_id",
            "status", "policy_version", "granted_at", "expires_at", "ended_at",
            "last_event",
        )  # fmt: skip

    class Meta(UserModel.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["shard", "global_user", "scope", "target_kind", "target_id"],
                nulls_distinct=False,
                name="consent_grant_one",
            ),
            models.CheckConstraint(
                condition=~models.Q(status="granted")
                | models.Q(
                    policy_version__isnull=False,
                    granted_at__isnull=False,
                    ended_at=None,
                ),
                name="consent_grant_granted",
            ),
            models.CheckConstraint(
                condition=models.Q(status="granted") | models.Q(ended_at__isnull=False),
                name="consent_grant_ended",
            ),
        ]
        indexes = [
            models.Index(
                fields=["scope"],
                condition=models.Q(status="granted"),
                name="consent_grant_scope",
            ),
        ]

    def __str__(self) -> str:
        return str(self.pk)


class DisclosureReminder(UserModel):
    """One reminder that was really shown: that an AI is talking.

    Of one that was missed `shown_at` is when it was due.
    """

    relationship = ShardForeignKey(
        "identity.Relationship", models.DO_NOTHING, related_name="+", db_index=False
    )
    kind = models.CharField(max_length=20, choices=reminder_kinds)
    version = models.CharField(max_length=40, blank=True)
    shown_at = models.DateTimeField()
    actor = models.CharField(max_length=100)
    recorded_at = models.DateTimeField(db_default=Now())

    class Privacy(FieldPrivacy):
        identifying = ("actor",)
        technical = (
            "id", "shard", "global_user", "relationship", "kind", "version",
            "shown_at", "recorded_at",
        )  # fmt: skip

    class Meta(UserModel.Meta):
        indexes = [
            models.Index(
                fields=["relationship", "shown_at"], name="disclosure_reminder_line"
            ),
        ]

    def __str__(self) -> str:
        return str(self.pk)
