"""Messages and sessions."""

from rest_framework.request import Request
from rest_framework.response import Response

from memories.errors import IntakeConflict
from memories.intake import filter_messages, receive
from memories.sessions import end_sessions, list_sessions
from memories.types import EndReason
from memsys.api.idempotency import Answer, answer_once
from memsys.api.pagination import Position
from memsys.api.reach import Target, find_relationship, open_relationship, parse_id
from memsys.api.schema import describe, request_example, response_example
from memsys.api.scopes import Scope
from memsys.api.serializers.memories import PageIn
from memsys.api.serializers.messages import (
    MessagesIn,
    MessagesOut,
    SessionPageOut,
    SessionsEndIn,
    SessionsEndOut,
    count_outcomes,
)
from memsys.api.views.base import ApiView
from memsys.api.views.pages import answer_page

_MESSAGES = {
    "user": "u-1",
    "creator": "c-1",
    "persona": "night",
    "messages": [
        {
            "id": "m-1",
            "author_kind": "user",
            "text": "我对芒果过敏",
            "sent_at": "2026-03-15T20:00:00+08:00",
        }
    ],
}
_ID = "0192f0c1-2f6b-7c3e-9d4a-5b6c7d8e9f01"
_STORED = {
    "relationship": _ID,
    "stored": 1,
    "duplicates": 0,
    "items": [{"id": _ID, "outcome": "stored", "session": _ID}],
}


class MessagesView(ApiView):
    """Messages of one relationship."""

    scopes = {"POST": Scope.MESSAGE_WRITE}

    @describe(
        summary="Store messages; durable when answered",
        request=MessagesIn,
        answer={202: MessagesOut},
        examples=[
            request_example("One message", _MESSAGES),
            response_example("Stored", _STORED, status=202),
        ],
        is_idempotent=True,
    )
    def post(self, request: Request) -> Response:
        form = MessagesIn.read(request.data, now=self.now)
        messages = filter_messages(form.messages)
        relationship = open_relationship(self.caller, form.target)

        def store() -> Answer:
            receipts = receive(relationship, messages, now=self.now)
            shown = {"relationship": relationship.id, "items": receipts}
            shown |= count_outcomes(receipts)
            return Answer(MessagesOut(shown).data, 202)

        try:
            return answer_once(request, store, relationship=relationship)
        except IntakeConflict:
            return answer_once(request, store, relationship=relationship)


class SessionsEndView(ApiView):
    """The end of a session, told by the chat service."""

    scopes = {"POST": Scope.SESSION_WRITE}

    @describe(
        summary="End the open session, so that it becomes memories",
        request=SessionsEndIn,
        answer={200: SessionsEndOut},
        examples=[request_example("By id", {"relationship": _ID})],
        is_idempotent=True,
    )
    def post(self, request: Request) -> Response:
        target = SessionsEndIn.read(request.data, now=self.now)
        relationship = open_relationship(self.caller, target)

        def end() -> Answer:
            ended = end_sessions(relationship.id, now=self.now, reason=EndReason.CALLER)
            shown = {"relationship": relationship.id, "ended": ended}
            return Answer(SessionsEndOut(shown).data)

        return answer_once(request, end, relationship=relationship)


class SessionsView(ApiView):
    """The sessions of one relationship, and what became of them; no content."""

    scopes = {"GET": Scope.SESSION_WRITE}

    @describe(
        summary="List sessions, the newest first",
        query=PageIn,
        answer={200: SessionPageOut},
        ids=["relationship_id"],
    )
    def get(self, request: Request, relationship_id: str) -> Response:
        query = PageIn.read_query(request.query_params, now=self.now)
        target = Target(relationship=parse_id(relationship_id))
        relationship = find_relationship(self.caller, target)
        return answer_page(
            self,
            query,
            relationship,
            fetch=lambda after, limit: list_sessions(
                relationship.id,
                limit=limit,
                before=(after.at, after.id) if after else None,
            ),
            mark=lambda row: Position(row.last_message_at, row.pk),
            output=SessionPageOut,
        )
