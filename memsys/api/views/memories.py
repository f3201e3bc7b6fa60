"""Memories of one relationship: listed, noted, shown, corrected, erased.

Erasing is a right and never asks the gate: a paused or ended relationship is erased
like any other.
"""

from collections.abc import Sequence

from rest_framework.request import Request
from rest_framework.response import Response

from consent.erasures import Target
from consent.gate import keep_open
from consent.reads import ReadAction, note_read
from identity.scopes import service_scope
from identity.types import RelationshipRef
from memories import reading, services
from memories.statements import prepare_statement
from memories.types import MemoryAuthor
from memsys.api.idempotency import Answer, answer_once
from memsys.api.pagination import Position
from memsys.api.reach import Target as Reached
from memsys.api.reach import find_relationship, open_relationship, parse_id
from memsys.api.schema import describe, request_example
from memsys.api.scopes import Scope
from memsys.api.serializers.base import fault
from memsys.api.serializers.memories import (
    ErasedOut,
    ErasureIn,
    ErasureOfAllIn,
    MemoryIdOut,
    MemoryOut,
    MemoryPageIn,
    MemoryPageOut,
    NoteIn,
    StatementIn,
    TimelinePageIn,
)
from memsys.api.views.base import ApiView
from memsys.api.views.erasing import erase_at_once
from memsys.api.views.pages import answer_page

AUTHOR = MemoryAuthor.SERVICE

_ID = "0192f0c1-2f6b-7c3e-9d4a-5b6c7d8e9f01"
_NOTE = {"text": "下周六想一起看电影", "occurred_at": "2026-03-15T20:00:00+08:00"}


class RelationshipContentView(ApiView):
    """Base of what belongs to the relationship in the address."""

    def find(self, relationship_id: str) -> RelationshipRef:
        """Return the caller's relationship, open or closed."""
        target = Reached(relationship=parse_id(relationship_id))
        return find_relationship(self.caller, target)

    def open(self, relationship_id: str) -> RelationshipRef:
        """Return the caller's relationship if the gate lets content pass."""
        target = Reached(relationship=parse_id(relationship_id))
        return open_relationship(self.caller, target)

    def note(
        self,
        relationship: RelationshipRef,
        action: ReadAction,
        memories: Sequence[reading.MemoryView],
    ) -> None:
        """Note which memories this request shows, in the scope that reads them."""
        note_read(
            relationship,
            action,
            actor=self.actor,
            memory_ids=[memory.id for memory in memories],
            now=self.now,
        )


class MemoriesView(RelationshipContentView):
    """The memories of a relationship."""

    scopes = {
        "GET": Scope.MEMORY_READ_ITEM,
        "POST": Scope.MEMORY_WRITE,
        "DELETE": Scope.ERASURE_REQUEST,
    }

    @describe(
        summary="List what is true, or was true or known at a moment",
        query=MemoryPageIn,
        answer={200: MemoryPageOut},
        ids=["relationship_id"],
    )
    def get(self, request: Request, relationship_id: str) -> Response:
        query = MemoryPageIn.read_query(request.query_params, now=self.now)
        relationship = self.open(relationship_id)
        return answer_page(
            self,
            query,
            relationship,
            fetch=lambda after, limit: reading.list_memories(
                relationship.id,
                query.slice(after, limit, relationship=relationship),
                now=self.now,
            ),
            mark=lambda row: Position(row.recorded_at, row.version_id),
            output=MemoryPageOut,
            note=lambda rows: self.note(relationship, ReadAction.LIST, rows),
        )

    @describe(
        summary="Write a note",
        request=NoteIn,
        answer={201: MemoryIdOut},
        ids=["relationship_id"],
        examples=[request_example("A note", _NOTE)],
        is_idempotent=True,
    )
    def post(self, request: Request, relationship_id: str) -> Response:
        form = NoteIn.read(request.data, now=self.now)
        relationship = self.open(relationship_id)
        statement = prepare_statement(form.text, names=relationship.names)
        by, now = self.actor, self.now

        def add() -> Answer:
            keep_open(relationship, now=now)
            note = services.add_note(
                relationship,
                statement,
                by=by,
                author=AUTHOR,
                now=now,
                occurred_at=form.occurred_at,
                visibility=form.visibility,
            )
            return Answer(MemoryIdOut(note).data, 201)

        return answer_once(request, add, relationship=relationship)

    @describe(
        summary="Erase all content of the relationship from every store",
        request=ErasureOfAllIn,
        answer={200: ErasedOut},
        ids=["relationship_id"],
        examples=[request_example("Confirmed", {"confirm": _ID})],
        is_idempotent=True,
    )
    def delete(self, request: Request, relationship_id: str) -> Response:
        form = ErasureOfAllIn.read(request.data, now=self.now)
        relationship = self.find(relationship_id)
        if form.confirm != relationship.id:
            expected = "the id of the relationship in the address"
            raise fault("confirm", "not-confirmed", expected)

        target = Target(relationship.user_id, relationship.id)
        return erase_at_once(self, request, relationship, target, form.reason_code)


