"""Sessions, the messages in them, and the fingerprints that find duplicates.

A session row is also the queue of the work on it (an outbox): it holds no content
and carries no policy. Messages and fingerprints are content.

>>> ChatSession.objects.pending(now=now)  # doctest: +SKIP
"""

from typing import ClassVar

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from identity.models import ContentModel, GlobalUser, Relationship
from memories.querysets import ChatSessionQuerySet
from memories.types import (
    SessionStatus,
    author_kinds,
    end_reasons,
    extractions,
    session_statuses,
)
from memsys.kernel.privacy_class import FieldPrivacy
from memsys.kernel.sharding.fields import ShardForeignKey
from memsys.kernel.sharding.models import ShardModel


class ChatSession(ShardModel):
    """A run of messages in one relationship.

    `in_use_since` is when the user's presence without a pause began, with this session
    or before it; null, as old rows have it, stands for the first message.
    `lease_until` is set while a worker has it; `attempts` counts its claims.
    `messages_cut` were too many for the model; `sensitive_dropped` counts by category.
    `words_gone_at` is when what was said in it was kept no longer.
    """

    global_user = ShardForeignKey(
        GlobalUser, models.DO_NOTHING, related_name="+", db_index=False
    )
    relationship = ShardForeignKey(
        Relationship, models.DO_NOTHING, related_name="+", db_index=False
    )
    status = models.CharField(
        max_length=20, choices=session_statuses, default=SessionStatus.OPEN
    )
    first_message_at = models.DateTimeField()
    last_message_at = models.DateTimeField()
    last_received_at = models.DateTimeField()
    in_use_since = models.DateTimeField(null=True)
    message_count = models.IntegerField(default=0)
    ended_at = models.DateTimeField(null=True)
    end_reason = models.CharField(max_length=20, choices=end_reasons, blank=True)
    lease_until = models.DateTimeField(null=True)
    attempts = models.IntegerField(default=0)
    error_code = models.CharField(max_length=60, blank=True)
    memories_made = models.IntegerField(default=0)
    extraction = models.CharField(
        max_length=20, choices=extractions, blank=True, db_default=""
    )
    messages_cut = models.IntegerField(db_default=0)
    sensitive_dropped = models.JSONField(default=dict, db_default={})
    processed_at = models.DateTimeField(null=True)
    words_gone_at = models.DateTimeField(null=True)

    objects: ClassVar = ChatSessionQuerySet.as_manager()

    class Privacy(FieldPrivacy):
        technical = (
            "id", "shard", "global_user", "relationship", "status",
            "first_message_at", "last_message_at", "last_received_at",
            "in_use_since", "message_count", "ended_at", "end_reason", "lease_until", "attempts",
            "error_code", "memories_made", "extraction", "messages_cut",
            "sensitive_dropped", "processed_at", "words_gone_at",
        )  # fmt: skip

    class Meta(ShardModel.Meta):
        verbose_name = _("session")
        verbose_name_plural = _("sessions")
        constraints = [
            models.UniqueConstraint(
                fields=["shard", "relationship"],
                condition=models.Q(status="open"),
                name="chat_session_one_open",
            ),
            models.UniqueConstraint(
                fields=["shard", "relationship", "id"], name="chat_session_parent"
            ),
            models.CheckConstraint(
                condition=models.Q(status="open", ended_at=None)
                | (~models.Q(status="open") & models.Q(ended_at__isnull=False)),
                name="chat_session_open_or_ended",
            ),
        ]
        indexes = [
            models.Index(
                fields=["last_received_at"],
                condition=models.Q(status="open"),
                name="chat_session_idle",
            ),
            models.Index(
                fields=["status", "ended_at"],
                condition=models.Q(status__in=["pending", "dead"]),
                name="chat_session_queue",
            ),
            models.Index(
                fields=["relationship", "last_message_at"], name="chat_session_line"
            ),
        ]

    def __str__(self) -> str:
        return str(self.pk)


class Message(ContentModel):
    """One message after the privacy filter; `masked` counts what it took out."""

    session = ShardForeignKey(
        ChatSession, models.DO_NOTHING, related_name="messages", db_index=False
    )
    external_id = models.CharField(max_length=200, null=True)  # noqa: DJ001
    author_kind = models.CharField(max_length=20, choices=author_kinds)
    text = models.TextField()
    sent_at = models.DateTimeField()
    received_at = models.DateTimeField(db_default=Now())
    payment_signal = models.BooleanField(default=False)
    masked = models.JSONField(default=dict)
    no_extract = models.BooleanField(default=False)

    class Privacy(FieldPrivacy):
        sensitive = ("text",)
        technical = (
            "id", "shard", "global_user", "relationship", "session", "external_id",
            "author_kind", "sent_at", "received_at", "payment_signal", "masked",
            "no_extract",
        )  # fmt: skip

    class Meta(ContentModel.Meta):
        verbose_name = _("message")
        verbose_name_plural = _("messages")
        constraints = [
            models.UniqueConstraint(
                fields=["shard", "relationship", "external_id"],
                name="message_external_id",
            ),
            models.UniqueConstraint(
                fields=["shard", "relationship", "id"], name="message_parent"
            ),
        ]
        indexes = [
            models.Index(fields=["relationship", "sent_at", "id"], name="message_line"),
            models.Index(fields=["session"], name="message_session"),
        ]

    def __str__(self) -> str:
        return str(self.pk)


class MessageFingerprint(ContentModel):
    """The first message with a text in its five-minute window; finds duplicates.

    `digest` is SHA-256 of the filtered text: of raw text it would be personal data.
    """

    author_kind = models.CharField(max_length=20, choices=author_kinds)
    digest = models.BinaryField()
    sent_at = models.DateTimeField()
    message = ShardForeignKey(
        Message, models.DO_NOTHING, related_name="+", db_index=False
    )

    class Privacy(FieldPrivacy):
        sensitive = ("digest",)
        technical = (
            "id", "shard", "global_user", "relationship", "author_kind", "sent_at",
            "message",
        )  # fmt: skip

    class Meta(ContentModel.Meta):
        verbose_name = _("fingerprint")
        verbose_name_plural = _("fingerprints")
        constraints = [
            models.UniqueConstraint(
                fields=["shard", "relationship", "author_kind", "digest"],
                name="message_fingerprint_text",
            ),
        ]
        indexes = [models.Index(fields=["message"], name="fingerprint_message")]

    def __str__(self) -> str:
        return str(self.pk)
