"""What stands in requests: their words, and others that ask for the same.

>>> list_notes(row)  # doctest: +SKIP
"""

from uuid import UUID

from django.db.models import Q, QuerySet

from consent.models import SubjectRequest, SubjectRequestNote
from consent.requests.records import OPEN_STATES
from memsys.kernel.scope import require_scope

MOST = 50


def list_notes(row: SubjectRequest) -> list[SubjectRequestNote]:
    """Return the words of a request and of its answer, the oldest first. One query.

    Raises:
        ScopeMissing, ScopeConflict: no scope of the request's user is open.
    """
    require_scope(user=row.global_user_id)
    rows = SubjectRequestNote.objects.filter(
        global_user_id=row.global_user_id, request_id=row.pk
    )
    return list(rows.order_by("written_at", "pk")[:MOST])


def list_same(row: SubjectRequest) -> QuerySet[SubjectRequest]:
    """Return the other requests that are worked on and could be one with this."""
    rows = SubjectRequest.objects.filter(
        Q(relationship_id=row.relationship_id),
        global_user_id=row.global_user_id,
        kind=row.kind,
        state__in=OPEN_STATES,
    )
    return rows.exclude(pk=row.pk).order_by("received_at", "pk")


def list_duplicates(row: SubjectRequest) -> QuerySet[SubjectRequest]:
    """Return the requests that became part of this one."""
    rows = SubjectRequest.objects.filter(
        global_user_id=row.global_user_id, duplicate_of=row.pk
    )
    return rows.order_by("received_at", "pk")


def list_open(user_id: UUID) -> QuerySet[SubjectRequest]:
    """Return what a user asks for and is not answered; what it is about is kept."""
    rows = SubjectRequest.objects.filter(global_user_id=user_id, state__in=OPEN_STATES)
    return rows.order_by("received_at", "pk")
