"""What a user allows in one relationship now: grants that hold, fields that are released.

Owns the one statement that answers both, and its answer for as long as one access scope
is open. Does not own what is decided by it: that is the gate's.

>>> read_allowances(relationship, now=now).allows("sensitive:diagnosis")
... # doctest: +SKIP
False
"""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db import connection

from consent import policies
from identity.types import RelationshipRef
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


def _read(relationship: RelationshipRef, *, now: datetime) -> Allowances:
    is_minor = policies.is_minor(
        relationship.age_band, unknown_is_minor=settings.MINORS_UNKNOWN_COUNT_AS_MINOR
    )
    with connection.cursor() as cursor:
        cursor.execute(
            load_sql("consent", "allowances"),
            {
                "shard": bucket_of(relationship.user_id),
                "user": relationship.user_id,
                "relationship": relationship.id,
                "persona": relationship.persona_id,
                "creator": relationship.creator_id,
                "moment": now,
                "is_minor": is_minor,
            },
        )
        rows = cursor.fetchall()
    scopes = frozenset(
        row[0]
        for row in rows
        if row[0] is not None
        and not (is_minor and policies.is_barred_to_minors(row[0]))
    )
    fields: list[ReleasedField] = []
    withheld: set[str] = set()
    for _, key, label, label_zh, in_prompt, value, policy, grant in rows:
        if key is None:
            continue
        if policy is None:
            withheld.add(POLICY_MISSING)
        elif grant is None:
            withheld.add(CONSENT_MISSING)
        else:
            fields.append(
                ReleasedField(key, label, label_zh, value, in_prompt, policy, grant)
            )
    return Allowances(scopes, Releases(tuple(fields), tuple(sorted(withheld))))
