"""The base of every model whose rows are spread by the user's bucket.

>>> class Note(ShardModel):  # doctest: +SKIP
...     relationship = ShardForeignKey("identity.Relationship", models.PROTECT)
"""

import uuid
from typing import Any

from django.db import models

from memsys.kernel.sharding.fields import (
    SHARD,
    BucketField,
    ShardForeignKey,
    ShardIdField,
)
from memsys.kernel.sharding.ids import bucket_of, new_id
from memsys.kernel.sharding.query import ShardQuerySet


class ShardModel(models.Model):
    """Row of one user; Django knows `id`, the database knows (id, shard)."""

    is_sharded = True

    id = ShardIdField(primary_key=True, editable=False, default=None)
    shard = BucketField()

    objects = ShardQuerySet.as_manager()

    class Meta:
        abstract = True
        base_manager_name = "objects"

    def make_id(self) -> uuid.UUID:
        """Return a fresh id in the bucket of the row's owner.

        Raises:
            ValueError: no reference to an owner is set.
        """
        for field in self._meta.concrete_fields:
            owner = getattr(self, field.attname)
            if isinstance(field, ShardForeignKey) and owner is not None:
                return new_id(bucket=bucket_of(owner))
        raise ValueError(f"{type(self).__name__} needs its owner before it is saved.")

    def _do_update(
        self,
        base_qs: Any,
        using: Any,
        pk_val: Any,
        values: Any,
        update_fields: Any,
        forced_update: bool,
    ) -> bool:
        """Never write the shard column: Citus refuses it and it cannot change."""
        kept = [one for one in values if one[0].attname != SHARD]
        return super()._do_update(
            base_qs, using, pk_val, kept, update_fields, forced_update
        )
