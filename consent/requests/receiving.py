"""Taking a request down: its number, its due date, and whether it is there already.

Source: PIPL, article 50: a handy way to ask. The days are those of app rules and
GB/T 35273: 15 working days at most.

>>> receive(RequestForm(user_id, "access"), by="staff:3", now=now).due_date
... # doctest: +SKIP
datetime.date(2026, 12, 22)
"""

from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

from django.conf import settings
from django.db.models import Q

from consent.errors import InvalidRequest, RequestNotFound
from consent.models import SubjectRequest
from consent.requests.numbers import new_number
from consent.requests.records import OPEN_STATES, add_note, note_deed, prepare_words
from consent.types import DUPLICATE, RequestKind, RequestState
from consent.working_days import add_working_days, to_day
from identity.errors import RelationshipNotFound
from identity.models import GlobalUser, Relationship
from memsys.kernel.scope import Purpose, access_scope

# What is asked for in these is told by the kind: asked for twice it is one.
SAME_WISH = (
    RequestKind.ACCESS, RequestKind.ERASE, RequestKind.RESTRICT, RequestKind.TRANSFER,
)  # fmt: skip


@dataclass(frozen=True)
class RequestForm:
    """What a person asks for: the kind, about what, and in which words."""

    user_id: UUID
    kind: str
    relationship_id: UUID | None = None
    words: str = ""


def receive(form: RequestForm, *, by: str, now: datetime) -> SubjectRequest:
    """Take a request down. It is due after `REQUEST_WORKING_DAYS`.

    When the same is asked for already, the new one is closed as its duplicate at once,
    and its words are kept with the one that is worked on.

    Raises:
        InvalidRequest: there is no such kind, or the words are too long.
        RequestNotFound: there is no such user.
        RelationshipNotFound: the relationship is not one of theirs.
    """
    if form.kind not in RequestKind.values:
        raise InvalidRequest("kind", "one of " + ", ".join(RequestKind.values))
    words = prepare_words(form.words, is_needed=False)
    with access_scope(Purpose.SERVICE, user=form.user_id):
        _lock_user(form)
        same = _find_same(form)
        row = SubjectRequest.objects.create(
            global_user_id=form.user_id,
            relationship_id=form.relationship_id,
            number=new_number(form.user_id, day=to_day(now)),
            kind=form.kind,
            received_at=now,
            received_by=by,
            due_date=due_date(now),
            **(_as_duplicate(same, by=by, now=now) if same is not None else {}),
        )
        if words:
            add_note(same or row, words, by=by, now=now)
        note_deed(row, "request.received", by=by, number=row.number)
        if same is not None:
            note_deed(row, "request.merged", by=by, into=str(same.pk))
    return row


def due_date(received_at: datetime) -> date:
    """Return the last day on which a request can be answered in time."""
    return add_working_days(to_day(received_at), settings.REQUEST_WORKING_DAYS)


def target_date(received_at: datetime) -> date:
    """Return the day by which a request should be answered."""
    days = min(settings.REQUEST_TARGET_DAYS, settings.REQUEST_WORKING_DAYS)
    return add_working_days(to_day(received_at), days)


def _lock_user(form: RequestForm) -> None:
    """Let one request of a user at a time be taken down.

    The job that deletes what is kept no longer waits for it too.
    """
    users = GlobalUser.objects.select_for_update(no_key=True)
    if users.filter(pk=form.user_id).first() is None:
        raise RequestNotFound("There is no such user.")
    one = form.relationship_id
    of_user = Relationship.objects.of_user(form.user_id)
    if one is not None and not of_user.filter(pk=one).exists():
        raise RelationshipNotFound("There is no such relationship of this user.")


def _find_same(form: RequestForm) -> SubjectRequest | None:
    if form.kind not in SAME_WISH:
        return None
    rows = SubjectRequest.objects.filter(
        Q(relationship_id=form.relationship_id),
        global_user_id=form.user_id,
        kind=form.kind,
        state__in=OPEN_STATES,
    )
    return rows.order_by("received_at", "pk").first()


def _as_duplicate(
    same: SubjectRequest, *, by: str, now: datetime
) -> dict[str, UUID | str | datetime]:
    return {
        "state": RequestState.DONE,
        "closed_at": now,
        "closed_by": by,
        "outcome_code": DUPLICATE,
        "duplicate_of": same.pk,
    }
