"""Tables of the API: service keys, the answers of idempotent writes, webhooks.

Local to the coordinator; none holds content.

>>> ServiceKey(name="chat", scopes=["context:read"]).may("context:read")
True
"""

from datetime import timedelta
from typing import ClassVar

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _
from rest_framework_api_key.models import AbstractAPIKey

from memsys.api.webhooks.models import WebhookDelivery, WebhookEndpoint
from memsys.kernel.privacy_class import FieldPrivacy

__all__ = ["IdempotencyRecord", "ServiceKey", "WebhookDelivery", "WebhookEndpoint"]

LONGEST_LIFE = timedelta(days=180)


class ServiceKey(AbstractAPIKey):
    """A hashed key of one calling service, with scopes and an optional creator limit.

    `creators` holds external ids; empty means all creators. The database refuses a
    key without an end, and one that could both record consent and profit from it.
    """

    scopes = models.JSONField(default=list)
    creators = models.JSONField(default=list)

    class Privacy(FieldPrivacy):
        technical = (
            "id", "prefix", "hashed_key", "created", "name", "revoked",
            "expiry_date", "scopes", "creators",
        )  # fmt: skip

    class Meta(AbstractAPIKey.Meta):
        verbose_name = _("service key")  # type: ignore[assignment]
        verbose_name_plural = _("service keys")  # type: ignore[assignment]
        ordering: ClassVar[list[str]] = []  # type: ignore[assignment]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(expiry_date__isnull=False)
                & models.Q(expiry_date__lte=models.F("created") + LONGEST_LIFE),
                name="service_key_ends_in_time",
            ),
            models.CheckConstraint(
                condition=~models.Q(
                    scopes__contains=["consent:write", "profile:read:released"]
                ),
                name="service_key_consent_apart",
            ),
        ]

    def __str__(self) -> str:
        return str(self.prefix)

    def may(self, scope: str) -> bool:
        """Say whether the key holds a scope; there are no wildcards."""
        return scope in self.scopes


class IdempotencyRecord(models.Model):
    """The answer to a write that named an idempotency key; holds ids, never text.

    The digest is of what was sent; an erasure of the relationship or of the user empties
    it, and the key is taken for good.
    """

    client = models.CharField(max_length=8)
    key = models.CharField(max_length=200)
    relationship_id = models.UUIDField(null=True)
    user_id = models.UUIDField(null=True)
    request_digest = models.BinaryField()
    status_code = models.SmallIntegerField()
    answer = models.JSONField()
    created_at = models.DateTimeField(db_default=Now())

    class Privacy(FieldPrivacy):
        identifying = ("user_id",)
        technical = (
            "id", "client", "key", "relationship_id", "request_digest",
            "status_code", "answer", "created_at",
        )  # fmt: skip

    class Meta:
        verbose_name = _("repeated write")
        verbose_name_plural = _("repeated writes")
        constraints = [
            models.UniqueConstraint(
                fields=["client", "key"], name="idempotency_record_key"
            ),
        ]
        indexes = [
            models.Index(fields=["created_at"], name="idempotency_age"),
            models.Index(
                fields=["relationship_id"],
                condition=models.Q(relationship_id__isnull=False),
                name="idempotency_relationship",
            ),
            models.Index(
                fields=["user_id"],
                condition=models.Q(user_id__isnull=False),
                name="idempotency_user",
            ),
        ]

    def __str__(self) -> str:
        return str(self.pk)
