"""Rows of identity for tests: users, facets, creators, personas, relationships.

Names are the outside's names, as in `identity.resolution.Address`; one that is not
given is new, so that tests which commit do not meet each other.

>>> ann = make_relationship()  # doctest: +SKIP
>>> other = make_relationship(user=ann.user_external_id)  # doctest: +SKIP
"""

import uuid
from typing import Any

from identity.models import (
    Creator,
    CreatorPersona,
    GlobalUser,
    Relationship,
    UserFacet,
)
from identity.resolution import to_ref
from identity.types import RelationshipRef
from memsys.kernel.sharding.ids import bucket_of_user

USER_FIELDS = ("age_band", "locale", "time_zone")
PERSONA_FIELDS = ("display_name", "relationship_kind")


def new_name(kind: str) -> str:
    """Return a name that nobody has yet."""
    return f"{kind}-{uuid.uuid4().hex}"


def make_user(external_id: str | None = None, **fields: Any) -> GlobalUser:
    """Make a user, or return the one of that name."""
    name = external_id or new_name("user")
    user, _ = GlobalUser.objects.get_or_create(
        shard=bucket_of_user(name), external_id=name, defaults=fields
    )
    return user


def make_facet(user: GlobalUser, key: str = "default", **fields: Any) -> UserFacet:
    """Make a facet of a user, or return the one of that key."""
    facet, _ = UserFacet.objects.get_or_create(
        global_user=user, key=key, defaults=fields
    )
    return facet


def make_creator(external_id: str | None = None, **fields: Any) -> Creator:
    """Make a creator, or return the one of that name."""
    creator, _ = Creator.objects.get_or_create(
        external_id=external_id or new_name("creator"), defaults=fields
    )
    return creator


def make_persona(
    creator: str | None = None, key: str | None = None, **fields: Any
) -> CreatorPersona:
    """Make a persona, or return the one of that creator and key."""
    persona, _ = CreatorPersona.objects.get_or_create(
        creator=make_creator(creator),
        key=key or new_name("persona"),
        defaults={"display_name": "月影"} | fields,
    )
    return persona


def make_relationship(
    user: str | None = None,
    facet: str = "default",
    creator: str | None = None,
    persona: str | None = None,
    **fields: Any,
) -> RelationshipRef:
    """Make a relationship with all that it stands on, or return the one there is.

    `fields` are of the relationship (`status`, `custody`, ...), of the user
    (`age_band`, `locale`, `time_zone`) or of the persona (`display_name`,
    `relationship_kind`); they count for what is new.
    """
    of_user = {name: fields.pop(name) for name in USER_FIELDS if name in fields}
    of_persona = {name: fields.pop(name) for name in PERSONA_FIELDS if name in fields}
    owner = make_user(user, **of_user)
    row, _ = Relationship.objects.get_or_create(
        global_user=owner,
        facet=make_facet(owner, facet),
        persona=make_persona(creator, persona, **of_persona),
        defaults=fields,
    )
    return to_ref(Relationship.objects.with_sides().get(pk=row.pk))
