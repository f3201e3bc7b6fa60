"""Queries that add the shard whenever an id in them reveals it.

Owns the rewriting of filters, so that a look-up by id, a related manager or a
deletion goes to one shard. Not a router: a query that names no id asks all shards.

>>> str(Memory.objects.filter(id=some_id).query)  # doctest: +SKIP
'... WHERE (id = ... AND shard = 2741)'
"""

import uuid
from collections.abc import Iterator
from typing import Any, Self, TypeVar

from django.db import models
from django.db.models import Q, sql
from django.db.models.fields.tuple_lookups import TupleIn

from memsys.kernel.sharding.fields import SHARD, ShardForeignKey, is_sharded
from memsys.kernel.sharding.ids import bucket_of

Row = TypeVar("Row", bound=models.Model)


def _bucket(value: Any) -> int | None:
    """Return the bucket in an id, an id's text or a row; None for anything else."""
    if isinstance(value, models.Model):
        value = value.pk
    if isinstance(value, str):
        try:
            value = uuid.UUID(value)
        except ValueError:
            return None
    return bucket_of(value) if isinstance(value, uuid.UUID) else None


def _carries_bucket(model: type[models.Model], name: str) -> bool:
    """Say whether a field of the model holds ids of the row's own shard."""
    meta = model._meta
    assert meta.pk is not None
    if name in ("pk", meta.pk.name):
        return True
    return any(
        isinstance(field, ShardForeignKey) and name in (field.name, field.attname)
        for field in meta.concrete_fields
    )


def _implied_buckets(model: type[models.Model], lookup: str, value: Any) -> set[int]:
    """Return the buckets that one condition allows; empty when it tells nothing."""
    head, _, operator = lookup.partition("__")
    if operator not in ("", "exact", "in") or not _carries_bucket(model, head):
        return set()
    if operator == "in" and not isinstance(value, list | tuple | set | frozenset):
        return set()
    buckets = {_bucket(one) for one in (value if operator == "in" else [value])}
    return {one for one in buckets if one is not None} if None not in buckets else set()


def _anded_conditions(condition: Q) -> Iterator[tuple[str, Any]]:
    """Yield each (lookup, value) that must hold for the whole condition to hold."""
    if condition.negated or (
        condition.connector != Q.AND and len(condition.children) > 1
    ):
        return
    for child in condition.children:
        if isinstance(child, Q):
            yield from _anded_conditions(child)
        elif isinstance(child, tuple):
            yield child
        elif isinstance(child, TupleIn):
            yield from _prefetched_ids(child)


def _prefetched_ids(lookup: TupleIn) -> Iterator[tuple[str, Any]]:
    """Yield the ids by which Django prefetches what rows refer to."""
    (*others, column) = lookup.lhs.targets
    if not others and column.primary_key and isinstance(lookup.rhs, list):
        yield "pk__in", [one for (one,) in lookup.rhs]


class ShardQuery(sql.Query):
    """Query whose filters imply the shard.

    `add_q` is the one place that filter(), related managers, prefetching and the
    deletion collector all pass.
    """

    def add_q(self, q_object: Q, reuse_all: bool = False) -> None:
        return super().add_q(self._with_shard(q_object), reuse_all=reuse_all)

    def _with_shard(self, condition: Q) -> Q:
        if self.model is None or not is_sharded(self.model):
            return condition
        conditions = list(_anded_conditions(condition))
        if any(lookup.split("__")[0] == SHARD for lookup, _ in conditions):
            return condition
        for lookup, value in conditions:
            buckets = _implied_buckets(self.model, lookup, value)
            if len(buckets) == 1:
                return condition & Q(**{SHARD: buckets.pop()})
            if buckets:
                return condition & Q(**{f"{SHARD}__in": sorted(buckets)})
        return condition


class ShardQuerySet(models.QuerySet[Row]):
    """QuerySet over one sharded model."""

    def __init__(
        self, model: Any = None, query: Any = None, using: Any = None, hints: Any = None
    ) -> None:
        if query is None and model is not None:
            query = ShardQuery(model)
        super().__init__(model, query, using, hints)

    def only(self, *fields: Any) -> Self:
        """Defer all but `fields`, keeping the shard, which saving and joins need."""
        is_reset = not fields or fields[0] is None
        return super().only(*fields, *([] if is_reset else [SHARD]))
