"""Relationships: which one it is, who operates it, what the platform tells of its user.

No content is shown here, so the gate is told of and not asked.
"""

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from consent import erasures
from identity.custody import move_custody
from identity.services import put_user
from identity.statuses import carry_wish
from identity.types import RelationshipRef
from memsys.api.idempotency import Answer, answer_once
from memsys.api.reach import Target, describe_relationship, find_relationship, parse_id
from memsys.api.schema import describe, request_example
from memsys.api.scopes import Scope
from memsys.api.serializers.identity import (
    CustodyIn,
    CustodyOut,
    RelationshipIdOut,
    RelationshipOut,
    RelationshipStateOut,
    StatusIn,
    StatusOut,
    UserIn,
)
from memsys.api.serializers.targets import AddressIn, target_of
from memsys.api.views.base import ApiView

_ADDRESS = {"user": "u-1", "facet": "default", "creator": "c-1", "persona": "night"}
_USER = {"age_band": "adult", "time_zone": "Asia/Shanghai", "nickname": "阿澈"}
_STATUS = {"action": "end", "reason_code": "user-request"}
_CUSTODY = {"to": "proxy_pool", "reason_code": "creator-on-leave"}


class ResolveView(ApiView):
    """From the names that the platform uses to our id."""

    scopes = {"POST": Scope.RELATIONSHIP_ROUTE}

    @describe(
        summary="Find a relationship, made on first contact",
        request=AddressIn,
        answer={200: RelationshipStateOut},
        examples=[request_example("Two sides", _ADDRESS)],
    )
    def post(self, request: Request) -> Response:
        target = target_of(AddressIn.read(request.data, now=self.now))
        relationship = find_relationship(self.caller, target)
        shown = describe_relationship(relationship)
        return Response(RelationshipStateOut(shown).data)


class RelationshipView(ApiView):
    """One relationship."""

    scopes = {"GET": Scope.RELATIONSHIP_ROUTE}

    @describe(
        summary="Show a relationship's state",
        answer={200: RelationshipOut},
        ids=["relationship_id"],
    )
    def get(self, request: Request, relationship_id: str) -> Response:
        target = Target(relationship=parse_id(relationship_id))
        relationship = find_relationship(self.caller, target)
        return Response(RelationshipOut(describe_relationship(relationship)).data)


class RelationshipUserView(ApiView):
    """What the platform tells of the user of a relationship."""

    scopes = {"PUT": Scope.PROFILE_WRITE}

    @describe(
        summary="Tell the user's age band, language, time zone or nickname",
        request=UserIn,
        answer={200: RelationshipIdOut},
        ids=["relationship_id"],
        examples=[request_example("A user", _USER)],
        is_idempotent=True,
    )
    def put(self, request: Request, relationship_id: str) -> Response:
        form = UserIn.read(request.data, now=self.now)
        target = Target(relationship=parse_id(relationship_id))
        relationship = find_relationship(self.caller, target)

        def put() -> Answer:
            put_user(relationship.id, form, by=self.actor)
            return Answer(RelationshipIdOut({"relationship": relationship.id}).data)

        return answer_once(request, put, about=relationship.user_id)


class RelationshipCustodyView(ApiView):
    """Who operates a relationship."""

    scopes = {"POST": Scope.TRANSFER_EXECUTE}

    @describe(
        summary="Move a relationship's custody",
        request=CustodyIn,
        answer={200: CustodyOut},
        ids=["relationship_id"],
        examples=[request_example("To the proxy pool", _CUSTODY)],
        is_idempotent=True,
    )
    def post(self, request: Request, relationship_id: str) -> Response:
        form: dict[str, Any] = CustodyIn.read(request.data, now=self.now)
        target = Target(relationship=parse_id(relationship_id))
        relationship = find_relationship(self.caller, target)

        def move() -> Answer:
            is_moved = move_custody(
                relationship.id, **form, by=self.actor, now=self.now
            )
            shown = {"relationship": relationship.id, "custody": form["to"]}
            return Answer(CustodyOut(shown | {"is_moved": is_moved}).data)

        return answer_once(request, move)


class RelationshipStatusView(ApiView):
    """Whether a relationship is remembered: paused, resumed or ended.

    What is ended is recalled no more from the next request on, and erased within a day;
    leaving asks for nothing.
    """

    scopes = {"POST": Scope.RELATIONSHIP_ROUTE}

    @describe(
        summary="Pause, resume or end a relationship",
        request=StatusIn,
        answer={200: StatusOut},
        ids=["relationship_id"],
        examples=[request_example("The user leaves", _STATUS)],
        is_idempotent=True,
    )
    def post(self, request: Request, relationship_id: str) -> Response:
        form: dict[str, Any] = StatusIn.read(request.data, now=self.now)
        target = Target(relationship=parse_id(relationship_id))
        relationship = find_relationship(self.caller, target)

        def change() -> Answer:
            return Answer(StatusOut(self.carry(relationship, **form)).data)

        return answer_once(request, change)

    def carry(
        self, relationship: RelationshipRef, *, action: str, reason_code: str
    ) -> dict[str, Any]:
        """Do what is wanted, and return what is told of it."""
        told = {"by": self.actor, "reason_code": reason_code}
        if action == "end":
            run = erasures.end(relationship, **told, now=self.now)
            status, is_changed = "ended", run is not None
        else:
            run = None
            status, is_changed = carry_wish(relationship.id, action, **told)
        return {
            "relationship": relationship.id,
            "status": status,
            "is_changed": is_changed,
            "erasure": run and run.pk,
        }
