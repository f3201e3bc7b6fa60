"""What keeps data from expiring: legal holds, and requests that are not answered.

>>> find_keepers(relationship).is_kept  # doctest: +SKIP
False
"""

from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q

from consent import holds
from consent.models import SubjectRequest
from consent.types import RequestState
from identity.models import GlobalUser
from identity.types import RelationshipRef

# No memory has this id: asked with it, only holds of all of a relationship answer.
NO_MEMORY = UUID(int=0)
HOLD, REQUEST = "legal-hold", "open-request"


@dataclass(frozen=True)
class Keepers:
    """The ids of what keeps a relationship, and of what keeps its user's own data."""

    holds: tuple[UUID, ...] = ()
    requests: tuple[UUID, ...] = ()
    user_holds: tuple[UUID, ...] = ()
    user_requests: tuple[UUID, ...] = ()

    @property
    def is_kept(self) -> bool:
        return bool(self.holds or self.requests)

    @property
    def is_user_kept(self) -> bool:
        return bool(self.user_holds or self.user_requests)

    @property
    def reason_code(self) -> str:
        """Return why, a hold before a request."""
        return HOLD if self.holds or self.user_holds else REQUEST


def lock_user(relationship: RelationshipRef) -> None:
    """Let no request of a user be taken down, and nobody else look. One statement."""
    GlobalUser.objects.select_for_update(no_key=True).get(pk=relationship.user_id)


def find_keepers(relationship: RelationshipRef) -> Keepers:
    """Return what keeps a relationship and its user's data. Five statements.

    Until the transaction ends, no hold is placed on this user: with the user locked
    before, what expires in it was kept by nothing.
    """
    user_id = relationship.user_id
    keeping = holds.list_keeping(
        user_id, relationship_id=relationship.id, memory_id=NO_MEMORY
    )
    of_user = holds.list_active(user_id).filter(relationship=None)
    rows = SubjectRequest.objects.filter(
        global_user_id=user_id, state__in=(RequestState.OPEN, RequestState.PAUSED)
    )
    here = rows.filter(Q(relationship=None) | Q(relationship_id=relationship.id))
    return Keepers(
        holds=tuple(keeping),
        requests=tuple(here.order_by("pk").values_list("pk", flat=True)),
        user_holds=tuple(of_user.values_list("pk", flat=True)),
        user_requests=tuple(rows.order_by("pk").values_list("pk", flat=True)),
    )
