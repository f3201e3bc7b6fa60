"""What was shown to a user about AI, in one relationship: told back by the chat service.

No content is shown here, so the gate is not asked: a user whose memory is paused is
reminded all the same.
"""

from rest_framework.request import Request
from rest_framework.response import Response

from consent.disclosures import ShownReminder, list_reminders, note_shown
from memsys.api.idempotency import Answer, answer_once
from memsys.api.pagination import Position
from memsys.api.reach import Target, find_relationship, parse_id
from memsys.api.schema import describe, request_example
from memsys.api.scopes import Scope
from memsys.api.serializers.consents import ReminderIdOut, ReminderIn, ReminderPageOut
from memsys.api.serializers.memories import PageIn
from memsys.api.views.base import ApiView
from memsys.api.views.pages import answer_page

_SHOWN = {
    "kind": "periodic",
    "version": "2026-07",
    "shown_at": "2026-11-30T22:00:00+08:00",
}


class DisclosuresView(ApiView):
    """The reminders of one relationship."""

    scopes = {"GET": Scope.DISCLOSURE_WRITE, "POST": Scope.DISCLOSURE_WRITE}

    @describe(
        summary="List what was shown about AI, the newest first",
        query=PageIn,
        answer={200: ReminderPageOut},
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
            fetch=lambda after, limit: list_reminders(
                relationship,
                after=(after.at, after.id) if after else None,
                limit=limit,
            ),
            mark=lambda row: Position(row.shown_at, row.pk),
            output=ReminderPageOut,
        )

    @describe(
        summary="Tell that the user was shown that an AI talks",
        request=ReminderIn,
        answer={201: ReminderIdOut},
        ids=["relationship_id"],
        examples=[request_example("After two hours", _SHOWN)],
        is_idempotent=True,
    )
    def post(self, request: Request, relationship_id: str) -> Response:
        shown: ShownReminder = ReminderIn.read(request.data, now=self.now)
        target = Target(relationship=parse_id(relationship_id))
        relationship = find_relationship(self.caller, target)

        def note() -> Answer:
            row = note_shown(relationship, shown, by=self.actor, now=self.now)
            told = {"relationship": relationship.id, "reminder": row.pk}
            return Answer(ReminderIdOut(told).data, 201)

        return answer_once(request, note, relationship=relationship)
