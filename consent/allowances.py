"""What a user allows in one relationship now: grants that hold, fields that are released.

Owns the one statement that answers both, and its answer for as long as one access scope
is open. Which grants hold is a rule of `policies`; what is decided by it, the gate's.

>>> read_allowances(relationship, now=now).allows("sensitive:diagnosis")
... # doctest: +SKIP
False
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.conf import settings
from django.db import connection

from consent import policies
from consent.types import AGE_BAND, RELEASE, GrantStatus
from identity.types import AgeBand, Custody, RelationshipRef
from memsys.kernel.scope import require_scope
from memsys.kernel.sharding.ids import bucket_of
from memsys.kernel.sql import load_sql

NOTE = "consent.allowances"
LOCKED = "consent.grants_locked"
CONSENT_MISSING = "consent-missing"
POLICY_MISSING = "policy-missing"


@dataclass(frozen=True)
class ReleasedField:
    """One profile field that a policy and a grant release into a relationship.

    One that is not `in_prompt` is data for the caller and never enters a prompt.
    """

    key: str
    label: str
    label_zh: str
    value: str
    in_prompt: bool
    policy_id: UUID
    grant_id: UUID


@dataclass(frozen=True)
class Releases:
    """What is released into one relationship now.

    `withheld` says why fields of which a value is kept are not, as codes, each once.
    """

    fields: tuple[ReleasedField, ...] = ()
    withheld: tuple[str, ...] = ()

    @property
    def keys(self) -> list[str]:
        """Return the names of the fields, and nothing of their values."""
        return [field.key for field in self.fields]


@dataclass(frozen=True)
class Allowances:
    """The scopes of the grants that hold in a relationship, and what they release."""

    scopes: frozenset[str]
    releases: Releases

    def allows(self, scope: str) -> bool:
        """Say whether a grant of this scope holds."""
        return scope in self.scopes


def read_allowances(relationship: RelationshipRef, *, now: datetime) -> Allowances:
    """Return what the user allows in a relationship; one query in each scope.

    Raises:
        ScopeMissing, ScopeConflict: no scope of this relationship and user is open.
    """
    scope = require_scope(relationship=relationship.id, user=relationship.user_id)
    known = scope.notes.get(NOTE)
    if not isinstance(known, Allowances):
        known = _read(relationship, now=now)
        scope.notes[NOTE] = known
    return known


def forget_allowances() -> None:
    """Ask anew in the open scope: a grant was changed, or has just been locked."""
    require_scope().notes.pop(NOTE, None)


def lock_grants(relationship: RelationshipRef) -> None:
    """Keep the user's grants as they are until the open scope ends. One query in each.

    Whoever changes one waits. What is asked after this was not read before it.

    Raises:
        ScopeMissing, ScopeConflict: no scope of this relationship and user is open.
    """
    scope = require_scope(relationship=relationship.id, user=relationship.user_id)
    if scope.notes.get(LOCKED):
        return
    with connection.cursor() as cursor:
        cursor.execute(
            load_sql("consent", "lock_grants"),
            {
                "shard": bucket_of(relationship.user_id),
                "user": relationship.user_id,
            },
        )
    scope.notes[LOCKED] = True
    forget_allowances()


class _Row(NamedTuple):
    """One row of `allowances.sql`; `id` is null of a field without a policy."""

    what: str
    code: str
    words: str
    more_words: str
    data_class: str
    in_prompt: bool
    value: str
    id: UUID | None
    at: datetime | None
    expires_at: datetime | None
    ended_at: datetime | None
    renewal_from: datetime | None


def _read(relationship: RelationshipRef, *, now: datetime) -> Allowances:
    """Read the rows and work out what holds. One query, for a child two."""
    rows = [_Row(*row) for row in _fetch("allowances", relationship, now)]
    said = [_to_said(row) for row in rows if row.what == "grant"]
    if relationship.age_band == AgeBand.UNDER_14:
        guardians = {id for (id,) in _fetch("guardians_grants", relationship, now)}
        # That something is allowed no more is heard whoever said it.
        said = [
            one
            for one in said
            if one.status != GrantStatus.GRANTED or one.id in guardians
        ]
    taken_over = [
        row.at
        for row in rows
        if row.what == "custody" and row.code == Custody.PROXY_POOL
    ]
    holding = policies.list_holding(
        said, now=now, taken_over_at=taken_over[0] if taken_over else None
    )
    return _allow(relationship, holding, [row for row in rows if row.what == "field"])


def _to_said(row: _Row) -> policies.Said:
    assert row.id is not None
    return policies.Said(
        id=row.id,
        scope=row.code,
        target_kind=row.words,
        status=row.more_words,
        granted_at=row.at,
        expires_at=row.expires_at,
        ended_at=row.ended_at,
        renewal_from=row.renewal_from,
    )


def _allow(
    relationship: RelationshipRef,
    holding: Sequence[policies.Said],
    fields: Sequence[_Row],
) -> Allowances:
    """Return what the grants that hold amount to, for a user of this age."""
    is_minor = policies.is_minor(
        relationship.age_band, unknown_is_minor=settings.MINORS_UNKNOWN_COUNT_AS_MINOR
    )
    # Of several the first one is told.
    oldest_last = sorted(holding, key=lambda one: one.id, reverse=True)
    grants = {one.scope: one.id for one in oldest_last}
    released: list[ReleasedField] = []
    withheld: set[str] = set()
    for row in sorted(fields, key=lambda row: row.code):
        scope = f"{RELEASE}:{row.code}"
        is_barred = is_minor and policies.is_barred_to_minors(
            scope, data_class=row.data_class
        )
        if row.id is None:
            withheld.add(POLICY_MISSING)
        elif is_barred or scope not in grants:
            withheld.add(CONSENT_MISSING)
        else:
            released.append(_to_field(row, relationship, row.id, grants[scope]))
    scopes = frozenset(
        scope
        for scope in grants
        if not (is_minor and policies.is_barred_to_minors(scope))
    )
    return Allowances(scopes, Releases(tuple(released), tuple(sorted(withheld))))


def _to_field(
    row: _Row, relationship: RelationshipRef, policy: UUID, grant: UUID
) -> ReleasedField:
    # The age band is told as it is now, not as it was kept.
    value = relationship.age_band if row.code == AGE_BAND else row.value
    return ReleasedField(
        row.code, row.words, row.more_words, value, row.in_prompt, policy, grant
    )


def _fetch(
    name: str, relationship: RelationshipRef, now: datetime
) -> list[tuple[Any, ...]]:
    wanted: dict[str, Any] = {
        "shard": bucket_of(relationship.user_id),
        "user": relationship.user_id,
        "relationship": relationship.id,
        "persona": relationship.persona_id,
        "creator": relationship.creator_id,
        "moment": now,
    }
    with connection.cursor() as cursor:
        cursor.execute(load_sql("consent", name), wanted)
        return list(cursor.fetchall())
