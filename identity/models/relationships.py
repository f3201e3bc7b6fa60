"""Relationships, the unit of isolation, and the moves of their custody.

>>> Relationship(facet=facet, persona=persona)  # doctest: +SKIP
"""

from typing import ClassVar

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from identity.models.personas import CreatorPersona
from identity.models.users import GlobalUser, UserFacet
from identity.querysets import RelationshipQuerySet
from identity.types import (
    Custody,
    RelationshipStatus,
    custodies,
    relationship_statuses,
)
from memsys.kernel.privacy_class import FieldPrivacy
from memsys.kernel.sharding.fields import ShardForeignKey
from memsys.kernel.sharding.models import ShardModel


class Relationship(ShardModel):
    """A facet with a persona. `memory_version` grows when recall could change.

    `consolidate_at` is when the nightly job has work on its memories, null for none;
    `reminded_at` when the user was last told, in this relationship, that an AI talks.
    """

    global_user = ShardForeignKey(GlobalUser, models.PROTECT, db_index=False)
    facet = ShardForeignKey(UserFacet, models.PROTECT, db_index=False)
    persona = models.ForeignKey(CreatorPersona, models.PROTECT)
    status = models.CharField(
        max_length=20,
        choices=relationship_statuses,
        default=RelationshipStatus.ACTIVE,
    )
    custody = models.CharField(
        max_length=20, choices=custodies, default=Custody.CREATOR_POOL
    )
    last_creator_message_at = models.DateTimeField(null=True)
    disclosed_at = models.DateTimeField(null=True)
    disclosure_version = models.CharField(max_length=40, blank=True)
    reminded_at = models.DateTimeField(null=True)
    memory_version = models.BigIntegerField(default=0)
    vectors_missing_at = models.DateTimeField(null=True)
    consolidate_at = models.DateTimeField(null=True)
    retention_at = models.DateTimeField(null=True, db_default=Now())
    inactive_noticed_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(db_default=Now())

    objects: ClassVar = RelationshipQuerySet.as_manager()

    class Privacy(FieldPrivacy):
        technical = (
            "id", "shard", "global_user", "facet", "persona", "status", "custody",
            "last_creator_message_at", "disclosed_at", "disclosure_version",
            "reminded_at", "memory_version", "vectors_missing_at", "consolidate_at",
            "retention_at", "inactive_noticed_at", "created_at",
        )  # fmt: skip

    class Meta(ShardModel.Meta):
        verbose_name = _("relationship")
        verbose_name_plural = _("relationships")
        constraints = [
            models.UniqueConstraint(
                fields=["shard", "facet", "persona"], name="relationship_pair"
            ),
            models.UniqueConstraint(
                fields=["shard", "global_user", "id"], name="relationship_owner"
            ),
        ]
        indexes = [
            models.Index(
                fields=["vectors_missing_at"],
                condition=models.Q(vectors_missing_at__isnull=False),
                name="relationship_vectors_missing",
            ),
            models.Index(
                fields=["consolidate_at"],
                condition=models.Q(consolidate_at__isnull=False),
                name="relationship_consolidate",
            ),
            models.Index(
                fields=["retention_at"],
                condition=models.Q(retention_at__isnull=False),
                name="relationship_retention",
            ),
            # What the desk filters its list by; nearly all are active.
            models.Index(
                fields=["status", "id"],
                condition=~models.Q(status="active"),
                name="relationship_status",
            ),
            models.Index(fields=["custody", "id"], name="relationship_custody"),
        ]

    def __str__(self) -> str:
        return str(self.pk)


class CustodyTransfer(ShardModel):
    """One move of custody: when, why, and what the receiving side inherits."""

    relationship = ShardForeignKey(Relationship, models.PROTECT, db_index=False)
    from_custody = models.CharField(max_length=20, choices=custodies)
    to_custody = models.CharField(max_length=20, choices=custodies)
    actor = models.CharField(max_length=100)
    reason_code = models.CharField(max_length=60)
    inherited = models.JSONField(default=list)
    moved_at = models.DateTimeField()

    class Privacy(FieldPrivacy):
        identifying = ("actor",)
        technical = (
            "id", "shard", "relationship", "from_custody", "to_custody",
            "reason_code", "inherited", "moved_at",
        )  # fmt: skip

    class Meta(ShardModel.Meta):
        verbose_name = _("custody move")
        verbose_name_plural = _("custody moves")
        indexes = [
            models.Index(fields=["relationship", "moved_at"], name="custody_moves"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=~models.Q(from_custody=models.F("to_custody")),
                name="custody_transfer_moves",
            ),
        ]

    def __str__(self) -> str:
        return str(self.pk)
