"""Calls of the language model: every attempt, and the one answer of a session.

An attempt holds no content, like the session that it is for: numbers and codes. The
answer is content. That a session has at most one answered attempt, and at most one
under way, are constraints.

>>> ModelAttempt.objects.filter(session_id=session_id)  # doctest: +SKIP
"""

from django.db import models
from django.utils.translation import gettext_lazy as _

from identity.models import ContentModel, GlobalUser, Relationship
from memories.models.messages import ChatSession
from memories.types import AttemptStatus, attempt_statuses
from memsys.kernel.privacy_class import FieldPrivacy
from memsys.kernel.sharding.fields import ShardForeignKey
from memsys.kernel.sharding.models import ShardModel


class ModelAttempt(ShardModel):
    """One call of the model for a session, committed before it is made.

    `cost_micros` is in millionths of the currency of the configured prices.
    """

    global_user = ShardForeignKey(
        GlobalUser, models.DO_NOTHING, related_name="+", db_index=False
    )
    relationship = ShardForeignKey(
        Relationship, models.DO_NOTHING, related_name="+", db_index=False
    )
    session = ShardForeignKey(
        ChatSession, models.DO_NOTHING, related_name="attempts_made", db_index=False
    )
    number = models.SmallIntegerField()
    status = models.CharField(
        max_length=20, choices=attempt_statuses, default=AttemptStatus.SENT
    )
    sent_at = models.DateTimeField()
    lease_until = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)
    error_code = models.CharField(max_length=60, blank=True)
    model = models.CharField(max_length=100)
    prompt_version = models.CharField(max_length=20)
    input_tokens = models.IntegerField(default=0)
    output_tokens = models.IntegerField(default=0)
    cost_micros = models.BigIntegerField(default=0)

    class Privacy(FieldPrivacy):
        technical = (
            "id", "shard", "global_user", "relationship", "session", "number",
            "status", "sent_at", "lease_until", "finished_at", "error_code", "model",
            "prompt_version", "input_tokens", "output_tokens", "cost_micros",
        )  # fmt: skip

    class Meta(ShardModel.Meta):
        verbose_name = _("call of the model")
        verbose_name_plural = _("calls of the model")
        constraints = [
            models.UniqueConstraint(
                fields=["shard", "session", "number"], name="model_attempt_number"
            ),
            models.UniqueConstraint(
                fields=["shard", "session"],
                condition=models.Q(status="answered"),
                name="model_attempt_one_answer",
            ),
            models.UniqueConstraint(
                fields=["shard", "session"],
                condition=models.Q(status="sent"),
                name="model_attempt_one_under_way",
            ),
            models.CheckConstraint(
                condition=models.Q(status="sent", finished_at=None)
                | (~models.Q(status="sent") & models.Q(finished_at__isnull=False)),
                name="model_attempt_sent_or_finished",
            ),
        ]
        indexes = [models.Index(fields=["sent_at"], name="model_attempt_day")]

    def __str__(self) -> str:
        return str(self.pk)


class ModelAnswer(ContentModel):
    """What the model answered for a session, after the privacy filter.

    `text` is empty once something said in the session was erased.
    """

    session = ShardForeignKey(
        ChatSession, models.DO_NOTHING, related_name="+", db_index=False
    )
    text = models.TextField(blank=True)
    received_at = models.DateTimeField()

    class Privacy(FieldPrivacy):
        sensitive = ("text",)
        technical = (
            "id", "shard", "global_user", "relationship", "session", "received_at",
        )  # fmt: skip

    class Meta(ContentModel.Meta):
        verbose_name = _("answer of the model")
        verbose_name_plural = _("answers of the model")
        constraints = [
            models.UniqueConstraint(
                fields=["shard", "relationship", "session"], name="model_answer_one"
            ),
        ]

    def __str__(self) -> str:
        return str(self.pk)
