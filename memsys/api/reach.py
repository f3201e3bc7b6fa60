"""What a caller reaches: a relationship or persona by id or name, of its creators.

Owns the one check of a key's creators. What is not the caller's is told exactly like
what does not exist, and is never made on first contact.

>>> relationship = open_relationship(caller, target)  # doctest: +SKIP
"""

import re
from dataclasses import asdict, dataclass
from typing import Any
from uuid import UUID

from consent.gate import GateClosed, check_open
from identity.models import CreatorPersona
from identity.resolution import Address, get_relationship, resolve
from identity.types import RelationshipRef
from memsys.api.authentication import Caller
from memsys.api.errors import NotReachable

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


@dataclass(frozen=True)
class Target:
    """Which relationship a request is about: its id, or the names of its two sides."""

    relationship: UUID | None = None
    address: Address | None = None


def parse_id(text: str) -> UUID:
    """Return the id in a path.

    Raises:
        NotReachable: it is no id of ours, so there is nothing by it.
    """
    if not _UUID.fullmatch(text):
        raise NotReachable("Not an id.")
    return UUID(text)


def check_creator(caller: Caller, creator: str) -> None:
    """Refuse a creator that the key is not for, as if it did not exist.

    Raises:
        NotReachable: the key is for other creators.
    """
    if not caller.may_reach(creator):
        raise NotReachable("Not for this key.")


def check_all_creators(caller: Caller) -> None:
    """Refuse a key that is for some creators what is of a user over all of them.

    Raises:
        NotReachable: the key is for some creators only.
    """
    if caller.creators:
        raise NotReachable("Not for this key.")


def find_relationship(caller: Caller, target: Target) -> RelationshipRef:
    """Return the caller's relationship, made on first contact by name. One query.

    Raises:
        NotReachable: unknown, or not the caller's.
        RelationshipNotFound, PersonaNotFound: unknown.
    """
    if target.address is not None:
        check_creator(caller, target.address.creator)
        return resolve(target.address)
    assert target.relationship is not None
    relationship = get_relationship(target.relationship)
    check_creator(caller, relationship.creator_external_id)
    return relationship


def open_relationship(caller: Caller, target: Target) -> RelationshipRef:
    """Return the caller's relationship if the gate lets content pass. One query.

    Raises:
        GateClosed: consent, age or status closes it.
        NotReachable, RelationshipNotFound, PersonaNotFound: see `find_relationship`.
    """
    relationship = find_relationship(caller, target)
    check_open(relationship)
    return relationship


def get_persona(caller: Caller, persona_id: UUID) -> CreatorPersona:
    """Return the caller's persona. One query.

    Raises:
        NotReachable: unknown, or of a creator that the key is not for.
    """
    row = CreatorPersona.objects.select_related("creator").filter(pk=persona_id).first()
    if row is None:
        raise NotReachable("There is no such persona.")
    check_creator(caller, row.creator.external_id)
    return row


def describe_relationship(relationship: RelationshipRef) -> dict[str, Any]:
    """Return what is known of a relationship, and `closed_by`: the gate's code."""
    try:
        check_open(relationship)
    except GateClosed as exc:
        return asdict(relationship) | {"closed_by": exc.code}
    return asdict(relationship) | {"closed_by": None}
