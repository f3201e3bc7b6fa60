"""Erasures: previewed, asked for, watched, undone.

A key that is for some creators only cannot have all of a user erased, who may know
others: to it there is no such user.
"""

from typing import Any
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from consent import erasures
from consent.errors import ErasureNotFound
from consent.models import ErasureRun
from consent.types import ErasureState
from identity.resolution import get_user_id
from identity.types import RelationshipRef
from memsys.api.errors import NotReachable
from memsys.api.idempotency import Answer, answer_once
from memsys.api.reach import Target, find_relationship, parse_id
from memsys.api.schema import describe, request_example
from memsys.api.scopes import Scope
from memsys.api.serializers.erasures import (
    ErasureForm,
    ErasureOut,
    ErasurePreviewOut,
    ErasureRequestIn,
    ErasureTargetIn,
)
from memsys.api.views.base import ApiView
from memsys.api.views.erasing import erase_at_once

_ID = "0192f0c1-2f6b-7c3e-9d4a-5b6c7d8e9f01"
_USER = {"user": "u-1", "confirm": "u-1"}
_AT_ONCE = {"relationship": _ID, "confirm": _ID, "at_once": True}


class ErasureBase(ApiView):
    """Base of the routes: finds what the caller names, and no one else's."""

    def find(self, form: ErasureForm) -> tuple[erasures.Target, RelationshipRef | None]:
        """Return what is named, and its relationship unless it is a user.

        Raises:
            NotReachable: a user, and the key is for some creators only.
        """
        if form.relationship is not None:
            found = find_relationship(self.caller, Target(form.relationship))
            target = erasures.Target(found.user_id, found.id, form.memory)
            return target, found
        if self.caller.creators:
            raise NotReachable("Not for this key.")
        return erasures.Target(get_user_id(str(form.user))), None

    def get_run(self, erasure_id: UUID) -> ErasureRun:
        """Return the caller's erasure.

        Raises:
            ErasureNotFound: there is none.
            NotReachable: it is not the caller's.
        """
        run = ErasureRun.objects.filter(pk=erasure_id).first()
        if run is None:
            raise ErasureNotFound("There is no such erasure.")
        if run.relationship_id is not None:
            find_relationship(self.caller, Target(run.relationship_id))
        elif self.caller.creators:
            raise NotReachable("Not for this key.")
        return run


class ErasuresView(ErasureBase):
    """Erasures that are asked for."""

    scopes = {"POST": Scope.ERASURE_REQUEST}

    @describe(
        summary="Ask for an erasure; it can be undone for a while unless at once",
        request=ErasureRequestIn,
        answer={202: ErasureOut},
        examples=[
            request_example("Everything of a user", _USER),
            request_example("A relationship, at once", _AT_ONCE),
        ],
        is_idempotent=True,
    )
    def post(self, request: Request) -> Response:
        form: ErasureForm = ErasureRequestIn.read(request.data, now=self.now)
        target, relationship = self.find(form)
        if target.memory_id is not None:
            assert relationship is not None
            return erase_at_once(
                self, request, relationship, target, form.reason_code, show=_show
            )

        def ask() -> Answer:
            run = erasures.request(
                target,
                by=self.actor,
                reason_code=form.reason_code,
                at_once=form.at_once,
                now=self.now,
            )
            return _show(run)

        return answer_once(request, ask)


class ErasurePreviewView(ErasureBase):
    """What an erasure would do."""

    scopes = {"POST": Scope.ERASURE_REQUEST}

    @describe(
        summary="Count what an erasure would delete, and tell what stays and why",
        request=ErasureTargetIn,
        answer={200: ErasurePreviewOut},
        examples=[request_example("A relationship", {"relationship": _ID})],
    )
    def post(self, request: Request) -> Response:
        form: ErasureForm = ErasureTargetIn.read(request.data, now=self.now)
        target, _ = self.find(form)
        return Response(ErasurePreviewOut(erasures.preview(target)).data)


class ErasureView(ErasureBase):
    """One erasure."""

    scopes = {"GET": Scope.ERASURE_REQUEST}

    @describe(
        summary="Show an erasure: its state, what is gone, what stays",
        answer={200: ErasureOut},
        ids=["erasure_id"],
    )
    def get(self, request: Request, erasure_id: str) -> Response:
        return Response(_show(self.get_run(parse_id(erasure_id))).body)


class ErasureUndoView(ErasureBase):
    """Taking an erasure back."""

    scopes = {"POST": Scope.ERASURE_REQUEST}

    @describe(
        summary="Undo an erasure that still waits",
        answer={200: ErasureOut},
        ids=["erasure_id"],
        is_idempotent=True,
    )
    def post(self, request: Request, erasure_id: str) -> Response:
        run = self.get_run(parse_id(erasure_id))

        def undo() -> Answer:
            undone = erasures.undo(run.pk, by=self.actor, now=self.now)
            return Answer(_show(undone).body)

        return answer_once(request, undo)


def _show(run: ErasureRun) -> Answer:
    stays = erasures.describe_stays(run.stays)
    shown: dict[str, Any] = {
        **vars(run),
        "relationship": run.relationship_id,
        "undo_until": run.run_from if run.state == ErasureState.WAITING else None,
        "erased": run.counts,
        "stays": stays,
        "holds": [hold for one in stays for hold in one.holds],
        "receipt": run.receipt_code,
    }
    return Answer(ErasureOut(shown).data, 202)
