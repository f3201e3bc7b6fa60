"""The one door through which other apps ask consent.

>>> check_open(relationship)  # doctest: +SKIP
"""

from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.utils import timezone

from consent import holds, policies
from consent.allowances import (
    ReleasedField,
    Releases,
    lock_grants,
    read_allowances,
)
from consent.errors import GateClosed, HeldByLaw
from consent.types import GUARDIAN, SENSITIVE
from identity.scopes import service_scope
from identity.types import AgeBand, RelationshipRef
from memsys.kernel.scope import find_scope

__all__ = [
    "GateClosed",
    "HeldByLaw",
    "ReleasedField",
    "Releases",
    "check_erasable",
    "check_open",
    "find_closing",
    "is_minor",
    "keep_open",
    "list_held_memories",
    "list_released",
    "lock_grants",
    "may_keep_sensitive",
]


def find_closing(
    relationship: RelationshipRef, *, now: datetime | None = None
) -> str | None:
    """Return the stable code of what closes a relationship to both, or None.

    No query, but for a child under 14: then a guardian's consent is looked for, in the
    open scope of the relationship and its user, or else in one of its own.
    """
    return policies.find_closing(
        status=relationship.status,
        user_status=relationship.user_status,
        age_band=relationship.age_band,
        relationship_kind=relationship.relationship_kind,
        unknown_is_minor=settings.MINORS_UNKNOWN_COUNT_AS_MINOR,
        has_guardian=_has_guardian(relationship, now or timezone.now()),
    )


def _has_guardian(relationship: RelationshipRef, now: datetime) -> bool:
    if relationship.age_band != AgeBand.UNDER_14:
        return False
    if find_scope() is not None:
        return read_allowances(relationship, now=now).allows(GUARDIAN)
    with service_scope(relationship, is_read=True):
        return read_allowances(relationship, now=now).allows(GUARDIAN)


def is_minor(relationship: RelationshipRef) -> bool:
    """Say whether the rules for minors hold for the user of a relationship."""
    return policies.is_minor(
        relationship.age_band,
        unknown_is_minor=settings.MINORS_UNKNOWN_COUNT_AS_MINOR,
    )


def check_open(relationship: RelationshipRef) -> None:
    """Refuse both writes and recall in a closed relationship.

    Raises:
        GateClosed: with the stable code of what closes it.
    """
    code = find_closing(relationship)
    if code is not None:
        raise GateClosed(code)


def keep_open(relationship: RelationshipRef, *, now: datetime) -> None:
    """Ask anew where a child's content is written, and let nothing close it meanwhile.

    A guardian who withdraws waits for the open scope, and what it wrote goes with the
    rest. No query, but for a child under 14: two.

    Raises:
        GateClosed: the guardian has withdrawn since `check_open`.
        ScopeMissing, ScopeConflict: no scope of this relationship and user is open.
    """
    if relationship.age_band != AgeBand.UNDER_14:
        return
    lock_grants(relationship)
    if (code := find_closing(relationship, now=now)) is not None:
        raise GateClosed(code)


def may_keep_sensitive(
    relationship: RelationshipRef, category: str, *, now: datetime | None = None
) -> bool:
    """Say whether sensitive statements of a category may be kept and shown now.

    Asked at each write and each read, so that a withdrawal works on the next one. One
    query in each scope, shared with `list_released`; none for a synthetic user. Whoever
    writes by the answer calls `lock_grants` before.

    Raises:
        ScopeMissing, ScopeConflict: no scope of this relationship and user is open.
    """
    is_synthetic = relationship.is_synthetic
    return policies.may_keep_sensitive(
        category=category,
        is_synthetic=is_synthetic,
        is_granted=not is_synthetic
        and read_allowances(relationship, now=now or timezone.now()).allows(
            f"{SENSITIVE}:{category}"
        ),
    )


def list_released(relationship: RelationshipRef, *, now: datetime) -> Releases:
    """Return the profile fields that may be shown in a relationship now.

    A policy and a grant must both hold at this moment. One query in each scope, which
    also tells `allowances` what else the user allows.

    Raises:
        ScopeMissing, ScopeConflict: no scope of this relationship and user is open.
    """
    return read_allowances(relationship, now=now).releases


def check_erasable(
    user_id: UUID,
    *,
    relationship_id: UUID | None = None,
    memory_id: UUID | None = None,
) -> None:
    """Refuse to erase what a legal hold keeps, or more than that.

    Asked in the transaction that erases, before it does: until it ends, no hold can be
    placed on this user. Two statements; no scope is needed.

    Raises:
        HeldByLaw: with the ids of the holds.
    """
    keeping = holds.list_keeping(
        user_id, relationship_id=relationship_id, memory_id=memory_id
    )
    if keeping:
        raise HeldByLaw(
            tuple(keeping),
            user_id=user_id,
            object_ref=holds.name_target(user_id, relationship_id, memory_id),
        )


def list_held_memories(relationship: RelationshipRef) -> dict[UUID, UUID]:
    """Return the memories that are held one by one, each with its hold. One query.

    What is erased must not take one of them, or what it was made from, with it.
    """
    return holds.list_held_memories(relationship.user_id, relationship.id)
