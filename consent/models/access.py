"""Who read what of a user: one row a read, sealed in batches by the audit chain.

>>> AccessRecord.objects.filter(global_user_id=user_id)  # doctest: +SKIP
"""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _

from consent.models.owned import UserModel
from memsys.kernel.privacy_class import FieldPrivacy
from memsys.kernel.sharding.fields import ShardForeignKey
from memsys.kernel.sharding.ids import new_id


class AccessRecord(UserModel):
    """One read by a service: which memories, for what; ids and codes only.

    `batch` is set when a batch's digest was chained; from then on the row stays.
    """

    relationship = ShardForeignKey(
        "identity.Relationship",
        models.DO_NOTHING,
        null=True,
        related_name="+",
        db_index=False,
    )
    actor = models.CharField(max_length=100)
    action = models.CharField(max_length=40)
    memory_ids = ArrayField(models.UUIDField(), default=list)
    field_keys = ArrayField(models.CharField(max_length=60), default=list)
    read_at = models.DateTimeField()
    batch = models.UUIDField(null=True)

    class Privacy(FieldPrivacy):
        identifying = ("actor",)
        technical = (
            "id", "shard", "global_user", "relationship", "action", "memory_ids",
            "field_keys", "read_at", "batch",
        )  # fmt: skip

    class Meta(UserModel.Meta):
        indexes = [
            models.Index(fields=["global_user", "read_at"], name="access_record_line"),
            models.Index(
                fields=["id"],
                condition=models.Q(batch=None),
                name="access_record_unsealed",
            ),
            models.Index(fields=["batch"], name="access_record_batch"),
        ]

    def __str__(self) -> str:
        return str(self.pk)


class AccessBatch(models.Model):
    """A run of access rows whose digest stands in the audit chain."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    rows = models.IntegerField()
    first_at = models.DateTimeField()
    last_at = models.DateTimeField()
    digest = models.BinaryField()
    sealed_at = models.DateTimeField()

    class Privacy(FieldPrivacy):
        technical = ("id", "rows", "first_at", "last_at", "digest", "sealed_at")

    class Meta:
        verbose_name = _("batch of sealed reads")
        verbose_name_plural = _("batches of sealed reads")
        indexes = [models.Index(fields=["sealed_at"], name="access_batch_line")]

    def __str__(self) -> str:
        return str(self.pk)