class MemoryView(RelationshipContentView):
    """One memory."""

    scopes = {
        "GET": Scope.MEMORY_READ_ITEM,
        "PUT": Scope.MEMORY_WRITE,
        "DELETE": Scope.ERASURE_REQUEST,
    }

    @describe(
        summary="Show a memory",
        answer={200: MemoryOut},
        ids=["relationship_id", "memory_id"],
    )
    def get(self, request: Request, relationship_id: str, memory_id: str) -> Response:
        relationship = self.open(relationship_id)
        with service_scope(relationship, is_read=True):
            memory = reading.get_memory(
                relationship.id,
                parse_id(memory_id),
                rights=reading.visible_to_service(relationship),
            )
            self.note(relationship, ReadAction.MEMORY, [memory])
            return Response(MemoryOut(memory).data)

    @describe(
        summary="Correct what a memory says; what it said stays on the timeline",
        request=StatementIn,
        answer={200: MemoryIdOut},
        ids=["relationship_id", "memory_id"],
        examples=[request_example("A correction", {"text": "我对虾过敏"})],
        is_idempotent=True,
    )
    def put(self, request: Request, relationship_id: str, memory_id: str) -> Response:
        form = StatementIn.read(request.data, now=self.now)
        relationship, memory = self.open(relationship_id), parse_id(memory_id)
        statement = prepare_statement(form.text, names=relationship.names)
        by, now = self.actor, self.now

        def correct() -> Answer:
            keep_open(relationship, now=now)
            corrected = services.correct_memory(
                relationship, memory, statement, by=by, author=AUTHOR, now=now
            )
            return Answer(MemoryIdOut(corrected).data)

        return answer_once(request, correct, relationship=relationship)

    @describe(
        summary="Erase a memory, all its versions and its evidence",
        request=ErasureIn,
        answer={200: ErasedOut},
        ids=["relationship_id", "memory_id"],
        examples=[request_example("A reason", {"reason_code": "user-request"})],
        is_idempotent=True,
    )
    def delete(
        self, request: Request, relationship_id: str, memory_id: str
    ) -> Response:
        code = ErasureIn.read(request.data, now=self.now)
        relationship, memory = self.find(relationship_id), parse_id(memory_id)
        target = Target(relationship.user_id, relationship.id, memory)
        return erase_at_once(self, request, relationship, target, code)


class TimelineView(RelationshipContentView):
    """All that was ever true in a relationship."""

    scopes = {"GET": Scope.MEMORY_READ_ITEM}

    @describe(
        summary="List what is and was true, superseded values included",
        query=TimelinePageIn,
        answer={200: MemoryPageOut},
        ids=["relationship_id"],
    )
    def get(self, request: Request, relationship_id: str) -> Response:
        query = TimelinePageIn.read_query(request.query_params, now=self.now)
        relationship = self.open(relationship_id)
        return answer_page(
            self,
            query,
            relationship,
            fetch=lambda after, limit: reading.list_timeline(
                relationship.id, query.slice(after, limit, relationship=relationship)
            ),
            mark=lambda row: Position(row.valid_from, row.version_id),
            output=MemoryPageOut,
            note=lambda rows: self.note(relationship, ReadAction.TIMELINE, rows),
        )
