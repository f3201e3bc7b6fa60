"""From the names that callers use to a relationship, made on first contact.

Owns the one indexed look-up and the race-safe creation. Names are checked first;
a persona is never made here.

>>> resolve(Address("u-1", "default", "c-1", "night"))  # doctest: +SKIP
"""

from dataclasses import dataclass
from uuid import UUID

from django.db import transaction

from identity.errors import PersonaNotFound, RelationshipNotFound, UserNotFound
from identity.models import CreatorPersona, GlobalUser, Relationship, UserFacet
from identity.types import RelationshipRef
from memsys.kernel.sharding.ids import bucket_of_user
from memsys.kernel.text.clean import check_identifier

DEFAULT_FACET = "default"


@dataclass(frozen=True)
class Address:
    """How the outside names a relationship."""

    user: str
    facet: str
    creator: str
    persona: str

    def __post_init__(self) -> None:
        """Refuse names that are empty, blank, too long or hold NUL.

        Raises:
            InvalidIdentifier: naming the field and what was expected.
        """
        for field in ("user", "facet", "creator", "persona"):
            check_identifier(getattr(self, field), field=field)


def resolve(address: Address) -> RelationshipRef:
    """Return the relationship, made if this is the first contact. One query when known.

    Parallel first contacts give one row: each insert yields to a committed one.

    Raises:
        PersonaNotFound: no such creator and persona.
    """
    found = _find(address)
    return found if found is not None else _create(address)


def get_relationship(relationship_id: UUID) -> RelationshipRef:
    """Return one relationship by id. One query.

    Raises:
        RelationshipNotFound: there is none.
    """
    row = Relationship.objects.with_sides().filter(pk=relationship_id).first()
    if row is None:
        raise RelationshipNotFound("There is no such relationship.")
    return to_ref(row)


def get_user_id(external_id: str) -> UUID:
    """Return the id of a user by the name that the platform uses. One query.

    Raises:
        UserNotFound: nobody has this name.
        InvalidIdentifier: it is none that anybody could have.
    """
    name = check_identifier(external_id, field="user")
    rows = GlobalUser.objects.filter(shard=bucket_of_user(name), external_id=name)
    user_id = rows.values_list("pk", flat=True).first()
    if user_id is None:
        raise UserNotFound("Nobody has this name.")
    return user_id


def _find(address: Address) -> RelationshipRef | None:
    row = (
        Relationship.objects.between(
            bucket=bucket_of_user(address.user),
            user=address.user,
            facet=address.facet,
            creator=address.creator,
            persona=address.persona,
        )
        .with_sides()
        .first()
    )
    return to_ref(row) if row is not None else None


def _create(address: Address) -> RelationshipRef:
    persona = CreatorPersona.objects.filter(
        key=address.persona, creator__external_id=address.creator
    ).first()
    if persona is None:
        raise PersonaNotFound("There is no such persona of this creator.")
    with transaction.atomic():
        user = _user(address.user)
        facet = _facet(user, address.facet)
        Relationship.objects.bulk_create(
            [Relationship(global_user=user, facet=facet, persona=persona)],
            ignore_conflicts=True,
        )
    found = _find(address)
    assert found is not None
    return found


def _user(external_id: str) -> GlobalUser:
    GlobalUser.objects.bulk_create(
        [GlobalUser(external_id=external_id)], ignore_conflicts=True
    )
    return GlobalUser.objects.get(
        shard=bucket_of_user(external_id), external_id=external_id
    )


def _facet(user: GlobalUser, key: str) -> UserFacet:
    UserFacet.objects.bulk_create(
        [UserFacet(global_user=user, key=key)], ignore_conflicts=True
    )
    return UserFacet.objects.get(global_user=user, key=key)


def to_ref(row: Relationship) -> RelationshipRef:
    """Return what other apps may know of a row that was read `with_sides`."""
    return RelationshipRef(
        id=row.pk,
        user_id=row.global_user_id,
        persona_id=row.persona_id,
        creator_id=row.persona.creator_id,
        creator_external_id=row.persona.creator.external_id,
        persona_key=row.persona.key,
        persona_name=row.persona.display_name,
        relationship_kind=row.persona.relationship_kind,
        facet_key=row.facet.key,
        user_external_id=row.global_user.external_id,
        status=row.status,
        custody=row.custody,
        age_band=row.global_user.age_band,
        user_status=row.global_user.status,
        time_zone=row.global_user.time_zone,
        memory_version=row.memory_version,
        created_at=row.created_at,
        disclosed_at=row.disclosed_at,
        disclosure_version=row.disclosure_version,
        is_synthetic=row.global_user.is_synthetic,
        nickname=row.facet.nickname,
        creator_name=row.persona.creator.display_name,
        profile_version=row.persona.profile_version,
        reminded_at=row.reminded_at,
    )
