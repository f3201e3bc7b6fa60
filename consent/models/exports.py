"""Exports: what was asked for, and the pieces of the file.

The run is a queue of jobs and carries no row policy; the file is a person's, and does.

>>> ExportRun(parts=["memories"], state="queued").state
'queued'
"""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _

from consent.models.owned import UserModel
from consent.types import ExportState, export_states
from memsys.kernel.privacy_class import FieldPrivacy
from memsys.kernel.sharding.fields import ShardForeignKey


class ExportRun(UserModel):
    """One export: what it holds, for whom, until when it can be taken, and once.

    `attempts` counts how often a worker began to make it.
    """

    relationship = ShardForeignKey(
        "identity.Relationship",
        models.DO_NOTHING,
        null=True,
        related_name="+",
        db_index=False,
    )
    parts = ArrayField(models.CharField(max_length=40))
    formats = ArrayField(models.CharField(max_length=10))
    for_staff = models.BooleanField()
    state = models.CharField(
        max_length=20, choices=export_states, default=ExportState.QUEUED
    )
    requested_by = models.CharField(max_length=100)
    reason_code = models.CharField(max_length=60)
    requested_at = models.DateTimeField()
    lease_until = models.DateTimeField(null=True)
    attempts = models.SmallIntegerField(default=0, db_default=0)
    progress = models.SmallIntegerField(default=0)
    error_code = models.CharField(max_length=60, blank=True)
    ready_at = models.DateTimeField(null=True)
    expires_at = models.DateTimeField(null=True)
    taken_at = models.DateTimeField(null=True)
    taken_by = models.CharField(max_length=100, blank=True)
    size_bytes = models.BigIntegerField(default=0)
    sha256 = models.CharField(max_length=64, blank=True)

    class Privacy(FieldPrivacy):
        identifying = ("requested_by", "taken_by")
        technical = (
            "id", "shard", "global_user", "relationship", "parts", "formats",
            "for_staff", "state", "reason_code", "requested_at", "lease_until",
            "attempts", "progress", "error_code", "ready_at", "expires_at", "taken_at",
            "size_bytes", "sha256",
        )  # fmt: skip

    class Meta(UserModel.Meta):
        verbose_name = _("export")
        verbose_name_plural = _("exports")
        constraints = [
            models.UniqueConstraint(
                fields=["shard", "global_user", "id"], name="export_run_owner"
            ),
            models.CheckConstraint(
                condition=models.Q(progress__gte=0, progress__lte=100),
                name="export_run_progress",
            ),
        ]
        indexes = [
            models.Index(
                fields=["requested_at"],
                condition=models.Q(state__in=["queued", "running"]),
                name="export_run_queue",
            ),
            models.Index(
                fields=["expires_at"],
                condition=models.Q(state__in=["ready", "taken"]),
                name="export_run_expiry",
            ),
            models.Index(
                fields=["global_user", "requested_at"], name="export_run_line"
            ),
        ]

    def __str__(self) -> str:
        return str(self.pk)


class ExportChunk(UserModel):
    """A piece of an export's file. In the database, so that erasure finds it."""

    export = ShardForeignKey(
        ExportRun, models.DO_NOTHING, related_name="chunks", db_index=False
    )
    number = models.IntegerField()
    data = models.BinaryField()

    class Privacy(FieldPrivacy):
        sensitive = ("data",)
        technical = ("id", "shard", "global_user", "export", "number")

    class Meta(UserModel.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["shard", "export", "number"], name="export_chunk_number"
            ),
        ]

    def __str__(self) -> str:
        return str(self.pk)
