"""Profile fields, their values, who may receive them, and each release.

A value reaches a context only by an approved policy and a grant of the user. What is
sensitive can have no policy: two constraints say so.

>>> ProfileField(key="region", data_class="stable").key
'region'
"""

from django.db import models
from django.utils.translation import gettext_lazy as _

from consent.models.owned import UserModel
from consent.types import DataClass, TargetKind, data_classes, target_kinds
from identity.models import Creator, CreatorPersona
from memsys.kernel.privacy_class import FieldPrivacy
from memsys.kernel.sharding.fields import ShardForeignKey
from memsys.kernel.sharding.ids import new_id


class ProfileField(models.Model):
    """One thing that can be known of a user: its class, its use, how long it is kept.

    `allowed` lists the values that there are; empty for free text. One that is not
    `in_prompt` is released as data only.
    """

    key = models.CharField(max_length=60, primary_key=True)
    label = models.CharField(max_length=100)
    label_zh = models.CharField(max_length=100)
    data_class = models.CharField(max_length=20, choices=data_classes)
    purpose = models.CharField(max_length=200)
    purpose_zh = models.CharField(max_length=200)
    allowed = models.JSONField(default=list)
    max_chars = models.IntegerField(default=100)
    retention_days = models.IntegerField(default=365)
    in_prompt = models.BooleanField(default=True)

    class Privacy(FieldPrivacy):
        technical = (
            "key", "label", "label_zh", "data_class", "purpose", "purpose_zh",
            "allowed", "max_chars", "retention_days", "in_prompt",
        )  # fmt: skip

    class Meta:
        verbose_name = _("profile field")
        verbose_name_plural = _("profile fields")
        constraints = [
            models.UniqueConstraint(
                fields=["key", "data_class"], name="profile_field_class"
            ),
            models.CheckConstraint(
                condition=models.Q(retention_days__gte=1),
                name="profile_field_retention",
            ),
        ]

    def __str__(self) -> str:
        return self.key

    def label_in(self, language: str | None) -> str:
        """Return the label for readers of a language: Chinese, or else English."""
        is_chinese = (language or "").startswith("zh")
        return self.label_zh if is_chinese and self.label_zh else self.label

    def purpose_in(self, language: str | None) -> str:
        """Return the purpose for readers of a language: Chinese, or else English."""
        is_chinese = (language or "").startswith("zh")
        return self.purpose_zh if is_chinese and self.purpose_zh else self.purpose

    @property
    def may_enter_prompts(self) -> bool:
        """Say whether a model may ever see it; what is commercial it never does."""
        return self.in_prompt and self.data_class != DataClass.COMMERCIAL


class ProfileValue(UserModel):
    """The value of one field of one user, as the platform told it."""

    field = models.ForeignKey(
        ProfileField, models.PROTECT, db_index=False, related_name="+"
    )
    value = models.CharField(max_length=500)
    source = models.CharField(max_length=100)
    updated_at = models.DateTimeField()

    class Privacy(FieldPrivacy):
        identifying = ("source",)
        releasable = ("value",)
        technical = ("id", "shard", "global_user", "field", "updated_at")

    class Meta(UserModel.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["shard", "global_user", "field"], name="profile_value_one"
            ),
        ]

    def __str__(self) -> str:
        return str(self.pk)


class ReleasePolicy(models.Model):
    """That one field may be shown to some recipients for a purpose, until a day.

    One person proposes it, another approves it; until then it releases nothing.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    field = models.ForeignKey(
        ProfileField, models.PROTECT, db_index=False, related_name="+"
    )
    data_class = models.CharField(max_length=20, choices=data_classes)
    purpose = models.CharField(max_length=200)
    recipient_kind = models.CharField(
        max_length=20, choices=target_kinds, default=TargetKind.ALL
    )
    creator = models.ForeignKey(
        Creator, models.PROTECT, null=True, db_index=False, related_name="+"
    )
    persona = models.ForeignKey(
        CreatorPersona, models.PROTECT, null=True, db_index=False, related_name="+"
    )
    assessment_ref = models.CharField(max_length=100)
    change_request = models.UUIDField(null=True)
    proposed_by = models.IntegerField()
    proposed_at = models.DateTimeField()
    approved_by = models.IntegerField(null=True)
    approved_at = models.DateTimeField(null=True)
    expires_at = models.DateTimeField()
    revoked_by = models.IntegerField(null=True)
    revoked_at = models.DateTimeField(null=True)

    class Privacy(FieldPrivacy):
        identifying = ("proposed_by", "approved_by", "revoked_by")
        technical = (
            "id", "field", "data_class", "purpose", "recipient_kind", "creator",
            "persona", "assessment_ref", "change_request", "proposed_at",
            "approved_at", "expires_at", "revoked_at",
        )  # fmt: skip

    class Meta:
        verbose_name = _("release")
        verbose_name_plural = _("releases")
        constraints = [
            models.CheckConstraint(
                condition=~models.Q(data_class=DataClass.SENSITIVE),
                name="release_policy_never_sensitive",
            ),
            models.CheckConstraint(
                condition=models.Q(approved_by=None, approved_at=None)
                | (
                    models.Q(approved_by__isnull=False, approved_at__isnull=False)
                    & ~models.Q(approved_by=models.F("proposed_by"))
                ),
                name="release_policy_two_persons",
            ),
            models.CheckConstraint(
                condition=models.Q(revoked_by=None, revoked_at=None)
                | models.Q(revoked_by__isnull=False, revoked_at__isnull=False),
                name="release_policy_revoked_by",
            ),
            models.CheckConstraint(
                condition=models.Q(recipient_kind="all", creator=None, persona=None)
                | models.Q(
                    recipient_kind="creator", creator__isnull=False, persona=None
                )
                | models.Q(
                    recipient_kind="persona", creator=None, persona__isnull=False
                ),
                name="release_policy_recipient",
            ),
        ]
        indexes = [
            models.Index(fields=["field", "expires_at"], name="release_policy_field"),
        ]

    def __str__(self) -> str:
        return str(self.pk)


class ReleaseReceipt(UserModel):
    """That fields were released into one relationship: names only, by which right."""

    relationship = ShardForeignKey(
        "identity.Relationship", models.DO_NOTHING, related_name="+", db_index=False
    )
    field_keys = models.JSONField()
    policies = models.JSONField()
    grants = models.JSONField()
    actor = models.CharField(max_length=100)
    released_at = models.DateTimeField()

    class Privacy(FieldPrivacy):
        identifying = ("actor",)
        technical = (
            "id", "shard", "global_user", "relationship", "field_keys", "policies",
            "grants", "released_at",
        )  # fmt: skip

    class Meta(UserModel.Meta):
        indexes = [
            models.Index(
                fields=["global_user", "released_at"], name="release_receipt_line"
            ),
        ]

    def __str__(self) -> str:
        return str(self.pk)
