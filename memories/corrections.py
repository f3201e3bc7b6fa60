"""What a person puts right: read again by the rules, in the slot where it belongs.

Owns what a corrected memory says and when it is true. What it said before stays in the
version that ended. Until the user says something newer it stands; see `mistakes` and
`slot_lines` for what cannot change it.

>>> read_again("在上海上班", row, time_zone="Asia/Shanghai").value  # doctest: +SKIP
'上海'
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import uuid4

from identity.types import RelationshipRef
from memories.extraction.rules import extract
from memories.extraction.types import CandidateFact, SessionMessage
from memories.lines import load_lines, slot_of, to_period
from memories.models import Memory
from memories.slot_lines import Period, join, withdraw
from memories.slots.senses import family_of, own_key, sense
from memories.statements import PreparedStatement
from memories.types import SLOTTED_KINDS, MemoryStatus
from memories.versions import close_version, status_of, to_column
from memsys.kernel.sharding.ids import bucket_of, new_id

MAX_VALUE_CHARS = 500


@dataclass(frozen=True)
class Reading:
    """What a corrected text says; polarity 0 and its own words where no rule reads it."""

    dimension: str
    key: str
    value: str
    polarity: int
    occurred_at: datetime
    due_at: datetime | None
    due_until: datetime | None


def correct(
    relationship: RelationshipRef,
    row: Memory,
    statement: PreparedStatement,
    *,
    author: str,
    now: datetime,
) -> Memory:
    """Record what a memory should say, as a version of it; return its row.

    It moves to another slot when that is what the new words are about.
    """
    told = read_again(statement.text, row, time_zone=relationship.time_zone)
    # A sender's clock may run ahead: the evidence may be dated after now.
    settled_until = max([now, *row.evidence_at])
    right = replace(
        to_period(row),
        value=sense(kind=row.kind, key=told.key, value=told.value),
        polarity=told.polarity,
        settled_until=settled_until,
    )
    slot = (row.subject, told.dimension, told.key)
    if row.kind not in SLOTTED_KINDS or slot == slot_of(row):
        close_version(row.pk, now=now)
    else:
        lines = load_lines(relationship.id, keys={row.key, told.key})
        left, joined = lines[slot_of(row)], lines[slot]
        left.apply(withdraw(left.periods, row.lineage), now=now)
        placement = join(joined.periods, right, at=settled_until)
        joined.apply(placement, now=now)
        assert placement.new is not None
        right = placement.new
    return _record(relationship, row, _Corrected(told, right, statement, author), now)


def read_again(text: str, row: Memory, *, time_zone: str) -> Reading:
    """Read a corrected text as if it had been said in place of the mistaken one.

    As the user's own words, or the persona's where the memory is about it. Only what
    is of the same kind and family of slots counts, and only if it is one thing.
    """
    moment = row.valid_from
    told = _choose(_extract(text, row, moment, time_zone=time_zone), row)
    if told is None:
        value = text[:MAX_VALUE_CHARS]
        moments = row.occurred_at, row.due_at, row.due_until
        return Reading(row.dimension, row.key, value, 0, *moments)
    is_dated = told.occurred_at != moment
    return Reading(
        dimension=told.dimension,
        key=own_key(kind=told.kind, key=told.key[:200], value=told.value),
        value=told.value[:MAX_VALUE_CHARS],
        polarity=told.polarity,
        occurred_at=told.occurred_at if is_dated else row.occurred_at,
        due_at=told.due_at,
        due_until=told.due_until,
    )


def _extract(
    text: str, row: Memory, moment: datetime, *, time_zone: str
) -> list[CandidateFact]:
    author = "user" if row.subject == "user" else "ai"
    said = SessionMessage(uuid4(), author, text, moment)
    return extract([said], time_zone=time_zone)


def _choose(facts: Sequence[CandidateFact], row: Memory) -> CandidateFact | None:
    """Return what is said in the slot of the row, or the one thing of its family."""
    family = family_of(kind=row.kind, key=row.key)
    near = [
        fact
        for fact in facts
        if (fact.kind, fact.subject) == (row.kind, row.subject)
        and family_of(kind=fact.kind, key=fact.key) == family
    ]
    same = [fact for fact in near if _slot_of_fact(fact) == slot_of(row)]
    if same:
        return same[-1]
    return near[0] if len(near) == 1 else None


def _slot_of_fact(fact: CandidateFact) -> tuple[str, str, str]:
    key = own_key(kind=fact.kind, key=fact.key, value=fact.value)
    return fact.subject, fact.dimension, key


@dataclass(frozen=True)
class _Corrected:
    told: Reading
    period: Period
    statement: PreparedStatement
    author: str


def _record(
    relationship: RelationshipRef, row: Memory, new: _Corrected, now: datetime
) -> Memory:
    period, told = new.period, new.told
    row.pk = new_id(bucket=bucket_of(relationship.id))
    row._state.adding = True
    row.dimension, row.key = told.dimension, told.key
    row.value, row.polarity = told.value, told.polarity
    row.occurred_at = told.occurred_at
    row.due_at, row.due_until = told.due_at, told.due_until
    if (row.valid_from, row.valid_to) != (period.valid_from, period.valid_to):
        row.status = _status(row, period)
    row.valid_from, row.valid_to = period.valid_from, period.valid_to
    row.superseded_by = period.superseded_by
    row.evidence = [message for _, message in period.said]
    row.evidence_at = [at for at, _ in period.said]
    row.text, row.tokens = new.statement.text, list(new.statement.tokens)
    row.embedding = to_column(relationship.id, new.statement, now=now)
    row.embedding_model = new.statement.embedding_model
    row.recorded_at, row.recorded_to = now, None
    row.corrected_at, row.author = period.settled_until, new.author
    row.save(force_insert=True)
    return row


def _status(row: Memory, period: Period) -> str:
    is_restricted = row.status == MemoryStatus.RESTRICTED
    return row.status if is_restricted else status_of(period)
