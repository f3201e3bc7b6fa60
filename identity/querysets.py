"""Filters over users, personas and relationships, chainable.

>>> Relationship.objects.of_user(user_id)  # doctest: +SKIP
"""

from typing import TYPE_CHECKING, Any, Self
from uuid import UUID

from django.db.models import Q

from memsys.kernel.sharding.query import ShardQuerySet

if TYPE_CHECKING:
    from identity.models import Relationship  # noqa: F401 - named in the base below


class RelationshipQuerySet(ShardQuerySet["Relationship"]):
    """Relationships, with what callers need of both sides in one query."""

    def with_sides(self) -> Self:
        """Join the facet, the user, the persona and its creator."""
        return self.select_related("facet", "global_user", "persona__creator")

    def of_user(self, user_id: UUID) -> Self:
        """Keep the relationships of one user."""
        return self.filter(global_user_id=user_id)

    def bring_retention_forward(self, at: Any) -> int:
        """Have what is looked at later looked at from a moment on. One statement."""
        later = Q(retention_at__gt=at) | Q(retention_at=None)
        return self.filter(later).update(retention_at=at)

    def between(
        self, *, bucket: int, user: str, facet: str, creator: str, persona: str
    ) -> Self:
        """Keep the one that the external names mean; `bucket` is the user's."""
        return self.filter(
            shard=bucket,
            global_user__external_id=user,
            facet__key=facet,
            persona__key=persona,
            persona__creator__external_id=creator,
        )
