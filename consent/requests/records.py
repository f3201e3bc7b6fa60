"""What all deeds on a request have in common: its row, its words, its audit entry.

>>> with changing(request_id, OPEN_STATES) as row: ...  # doctest: +SKIP
"""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any
from uuid import UUID

from consent.errors import InvalidRequest, RequestClosed, RequestNotFound
from consent.models import SubjectRequest, SubjectRequestNote
from consent.types import RequestState
from memsys.kernel.audit.chain import Deed, deed_chain, record
from memsys.kernel.scope import Purpose, access_scope
from memsys.kernel.text.clean import clean_text
from memsys.kernel.text.privacy import mask

OPEN_STATES = (RequestState.OPEN, RequestState.PAUSED)
MAX_WORDS = 4000


@contextmanager
def changing(request_id: UUID, states: Collection[str]) -> Iterator[SubjectRequest]:
    """Open the scope of a request's user, and lock the request.

    Raises:
        RequestNotFound: there is none.
        RequestClosed: its state is not one of those.
    """
    found = SubjectRequest.objects.filter(pk=request_id)
    user_id = found.values_list("global_user_id", flat=True).first()
    if user_id is None:
        raise RequestNotFound("There is no such request.")
    with access_scope(Purpose.SERVICE, user=user_id):
        row = found.select_for_update().get()
        if row.state not in states:
            raise RequestClosed("The request is not in a state that allows this.")
        yield row


def prepare_words(words: str, *, is_needed: bool = True) -> str:
    """Return words as they are kept: cleaned, without personal data. No query.

    Raises:
        InvalidRequest: they are too long, or nothing of them is left.
    """
    if len(words) > MAX_WORDS:
        raise InvalidRequest("words", f"at most {MAX_WORDS} characters")
    text = mask(clean_text(words)).text
    if is_needed and not text:
        raise InvalidRequest("words", "at least one visible character")
    return text


def add_note(
    row: SubjectRequest, text: str, *, by: str, now: datetime, is_answer: bool = False
) -> None:
    """Keep prepared words with a request, in the open scope of its user."""
    SubjectRequestNote.objects.create(
        global_user_id=row.global_user_id,
        request_id=row.pk,
        author=by,
        is_answer=is_answer,
        text=text,
        written_at=now,
    )


def note_deed(
    row: SubjectRequest, action: str, *, by: str, reason_code: str = "", **told: Any
) -> None:
    """Record a deed on a request; of what was written, nothing."""
    record(
        Deed(
            chain=deed_chain(row.global_user_id),
            action=action,
            actor=by,
            object_ref=f"request:{row.pk}",
            reason_code=reason_code,
            subject=row.global_user_id,
            details={"kind": row.kind, **told},
        )
    )
