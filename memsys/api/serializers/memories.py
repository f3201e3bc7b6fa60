"""Memories, going in and coming out."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from rest_framework import serializers

from identity.types import RelationshipRef
from memories.reading import Slice, visible_to_service
from memories.types import Kind, Visibility
from memsys.api.pagination import Position
from memsys.api.serializers.base import StrictSerializer
from memsys.api.serializers.fields import (
    ChoiceField,
    IntegerField,
    PatternField,
    ReasonField,
    TextField,
    TimeField,
    UuidField,
)
from memsys.api.serializers.output import CursorOut, TimeOut

MAX_STATEMENT_CHARS = 2000
MAX_PAGE = 200
DEFAULT_PAGE = 50
DEFAULT_REASON = "service-request"
_NORMAL = Visibility.NORMAL.value
NOTE_VISIBILITIES = (_NORMAL, Visibility.CREATOR_PRIVATE.value)


@dataclass(frozen=True)
class PageQuery:
    """Which page of which memories is asked for."""

    limit: int
    cursor: str | None = None
    valid_at: datetime | None = None
    known_at: datetime | None = None
    kind: str | None = None

    def question(self) -> tuple[str, ...]:
        """Return what a cursor of this question must have in common with it."""
        return tuple(str(one) for one in (self.valid_at, self.known_at, self.kind))

    def slice(
        self, after: Position | None, limit: int, *, relationship: RelationshipRef
    ) -> Slice:
        """Return which memories this is, of those that a chat service may see."""
        return Slice(
            valid_at=self.valid_at,
            known_at=self.known_at,
            kind=self.kind,
            after=(after.at, after.id) if after is not None else None,
            limit=limit,
            rights=visible_to_service(relationship),
        )


class PageIn(StrictSerializer):
    """A page of a list."""

    limit = IntegerField(low=1, high=MAX_PAGE, default=DEFAULT_PAGE, is_text=True)
    cursor = PatternField(
        pattern=r"\S{1,400}", expected="a next_cursor of this list", required=False
    )

    def validate(self, attrs: dict[str, Any]) -> PageQuery:
        return PageQuery(**attrs)


class TimelinePageIn(PageIn):
    """A page of a timeline, as it was known at a moment."""

    known_at = TimeField(required=False)


class MemoryPageIn(TimelinePageIn):
    """A page of what is true, or was true or known at a moment, perhaps of a kind."""

    valid_at = TimeField(required=False)
    kind = ChoiceField(choices=Kind.values, required=False)


@dataclass(frozen=True)
class StatementForm:
    """What a memory is to say, and when it happened."""

    text: str
    occurred_at: datetime | None = None
    visibility: str = _NORMAL


class StatementIn(StrictSerializer):
    """What a memory should say instead.

    What is sensitive is refused without the user's grant: `sensitive-without-grant`.
    """

    text = TextField(max_chars=MAX_STATEMENT_CHARS)

    def validate(self, attrs: dict[str, Any]) -> StatementForm:
        return StatementForm(**attrs)


class NoteIn(StatementIn):
    """A note, when what it tells happened, and whom it is for.

    A `creator_private` note shows while the creator's own pool has custody.

    What is sensitive is refused without the user's grant: `sensitive-without-grant`.
    """

    occurred_at = TimeField(required=False)
    visibility = ChoiceField(choices=NOTE_VISIBILITIES, default=_NORMAL)


class ErasureIn(StrictSerializer):
    """Why something is erased; kept in the audit chain as a code."""

    reason_code = ReasonField(default=DEFAULT_REASON)

    def validate(self, attrs: dict[str, Any]) -> str:
        return str(attrs["reason_code"])


@dataclass(frozen=True)
class ErasureOfAllForm:
    """An erasure of all of a relationship, and the id that confirms it."""

    confirm: UUID
    reason_code: str


class ErasureOfAllIn(StrictSerializer):
    """The erasure of all of a relationship, confirmed by its id."""

    confirm = UuidField(expected="the id of the relationship in the address")
    reason_code = ReasonField(default=DEFAULT_REASON)

    def validate(self, attrs: dict[str, Any]) -> ErasureOfAllForm:
        return ErasureOfAllForm(**attrs)


class MemoryOut(serializers.Serializer[Any]):
    """A memory. `id` stays the same over all versions; `version` is this one."""

    id = serializers.UUIDField()
    version = serializers.UUIDField(source="version_id")
    kind = serializers.CharField()
    tier = serializers.CharField()
    subject = serializers.CharField()
    dimension = serializers.CharField()
    key = serializers.CharField()
    value = serializers.CharField()
    polarity = serializers.IntegerField()
    text = serializers.CharField()
    evidence = serializers.ListField(child=serializers.UUIDField())
    importance = serializers.FloatField()
    occurred_at = TimeOut()
    due_at = TimeOut(allow_null=True)
    due_until = TimeOut(allow_null=True)
    valid_from = TimeOut()
    valid_to = TimeOut(allow_null=True)
    recorded_at = TimeOut()
    recorded_to = TimeOut(allow_null=True)
    superseded_by = serializers.UUIDField(allow_null=True)
    status = serializers.CharField()
    visibility = serializers.CharField()
    author = serializers.CharField()
    is_flagged = serializers.BooleanField()


class MemoryPageOut(serializers.Serializer[Any]):
    """Memories, the oldest record first."""

    items = MemoryOut(many=True)
    next_cursor = CursorOut()


class MemoryIdOut(serializers.Serializer[Any]):
    """The memory that was written, and its version now in force."""

    id = serializers.UUIDField()
    version = serializers.UUIDField(source="version_id")


class ErasedOut(serializers.Serializer[Any]):
    """How much was erased, by store; `receipt` is a code that tells nothing else."""

    erased = serializers.DictField(child=serializers.IntegerField())
    erasure = serializers.UUIDField()
    receipt = serializers.CharField()
