"""Memories, in versions, and the tombstones of erased ones.

A memory is a line of versions that share `lineage`. Rows are never re-dated: closing
a fact sets `recorded_to` on its version and inserts one with the new `valid_to`.

>>> Memory.objects.known(at=now).valid(at=now)  # doctest: +SKIP
"""

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _
from pgvector.django import HalfVectorField

from identity.models import ContentModel
from memories.models.messages import ChatSession
from memories.querysets import MemoryQuerySet
from memories.types import (
    SLOTTED_KINDS,
    MemoryStatus,
    Tier,
    Visibility,
    dimensions,
    kinds,
    memory_authors,
    memory_statuses,
    tiers,
    visibilities,
)
from memsys.kernel.privacy_class import FieldPrivacy
from memsys.kernel.sharding.fields import ShardForeignKey

EMBEDDING_DIMENSIONS = 384


class Memory(ContentModel):
    """One version of one remembered statement of a relationship.

    `superseded_by` is the memory that is true since `valid_to`; of a version that ended
    and that no other followed, the memory that it became part of. `corrected_at` is
    until when a person knew better than the messages.
    """

    lineage = models.UUIDField()
    tier = models.CharField(max_length=20, choices=tiers, default=Tier.EPISODIC)
    kind = models.CharField(max_length=20, choices=kinds)
    subject = models.CharField(max_length=20, default="user")
    dimension = models.CharField(max_length=20, choices=dimensions)
    key = models.CharField(max_length=200, blank=True)
    value = models.CharField(max_length=500, blank=True)
    polarity = models.SmallIntegerField(default=0)
    text = models.TextField()
    evidence = ArrayField(models.UUIDField(), default=list)
    evidence_at = ArrayField(models.DateTimeField(), default=list)
    source_session = ShardForeignKey(
        ChatSession, models.DO_NOTHING, null=True, related_name="+", db_index=False
    )
    importance = models.FloatField(default=0.5)
    uses = models.IntegerField(default=0)
    used_at = models.DateTimeField(null=True)
    stability_days = models.FloatField()
    occurred_at = models.DateTimeField()
    due_at = models.DateTimeField(null=True)
    due_until = models.DateTimeField(null=True)
    valid_from = models.DateTimeField()
    valid_to = models.DateTimeField(null=True)
    recorded_at = models.DateTimeField()
    recorded_to = models.DateTimeField(null=True)
    superseded_by = models.UUIDField(null=True)
    corrected_at = models.DateTimeField(null=True)
    status = models.CharField(
        max_length=20, choices=memory_statuses, default=MemoryStatus.ACTIVE
    )
    visibility = models.CharField(
        max_length=20, choices=visibilities, default=Visibility.NORMAL
    )
    sensitive_category = models.CharField(max_length=40, blank=True)
    author = models.CharField(max_length=20, choices=memory_authors)
    is_flagged = models.BooleanField(default=False)
    embedding = HalfVectorField(dimensions=EMBEDDING_DIMENSIONS, null=True)
    embedding_model = models.CharField(max_length=100, blank=True)
    tokens = ArrayField(models.TextField(), default=list)

    objects: ClassVar = MemoryQuerySet.as_manager()

    class Privacy(FieldPrivacy):
        sensitive = (
            "key", "value", "polarity", "text", "embedding", "tokens",
        )  # fmt: skip
        technical = (
            "id", "shard", "global_user", "relationship", "lineage", "tier", "kind",
            "subject", "dimension", "evidence", "evidence_at", "source_session",
            "importance", "uses", "used_at",
            "stability_days", "occurred_at", "due_at", "due_until", "valid_from",
            "valid_to",
            "recorded_at", "recorded_to", "superseded_by", "corrected_at", "status",
            "visibility", "sensitive_category", "author", "is_flagged", "embedding_model",
        )  # fmt: skip

    class Meta(ContentModel.Meta):
        verbose_name = _("memory")
        verbose_name_plural = _("memories")
        constraints = [
            models.UniqueConstraint(
                fields=["shard", "relationship", "subject", "dimension", "key"],
                condition=models.Q(
                    recorded_to=None, valid_to=None, kind__in=SLOTTED_KINDS
                ),
                name="memory_one_open_per_slot",
            ),
            models.UniqueConstraint(
                fields=["shard", "relationship", "lineage"],
                condition=models.Q(recorded_to=None),
                name="memory_one_current_version",
            ),
            models.UniqueConstraint(
                fields=["shard", "relationship", "id"], name="memory_parent"
            ),
            models.CheckConstraint(
                condition=models.Q(valid_to=None)
                | models.Q(valid_to__gte=models.F("valid_from")),
                name="memory_valid_forwards",
            ),
            models.CheckConstraint(
                condition=models.Q(recorded_to=None)
                | models.Q(recorded_to__gte=models.F("recorded_at")),
                name="memory_recorded_forwards",
            ),
            models.CheckConstraint(
                condition=models.Q(importance__gte=0, importance__lte=1),
                name="memory_importance_range",
            ),
            models.CheckConstraint(
                condition=models.Q(polarity__in=[-1, 0, 1]), name="memory_polarity"
            ),
            models.CheckConstraint(
                condition=~models.Q(kind__in=SLOTTED_KINDS) | ~models.Q(key=""),
                name="memory_slot_has_key",
            ),
        ]
        indexes = [
            models.Index(fields=["relationship", "recorded_at"], name="memory_line"),
            models.Index(fields=["source_session"], name="memory_session"),
        ]

    def __str__(self) -> str:
        return str(self.pk)


class ErasureTombstone(ContentModel):
    """What stays of an erased memory: a salted hash that blocks its return.

    Blocks evidence sent before `blocks_until`; said again later it may be remembered.
    """

    salt = models.BinaryField()
    digest = models.BinaryField()
    blocks_until = models.DateTimeField()

    class Privacy(FieldPrivacy):
        technical = (
            "id", "shard", "global_user", "relationship", "salt", "digest",
            "blocks_until",
        )  # fmt: skip

    class Meta(ContentModel.Meta):
        verbose_name = _("tombstone")
        verbose_name_plural = _("tombstones")
        indexes = [models.Index(fields=["relationship"], name="tombstone_line")]

    def __str__(self) -> str:
        return str(self.pk)
