"""For whom a consent is: all, one creator, one persona, one relationship of the user.

Owns which of two targets lies within the other.

>>> covers(Place(), Place(creator=creator_id))  # doctest: +SKIP
True
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

from consent.errors import ConsentTargetNotFound
from consent.types import TargetKind
from identity.models import Creator, CreatorPersona, Relationship

Named = tuple[str, UUID | None]


@dataclass(frozen=True)
class Place:
    """A target with what it lies within; all None is everywhere."""

    creator: UUID | None = None
    persona: UUID | None = None
    relationship: UUID | None = None


def covers(wide: Place, narrow: Place) -> bool:
    """Say whether a target is the other one, or holds it within.

    >>> covers(Place(creator=UUID(int=1)), Place())
    False
    """
    return all(
        mine is None or mine == its
        for mine, its in (
            (wide.creator, narrow.creator),
            (wide.persona, narrow.persona),
            (wide.relationship, narrow.relationship),
        )
    )


def find_place(user_id: UUID, kind: str, target_id: UUID | None) -> Place:
    """Return where a target lies.

    Raises:
        ConsentTargetNotFound: there is none, or the relationship is another user's.
    """
    found = find_places(user_id, [(kind, target_id)])
    if (kind, target_id) not in found:
        raise ConsentTargetNotFound("There is no such target.")
    return found[kind, target_id]


def find_places(user_id: UUID, targets: Iterable[Named]) -> Mapping[Named, Place]:
    """Return where targets lie, without those that there are not. At most 3 queries."""
    wanted = {(str(kind), target_id) for kind, target_id in targets}
    found: dict[Named, Place] = {}
    if (TargetKind.ALL.value, None) in wanted:
        found[TargetKind.ALL.value, None] = Place()
    if ids := _ids(wanted, TargetKind.CREATOR):
        for pk in Creator.objects.filter(pk__in=ids).values_list("pk", flat=True):
            found[TargetKind.CREATOR.value, pk] = Place(pk)
    if ids := _ids(wanted, TargetKind.PERSONA):
        rows = CreatorPersona.objects.filter(pk__in=ids)
        for pk, creator in rows.values_list("pk", "creator_id"):
            found[TargetKind.PERSONA.value, pk] = Place(creator, pk)
    if ids := _ids(wanted, TargetKind.RELATIONSHIP):
        own = Relationship.objects.of_user(user_id).filter(pk__in=ids)
        for pk, persona, creator in own.values_list(
            "pk", "persona_id", "persona__creator_id"
        ):
            found[TargetKind.RELATIONSHIP.value, pk] = Place(creator, persona, pk)
    return found


def list_targets_of(user_id: UUID, creators: Collection[str]) -> list[UUID]:
    """Return what a consent can be for within some creators, by their names. 3 queries.

    Empty when the user has no relationship with any of them.
    """
    own = Relationship.objects.of_user(user_id).filter(
        persona__creator__external_id__in=creators
    )
    relationships = list(own.values_list("pk", flat=True))
    if not relationships:
        return []
    known = Creator.objects.filter(external_id__in=creators)
    personas = CreatorPersona.objects.filter(creator__external_id__in=creators)
    return [
        *relationships,
        *known.values_list("pk", flat=True),
        *personas.values_list("pk", flat=True),
    ]


def _ids(wanted: Collection[Named], kind: TargetKind) -> list[UUID]:
    return [pk for one, pk in wanted if one == kind and pk is not None]
