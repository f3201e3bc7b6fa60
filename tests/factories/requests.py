"""Requests of people for tests.

>>> ask_for(ann, "erase").state  # doctest: +SKIP
'open'
"""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils import timezone

from consent import requests
from consent.models import SubjectRequest
from consent.requests import RequestForm
from identity.types import RelationshipRef
from memsys.kernel.scope import Purpose, access_scope

BY = "staff:3"


def ask_for(
    ann: RelationshipRef,
    kind: str = "access",
    *,
    at: datetime | None = None,
    **told: Any,
) -> SubjectRequest:
    """Take a request down about a relationship, or with `whole` about all of a user."""
    whole = told.pop("whole", False)
    form = RequestForm(
        ann.user_id, kind, relationship_id=None if whole else ann.id, **told
    )
    return requests.receive(form, by=BY, now=at or timezone.now())


def reload(row: SubjectRequest) -> SubjectRequest:
    return SubjectRequest.objects.get(pk=row.pk)


def words_of(row: SubjectRequest) -> list[tuple[str, bool]]:
    """Return the words of a request, and which of them are the answer's."""
    with access_scope(Purpose.JOB, user=row.global_user_id):
        return [(one.text, one.is_answer) for one in requests.list_notes(row)]


def nobody() -> UUID:
    return UUID("01930000-0000-7000-8000-000000000000")
