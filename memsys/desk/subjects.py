"""Whom a member of staff may open: relationships, by the reach of their roles.

Owns the one check that stands before every page and deed about a person. What is out
of reach answers as what is not there.

>>> open_relationship(request.user, relationship_id)  # doctest: +SKIP
"""

from typing import Any
from uuid import UUID

from django.db.models import Q
from django.http import Http404

from consent.models import SubjectRequest
from consent.types import RequestState
from identity.errors import IdentityError
from identity.models import GlobalUser
from identity.resolution import get_relationship
from identity.types import Custody, RelationshipRef
from memsys.desk.roles import Reach, reach_of

UNDER_WAY = (RequestState.OPEN, RequestState.PAUSED)
MOST_REQUESTS = 500


def open_relationship(user: Any, relationship_id: UUID) -> RelationshipRef:
    """Return a relationship that this person may open. One to two queries.

    Raises:
        Http404: there is none, or it is out of reach.
    """
    try:
        found = get_relationship(relationship_id)
    except IdentityError as exc:
        raise Http404 from exc
    if not _reaches(user, found):
        raise Http404
    return found


def open_user(user: Any, user_id: UUID) -> GlobalUser:
    """Return a user all of whose rows this person may open. One to two queries.

    Raises:
        Http404: there is none, or they are out of reach.
    """
    found = GlobalUser.objects.filter(pk=user_id).first()
    reach = reach_of(user)
    if found is None or reach == Reach.PROXY_POOL:
        raise Http404
    if reach == Reach.OWN_REQUESTS and found.pk not in list_own_people(user):
        raise Http404
    return found


def open_request(user: Any, request_id: UUID) -> SubjectRequest:
    """Return a request that this person may work on. One query.

    Raises:
        Http404: there is none, or it is out of reach: another's, for support.
    """
    rows = requests_within_reach(user, SubjectRequest.objects.filter(pk=request_id))
    found: SubjectRequest | None = rows.first()
    if found is None:
        raise Http404
    return found


def requests_within_reach(user: Any, rows: Any) -> Any:
    """Return those of a query of requests that this person may open."""
    match reach_of(user):
        case Reach.OWN_REQUESTS:
            return rows.filter(Q(assigned_to=user.pk) | Q(assigned_to=None))
        case Reach.PROXY_POOL:
            return rows.none()
    return rows


def runs_within_reach(user: Any, rows: Any) -> Any:
    """Return those of a query of erasures or exports that this person may open."""
    match reach_of(user):
        case Reach.OWN_REQUESTS:
            return rows.filter(global_user_id__in=list_own_people(user))
        case Reach.PROXY_POOL:
            return rows.none()
    return rows


def rows_within_reach(user: Any, rows: Any) -> Any:
    """Return those of a query of rows that name a relationship and its user."""
    match reach_of(user):
        case Reach.OWN_REQUESTS:
            return rows.filter(global_user_id__in=list_own_people(user))
        case Reach.PROXY_POOL:
            return rows.filter(relationship__custody=Custody.PROXY_POOL)
    return rows


def list_own_people(user: Any) -> set[UUID]:
    """Return the users whose open requests this person works on. One query."""
    rows = SubjectRequest.objects.filter(assigned_to=user.pk, state__in=UNDER_WAY)
    ids = rows.order_by("due_date", "pk").values_list("global_user_id", flat=True)
    return set(ids[:MOST_REQUESTS])


def within_reach(user: Any, rows: Any) -> Any:
    """Return those of a query of relationships that this person may open."""
    match reach_of(user):
        case Reach.OWN_REQUESTS:
            return rows.filter(global_user_id__in=list_own_people(user))
        case Reach.PROXY_POOL:
            return rows.filter(custody=Custody.PROXY_POOL)
    return rows


def _reaches(user: Any, relationship: RelationshipRef) -> bool:
    match reach_of(user):
        case Reach.OWN_REQUESTS:
            return relationship.user_id in list_own_people(user)
        case Reach.PROXY_POOL:
            return relationship.custody == Custody.PROXY_POOL
    return True
