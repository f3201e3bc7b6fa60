"""Who stands next to whom: one and two hops over the tables.

Owns the addressing queries of Plane A; every list is ordered by id and bounded.

>>> list_relationships_of_user(user_id)  # doctest: +SKIP
"""

from uuid import UUID

from identity.models import Relationship

MAX_NEIGHBOURS = 1000


def list_relationships_of_user(user_id: UUID) -> list[UUID]:
    """Return the ids of a user's relationships. One query, one shard."""
    rows = Relationship.objects.of_user(user_id).order_by("id")
    return list(rows.values_list("id", flat=True)[:MAX_NEIGHBOURS])


def list_relationships_of_persona(persona_id: UUID) -> list[UUID]:
    """Return the ids of a persona's relationships. One query."""
    rows = Relationship.objects.filter(persona_id=persona_id).order_by("id")
    return list(rows.values_list("id", flat=True)[:MAX_NEIGHBOURS])


def list_relationships_of_creator(creator_id: UUID) -> list[UUID]:
    """Return the ids of the relationships of all of a creator's personas."""
    rows = Relationship.objects.filter(persona__creator_id=creator_id).order_by("id")
    return list(rows.values_list("id", flat=True)[:MAX_NEIGHBOURS])


def list_users_near_persona(persona_id: UUID) -> list[UUID]:
    """Return the users who share a persona with a user of this one: two hops."""
    near = Relationship.objects.filter(persona_id=persona_id)
    shared = Relationship.objects.filter(
        global_user_id__in=near.values("global_user_id")
    )
    users = Relationship.objects.filter(persona_id__in=shared.values("persona_id"))
    ids = users.order_by("global_user_id").values_list("global_user_id", flat=True)
    return list(ids.distinct()[:MAX_NEIGHBOURS])
