"""Working on a request: who has it, the pause, the answer, the refusal.

Owns what may follow what. Each deed is one transaction with its audit entry; the words
of an answer are kept with the request and nowhere else.

>>> pause(request_id, code=PauseCode.IDENTITY, by="staff:3", now=now)  # doctest: +SKIP
"""

from datetime import datetime
from uuid import UUID

from consent.errors import InvalidRequest, NoDuplicate
from consent.models import SubjectRequest, SubjectRequestNote
from consent.requests.letters import LATEST, choose_locale
from consent.requests.records import (
    OPEN_STATES,
    add_note,
    changing,
    note_deed,
    prepare_words,
)
from consent.types import (
    DUPLICATE,
    OutcomeCode,
    PauseCode,
    RefusalCode,
    RequestState,
)
from consent.working_days import add_working_days, count_working_days, to_day
from identity.models import GlobalUser
from identity.retention import bring_retention_forward
from memsys.kernel.text.clean import check_identifier

MAX_DEED = 60


def assign(request_id: UUID, *, to: int | None, by: str) -> SubjectRequest:
    """Give a request to an account of the desk, or back to nobody.

    Raises:
        RequestNotFound, RequestClosed: there is none, or it is closed.
    """
    with changing(request_id, OPEN_STATES) as row:
        if row.assigned_to != to:
            row.assigned_to = to
            row.save(update_fields=["assigned_to"])
            note_deed(row, "request.assigned", by=by, to=to)
    return row


def pause(request_id: UUID, *, code: str, by: str, now: datetime) -> SubjectRequest:
    """Let no day count until the person has given what is needed.

    Raises:
        InvalidRequest: there is no such reason.
        RequestNotFound, RequestClosed: there is none, or it is paused or closed.
    """
    if code not in PauseCode.values:
        raise InvalidRequest("code", "one of " + ", ".join(PauseCode.values))
    with changing(request_id, (RequestState.OPEN,)) as row:
        row.state, row.paused_at, row.pause_code = RequestState.PAUSED, now, code
        row.save(update_fields=["state", "paused_at", "pause_code"])
        note_deed(row, "request.paused", by=by, reason_code=code)
    return row


def resume(request_id: UUID, *, by: str, now: datetime) -> SubjectRequest:
    """Let the days count again; it is due as many working days later as it rested.

    Raises:
        RequestNotFound, RequestClosed: there is none, or it is not paused.
    """
    with changing(request_id, (RequestState.PAUSED,)) as row:
        assert row.paused_at is not None
        rested = count_working_days(to_day(row.paused_at), to_day(now))
        row.due_date = add_working_days(row.due_date, rested)
        row.state, row.paused_at = RequestState.OPEN, None
        row.save(update_fields=["state", "paused_at", "due_date"])
        note_deed(
            row, "request.resumed", by=by, days=rested, due=row.due_date.isoformat()
        )
    return row


def answer(
    request_id: UUID, *, outcome: str, words: str, by: str, now: datetime
) -> SubjectRequest:
    """Close a request with an answer.

    Raises:
        InvalidRequest: there is no such outcome, or no words are left.
        RequestNotFound, RequestClosed: there is none, or it is closed.
    """
    if outcome not in OutcomeCode.values:
        raise InvalidRequest("outcome", "one of " + ", ".join(OutcomeCode.values))
    text = prepare_words(words)
    with changing(request_id, OPEN_STATES) as row:
        add_note(row, text, by=by, now=now, is_answer=True)
        _close(row, RequestState.DONE, outcome, by=by, now=now)
        note_deed(row, "request.answered", by=by, reason_code=outcome)
    return row


def refuse(
    request_id: UUID, *, reason: str, words: str, by: str, now: datetime
) -> SubjectRequest:
    """Close a request with a refusal, whose letter is from now on as it is now.

    Source: PIPL, article 50: whoever refuses says why, and that a court is open.

    Raises:
        InvalidRequest: there is no such reason, or no words are left.
        RequestNotFound, RequestClosed: there is none, or it is closed.
    """
    if reason not in RefusalCode.values:
        raise InvalidRequest("reason", "one of " + ", ".join(RefusalCode.values))
    text = prepare_words(words)
    with changing(request_id, OPEN_STATES) as row:
        user = GlobalUser.objects.get(pk=row.global_user_id)
        row.letter_version, row.letter_locale = LATEST, choose_locale(user.locale)
        add_note(row, text, by=by, now=now, is_answer=True)
        _close(row, RequestState.REFUSED, reason, by=by, now=now)
        note_deed(row, "request.refused", by=by, reason_code=reason)
    return row


def merge(request_id: UUID, *, into: UUID, by: str, now: datetime) -> SubjectRequest:
    """Make a request part of another one that is worked on.

    Its words and what was done for it go there too, and so does its due date if it is
    the earlier one: nobody waits longer because they asked twice.

    Raises:
        NoDuplicate: it is the same one, or they differ in user, kind or relationship.
        RequestNotFound, RequestClosed: one is not there, or is closed.
    """
    if request_id == into:
        raise NoDuplicate("A request is no duplicate of itself.")
    # Of two that are merged into each other in parallel one waits, and is refused then.
    first, second = sorted((request_id, into))
    if len(set(_list_users(first, second))) > 1:
        raise NoDuplicate("The requests are of two users.")
    with changing(first, OPEN_STATES) as one, changing(second, OPEN_STATES) as other:
        row, kept = (one, other) if one.pk == request_id else (other, one)
        if _about(row) != _about(kept):
            raise NoDuplicate("The requests are not about the same.")
        notes = SubjectRequestNote.objects.filter(
            global_user_id=row.global_user_id, request_id=row.pk
        )
        notes.update(request_id=kept.pk)
        kept.due_date = min(kept.due_date, row.due_date)
        kept.deeds = [*kept.deeds, *(one for one in row.deeds if one not in kept.deeds)]
        kept.save(update_fields=["due_date", "deeds"])
        row.duplicate_of = kept.pk
        _close(row, RequestState.DONE, DUPLICATE, by=by, now=now)
        note_deed(row, "request.merged", by=by, into=str(kept.pk))
    return row


def link(request_id: UUID, *, deed: str, by: str) -> SubjectRequest:
    """Note what was done for a request, as `erasure:<id>`; once is enough.

    Raises:
        InvalidIdentifier: it is no kind and id.
        RequestNotFound, RequestClosed: there is none, or it is closed.
    """
    check_identifier(deed, field="deed", max_length=MAX_DEED)
    with changing(request_id, OPEN_STATES) as row:
        if deed not in row.deeds:
            row.deeds = [*row.deeds, deed]
            row.save(update_fields=["deeds"])
            note_deed(row, "request.linked", by=by, deed=deed)
    return row


def _close(
    row: SubjectRequest, state: str, outcome: str, *, by: str, now: datetime
) -> None:
    row.state, row.outcome_code, row.paused_at = state, outcome, None
    row.closed_at, row.closed_by = now, by
    row.save()
    # What the request kept from expiring is looked at again tonight.
    bring_retention_forward(row.global_user_id, at=now)


def _list_users(*ids: UUID) -> list[UUID]:
    rows = SubjectRequest.objects.filter(pk__in=ids)
    return list(rows.values_list("global_user_id", flat=True))


def _about(row: SubjectRequest) -> tuple[UUID, str, UUID | None]:
    return row.global_user_id, row.kind, row.relationship_id
