"""A row of any content table, by looking at its fields.

For tests that must hold for every table that there is or will be. Fields get the
least that they take; what a table wants beyond that stands in `WANTED`.

>>> for model in list_content_models(): make_row(model, ann)  # doctest: +SKIP
"""

import uuid
from typing import Any

from django.apps import apps
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone

from identity.models import ContentModel
from identity.types import RelationshipRef
from memsys.kernel.sharding.fields import ShardForeignKey
from memsys.kernel.sharding.models import ShardModel
from tests.factories.memories import content_of

WANTED: dict[str, dict[str, Any]] = {
    # A relationship has one open session at most.
    "memories.ChatSession": {"status": "pending", "ended_at": timezone.now()},
}


def list_content_models() -> list[type[ContentModel]]:
    """Return every model of content, by its label."""
    found = [one for one in apps.get_models() if issubclass(one, ContentModel)]
    return sorted(found, key=lambda one: str(one._meta.label))


def make_row(
    model: type[ShardModel], relationship: RelationshipRef, **fields: Any
) -> Any:
    """Make a row in a relationship, and the rows that it must refer to."""
    with content_of(relationship):
        values = {
            field.attname: _value(field, relationship)
            for field in model._meta.concrete_fields
            if _must_be_given(field)
        }
        return model._default_manager.create(
            **values | WANTED.get(model._meta.label, {}) | fields
        )


def list_parents(model: type[ShardModel]) -> list[ShardForeignKey]:
    """Return the references of a model to other rows of the same relationship."""
    return [
        field
        for field in model._meta.concrete_fields
        if isinstance(field, ShardForeignKey)
        and field.name not in ("global_user", "relationship")
    ]


def _must_be_given(field: Any) -> bool:
    is_given = field.has_default() or field.has_db_default() or field.primary_key
    return not (is_given or field.null or field.name == "shard")


def _value(field: Any, relationship: RelationshipRef) -> Any:
    """Return a value that the field takes."""
    if isinstance(field, ShardForeignKey):
        own = {
            "global_user": relationship.user_id,
            "relationship": relationship.id,
        }
        return own.get(field.name) or make_row(field.related_model, relationship).pk
    if field.choices:
        return field.flatchoices[0][0]
    for kind, value in {
        models.UUIDField: uuid.uuid4(),
        models.DateTimeField: timezone.now(),
        models.BinaryField: uuid.uuid4().bytes,
        models.BooleanField: False,
        models.IntegerField: 0,
        models.FloatField: 0.0,
        models.CharField: uuid.uuid4().hex[: field.max_length],
        models.TextField: f"canary-{uuid.uuid4().hex}",
        models.JSONField: {},
        ArrayField: [],
    }.items():
        if isinstance(field, kind):
            return value
    raise NotImplementedError(f"{field} needs a value in WANTED.")
