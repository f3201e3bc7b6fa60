"""Consents: recorded as the user gave them, shown, and asked for in their time.

A key that is for some creators only records and sees what is for one of them, of users
who know them; what is for all, and everybody else, does not exist for it.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from consent import consents
from consent.consents import ConsentForm, EventView, GrantView
from consent.prompts import list_prompts
from consent.texts import list_current
from consent.types import TargetKind
from identity.models import Creator
from identity.resolution import get_user_id
from identity.types import RelationshipRef
from memsys.api.errors import NotReachable
from memsys.api.idempotency import Answer, answer_once
from memsys.api.pagination import Binding, Page, Position, open_cursor, seal
from memsys.api.reach import Target, find_relationship
from memsys.api.schema import describe, request_example
from memsys.api.scopes import Scope
from memsys.api.serializers.consents import (
    ConsentEventsIn,
    ConsentIn,
    ConsentOut,
    ConsentPromptsIn,
    ConsentRequest,
    ConsentUserIn,
    EventPageOut,
    GrantListOut,
    PromptListOut,
    TextListOut,
    with_target,
)
from memsys.api.views.base import ApiView
from memsys.kernel.scope import Purpose, access_scope

_GRANT = {
    "user": "u-1",
    "scope": "release:region",
    "action": "grant",
    "creator": "c-1",
    "text_number": 1,
    "text_sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "locale": "zh-hans",
    "surface": "chat",
    "shown_at": "2026-11-30T12:00:00+08:00",
    "acted_at": "2026-11-30T12:00:09+08:00",
    "evidence_id": "consent-click-7781",
}
_WITHDRAW = {"user": "u-1", "scope": "release:region", "action": "withdraw"}


@dataclass(frozen=True)
class Reached:
    """A user, and for which targets the key may act; None for all of them."""

    user_id: UUID
    targets: Collection[UUID] | None


class ConsentBase(ApiView):
    """Base of the routes: finds the user and what of theirs the key reaches."""

    def reach(self, user: str) -> Reached:
        """Return a user of the caller's.

        Raises:
            UserNotFound, NotReachable: nobody has this name, or knows the key's creators.
        """
        user_id = get_user_id(user)
        if not self.caller.creators:
            return Reached(user_id, None)
        targets = consents.list_targets_of(user_id, self.caller.creators)
        if not targets:
            raise NotReachable("Not for this key.")
        return Reached(user_id, frozenset(targets))


class ConsentsView(ConsentBase):
    """What users have consented to."""

    scopes = {"GET": Scope.CONSENT_READ, "POST": Scope.CONSENT_WRITE}

    @describe(
        summary="List the last word of a user on each scope and target",
        query=ConsentUserIn,
        answer={200: GrantListOut},
    )
    def get(self, request: Request) -> Response:
        query = ConsentUserIn.read_query(request.query_params, now=self.now)
        reached = self.reach(query["user"])
        with access_scope(Purpose.SERVICE, user=reached.user_id, is_read=True):
            grants = consents.list_grants(
                reached.user_id, self.now, targets=reached.targets
            )
            return Response(GrantListOut({"items": _name_targets(grants)}).data)

    @describe(
        summary="Record what a user did: granted, withdrew or refused a scope",
        request=ConsentIn,
        answer={201: ConsentOut},
        examples=[
            request_example("A grant", _GRANT),
            request_example("A withdrawal", _WITHDRAW),
        ],
        is_idempotent=True,
    )
    def post(self, request: Request) -> Response:
        asked: ConsentRequest = ConsentIn.read(request.data, now=self.now)
        reached = self.reach(asked.user)
        form = _to_form(asked, reached)

        def record() -> Answer:
            event = consents.record(form, by=self.actor, now=self.now)
            shown = {
                "event": event.pk,
                "scope": event.scope,
                "action": event.action,
                "state": consents.find_state(event, now=self.now),
            }
            return Answer(ConsentOut(shown).data, 201)

        return answer_once(request, record, user=reached.user_id)


class ConsentEventsView(ConsentBase):
    """The ledger of consent."""

    scopes = {"GET": Scope.CONSENT_READ}

    @describe(
        summary="List what a user did about consents, with the texts seen",
        query=ConsentEventsIn,
        answer={200: EventPageOut},
    )
    def get(self, request: Request) -> Response:
        user, query = ConsentEventsIn.read_query(request.query_params, now=self.now)
        reached = self.reach(user)
        binding = Binding(
            owner=(str(reached.user_id), self.caller.prefix),
            question=(type(self).__name__,),
        )
        after = open_cursor(query.cursor, binding) if query.cursor is not None else None
        with access_scope(Purpose.SERVICE, user=reached.user_id, is_read=True):
            rows = consents.list_events(
                reached.user_id,
                after=(after.at, after.id) if after is not None else None,
                limit=query.limit + 1,
                targets=reached.targets,
            )
            page = Page.of(
                rows,
                limit=query.limit,
                mark=lambda row: Position(row.recorded_at, row.id),
            )
            cursor = seal(page.end, binding) if page.end is not None else None
            shown = {"items": _name_targets(page.rows), "next_cursor": cursor}
            return Response(EventPageOut(shown).data)


class ConsentTextsView(ApiView):
    """The texts in force."""

    scopes = {"GET": Scope.CONSENT_READ}

    @describe(
        summary="Show the texts that users must be shown, in each language",
        answer={200: TextListOut},
    )
    def get(self, request: Request) -> Response:
        return Response(TextListOut({"items": list_current(now=self.now)}).data)


class ConsentPromptsView(ConsentBase):
    """What a user may be asked for."""

    scopes = {"GET": Scope.CONSENT_READ}

    @describe(
        summary="List what a user may be asked for now; nothing soon after a refusal",
        query=ConsentPromptsIn,
        answer={200: PromptListOut},
    )
    def get(self, request: Request) -> Response:
        query = ConsentPromptsIn.read_query(request.query_params, now=self.now)
        reached = self.reach(query["user"])
        relationship = self._find(query.get("relationship"), reached)
        with access_scope(
            Purpose.SERVICE,
            user=reached.user_id,
            relationship=relationship.id if relationship is not None else None,
            is_read=True,
        ):
            prompts = list_prompts(
                reached.user_id,
                now=self.now,
                relationship=relationship,
                targets=reached.targets,
            )
            return Response(PromptListOut({"items": prompts}).data)

    def _find(self, asked: UUID | None, reached: Reached) -> RelationshipRef | None:
        """Return the user's relationship that is named.

        Raises:
            RelationshipNotFound, NotReachable: it is not the user's or the caller's.
        """
        if asked is None:
            return None
        found = find_relationship(self.caller, Target(asked))
        if found.user_id != reached.user_id:
            raise NotReachable("It is another user's.")
        return found


def _to_form(asked: ConsentRequest, reached: Reached) -> ConsentForm:
    """Return the form with its target by our ids.

    Raises:
        NotReachable: there is no such target for this key.
    """
    kind, target_id = TargetKind.ALL, None
    if asked.creator is not None:
        kind, target_id = TargetKind.CREATOR, _find_creator(asked.creator)
    elif asked.persona is not None:
        kind, target_id = TargetKind.PERSONA, asked.persona
    elif asked.relationship is not None:
        kind, target_id = TargetKind.RELATIONSHIP, asked.relationship
    if reached.targets is not None and target_id not in reached.targets:
        raise NotReachable("Not for this key.")
    return ConsentForm(
        user_id=reached.user_id,
        target_kind=kind.value,
        target_id=target_id,
        **asked.told,
    )


def _find_creator(name: str) -> UUID:
    found = Creator.objects.filter(external_id=name).values_list("pk", flat=True)
    if (creator := found.first()) is None:
        raise NotReachable("There is no such creator.")
    return creator


def _name_targets(views: Collection[GrantView | EventView]) -> list[dict[str, Any]]:
    """Return views with their targets as callers name them. One query at most."""
    ids = {one.target_id for one in views if one.target_kind == TargetKind.CREATOR}
    rows = Creator.objects.filter(pk__in=ids) if ids else Creator.objects.none()
    creators = dict(rows.values_list("pk", "external_id"))
    return [with_target(one, creators) for one in views]
