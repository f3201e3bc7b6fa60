"""A row of any table of a user, by looking at its fields; and the kinds of tables.

For tests that must hold for every table that there is or will be. Fields get the
least that they take; what a table wants beyond that stands in `WANTED`.

There are three kinds. Content belongs to one relationship. What is user-owned belongs
to one user over all relationships. Both are kept apart by policies of the database.
Queues drive jobs and lists of work, over all users; they have no policy, and so may
hold ids, codes and dates only. A new table of users is user-owned, unless it is named
in `QUEUES`.

>>> for model in list_content_models(): make_row(model, ann)  # doctest: +SKIP
"""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.apps import apps
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone

from consent.models import ProfileField, UserModel
from identity.models import ContentModel
from identity.types import RelationshipRef
from memsys.kernel.scope import Purpose, access_scope, find_scope
from memsys.kernel.sharding.fields import ShardForeignKey
from memsys.kernel.sharding.models import ShardModel

QUEUES = {
    "consent.ErasureRun",
    "consent.ExportRun",
    "consent.LegalHold",
    "consent.SubjectRequest",
}
WANTED: dict[str, dict[str, Any]] = {
    # A relationship has one open session at most.
    "memories.ChatSession": {"status": "pending", "ended_at": timezone.now()},
    # To grant takes the text that was seen.
    "consent.ConsentEvent": {"action": "refuse"},
    "consent.ConsentGrant": {"status": "withdrawn", "ended_at": timezone.now()},
    "consent.ErasureRun": {"target": "relationship"},
    "consent.LegalHold": {"lifted_by": ""},
}


def list_content_models() -> list[type[ContentModel]]:
    """Return every model of content, by its label."""
    return _list_models(ContentModel)


def list_user_models() -> list[type[UserModel]]:
    """Return every model whose rows are one user's, behind a policy, by its label."""
    found: list[type[UserModel]] = _list_models(UserModel)
    return [one for one in found if one._meta.label not in QUEUES]


def list_queue_models() -> list[type[UserModel]]:
    """Return every model of users that has no policy, by its label."""
    found: list[type[UserModel]] = _list_models(UserModel)
    return [one for one in found if one._meta.label in QUEUES]


def _list_models(base: type[ShardModel]) -> list[Any]:
    found = [one for one in apps.get_models() if issubclass(one, base)]
    return sorted(found, key=lambda one: str(one._meta.label))


@contextmanager
def rows_of(relationship: RelationshipRef) -> Iterator[None]:
    """Open the scope of a relationship and its user, or use the one that is open."""
    if find_scope() is not None:
        yield
        return
    targets = {"relationship": relationship.id, "user": relationship.user_id}
    with access_scope(Purpose.JOB, **targets):
        yield


def make_row(
    model: type[ShardModel], relationship: RelationshipRef, **fields: Any
) -> Any:
    """Make a row in a relationship, and the rows that it must refer to."""
    with rows_of(relationship):
        values = {
            field.attname: _value(field, relationship)
            for field in model._meta.concrete_fields
            if _must_be_given(field)
        }
        return model._default_manager.create(
            **values | WANTED.get(model._meta.label, {}) | fields
        )


def list_parents(
    model: type[ShardModel], *, with_relationship: bool = False
) -> list[ShardForeignKey]:
    """Return the references of a model to other rows of the same owner."""
    left_out = {"global_user"} if with_relationship else {"global_user", "relationship"}
    return [
        field
        for field in model._meta.concrete_fields
        if isinstance(field, ShardForeignKey) and field.name not in left_out
    ]


def _must_be_given(field: Any) -> bool:
    if field.name == "relationship":
        return True
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
    if field.related_model is ProfileField:
        return _make_profile_field().pk
    if field.choices:
        return field.flatchoices[0][0]
    for kind, value in {
        models.UUIDField: uuid.uuid4(),
        models.DateTimeField: timezone.now(),
        models.DateField: timezone.now().date(),
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


def _make_profile_field() -> ProfileField:
    return ProfileField.objects.create(
        key=uuid.uuid4().hex, label="Region", label_zh="地区", data_class="stable"
    )
