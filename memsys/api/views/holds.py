"""Legal holds, for services that must keep their own copies too. They are read only.

A key that is for some creators sees the holds on users who know them, and of the holds
on single relationships only those with them.
"""

from rest_framework.request import Request
from rest_framework.response import Response

from consent import holds
from memsys.api.schema import describe
from memsys.api.scopes import Scope
from memsys.api.serializers.holds import HoldListOut, HoldUserIn
from memsys.api.views.consents import ConsentBase


class HoldsView(ConsentBase):
    """What must not be erased of a user."""

    scopes = {"GET": Scope.HOLD_READ}

    @describe(
        summary="List the legal holds of a user that are in force",
        query=HoldUserIn,
        answer={200: HoldListOut},
    )
    def get(self, request: Request) -> Response:
        query = HoldUserIn.read_query(request.query_params, now=self.now)
        reached = self.reach(query["user"])
        rows = [
            hold
            for hold in holds.list_active(reached.user_id)
            if hold.relationship_id is None
            or reached.targets is None
            or hold.relationship_id in reached.targets
        ]
        return Response(HoldListOut({"items": rows}).data)
