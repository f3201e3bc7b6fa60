"""Fields of sharded models: the id, its bucket, and the reference that carries it.

Owns how an id gets its bucket on save and how joins match the shard column.
The database's own constraints are made by `operations`.

>>> ShardForeignKey("identity.Relationship", models.PROTECT).db_constraint
False
"""

import uuid
from typing import TYPE_CHECKING, Any, TypeVar

from django.db import models
from django.db.models.lookups import Exact
from django.db.models.sql.where import AND, WhereNode

from memsys.kernel.sharding.ids import bucket_of

SHARD = "shard"

_ST = TypeVar("_ST", contravariant=True)
_GT = TypeVar("_GT", covariant=True)


def is_sharded(model: Any) -> bool:
    """Say whether the model's rows are spread by the user's bucket."""
    return bool(getattr(model, "is_sharded", False))


class ShardIdField(models.UUIDField):  # type: ignore[type-arg]
    """Primary key that takes its bucket from the row's owner on first save."""

    def get_pk_value_on_save(self, instance: models.Model) -> uuid.UUID:
        owned: Any = instance
        made: uuid.UUID = owned.make_id()
        return made


class BucketField(models.SmallIntegerField):  # type: ignore[type-arg]
    """Shard column, always equal to the low bits of the row's id."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{**kwargs, "editable": False})

    def pre_save(self, model_instance: models.Model, add: bool) -> int:
        bucket = bucket_of(model_instance.pk)
        setattr(model_instance, self.attname, bucket)
        return bucket


if TYPE_CHECKING:

    class _ForeignKey(models.ForeignKey[_ST, _GT]):
        pass

else:

    class _ForeignKey(models.ForeignKey):
        """Django's field, which takes type arguments in type checking alone."""

        def __class_getitem__(cls, _: Any) -> Any:
            return cls


class ShardForeignKey(_ForeignKey[_ST, _GT]):
    """Reference between rows of one user; joins and look-ups match the shard too.

    The stock constraint on the id alone is off: `ShardReference` makes one that
    carries the shard, and between content tables the relationship.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{**kwargs, "db_constraint": False})

    def deconstruct(self) -> Any:
        name, path, args, kwargs = super().deconstruct()
        kwargs.pop("db_constraint", None)
        return name, path, args, kwargs

    def get_extra_restriction(self, alias: Any, related_alias: Any) -> Any:
        if not (alias and related_alias and is_sharded(self.related_model)):
            return None
        here: Any = self.model._meta.get_field(SHARD)
        related: Any = self.related_model
        there: Any = related._meta.get_field(SHARD)
        same: Any = Exact(here.get_col(related_alias), there.get_col(alias))
        return WhereNode([same], connector=AND)
