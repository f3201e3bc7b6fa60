"""Questions to the memory of one relationship."""

from dataclasses import replace

from rest_framework.request import Request
from rest_framework.response import Response

from consent.reads import ReadAction, note_read
from identity.scopes import service_scope
from memsys.api.reach import Target, open_relationship, parse_id
from memsys.api.schema import describe, request_example
from memsys.api.scopes import Scope
from memsys.api.serializers.recall import ContextIn, ContextOut, SearchIn, SearchOut
from memsys.api.views.base import ApiView
from recall.queries import embed_query
from recall.services import ContextRequest, build_context, search

_CONTEXT = {
    "user": "u-1",
    "creator": "c-1",
    "persona": "night",
    "query": "周末有什么安排",
    "token_budget": 2000,
}


def with_vector(request: ContextRequest) -> ContextRequest:
    """Return the request with its query's vector, or without when that is late."""
    return replace(request, query_vector=embed_query(request.query))


class ContextView(ApiView):
    """What the chat service gets before its next reply."""

    scopes = {"POST": Scope.CONTEXT_READ}

    @describe(
        summary="Recall what matters for the next reply, ready to inject",
        request=ContextIn,
        answer={200: ContextOut},
        examples=[request_example("A question", _CONTEXT)],
    )
    def post(self, request: Request) -> Response:
        form = ContextIn.read(request.data, now=self.now)
        relationship = open_relationship(self.caller, form.target)
        asked = with_vector(form.request)
        with service_scope(relationship, is_read=True):
            context = build_context(relationship, asked, now=self.now)
            note_read(
                relationship,
                ReadAction.CONTEXT,
                actor=self.actor,
                memory_ids=context.assembled.used,
                releases=context.released,
                now=self.now,
            )
            shown = {"relationship": relationship.id, "context": context}
            return Response(ContextOut(shown).data)


class SearchView(ApiView):
    """Search in one relationship."""

    scopes = {"POST": Scope.CONTEXT_READ}

    @describe(
        summary="Search the memories of a relationship",
        request=SearchIn,
        answer={200: SearchOut},
        ids=["relationship_id"],
        examples=[request_example("A word", {"query": "猫"})],
    )
    def post(self, request: Request, relationship_id: str) -> Response:
        form = SearchIn.read(request.data, now=self.now)
        target = Target(relationship=parse_id(relationship_id))
        relationship = open_relationship(self.caller, target)
        asked = with_vector(form.request)
        with service_scope(relationship, is_read=True):
            hits = search(relationship, asked, now=self.now, limit=form.limit)
            note_read(
                relationship,
                ReadAction.SEARCH,
                actor=self.actor,
                memory_ids=[hit.id for hit in hits],
                now=self.now,
            )
            degraded = [] if asked.query_vector is not None else ["vector"]
            return Response(SearchOut({"items": hits, "degraded": degraded}).data)
