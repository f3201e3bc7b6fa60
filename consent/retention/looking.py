"""One look at one relationship: what is kept no longer goes, what is kept stays.

Owns the order, in one transaction: the user is locked, holds and open requests
are asked for, each rule deletes, the idle one is told, and the next look is noted. A
look that is killed leaves everything as it was; made twice, the second finds nothing.

>>> look(relationship_id, night, now=now).counts  # doctest: +SKIP
{'raw_message': 12}
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from consent import erasures
from consent.models import RetentionRun
from consent.retention.classes import read_days
from consent.retention.idling import Idleness, judge
from consent.retention.keepers import HOLD, Keepers, find_keepers, lock_user
from consent.retention.nights import add_counts
from consent.retention.rules import Found, add_up, apply_rules
from identity.models import Relationship
from identity.resolution import get_relationship
from identity.retention import find_due, is_first_of_user, settle_retention
from identity.scopes import job_scope
from identity.types import RelationshipRef
from memsys.kernel.audit.chain import Deed, deed_chain, record
from memsys.kernel.expiring import Keeping
from memsys.kernel.outbox import emit

logger = logging.getLogger("memsys.retention")

BY = "system:retention"
REASON = "retention"
INACTIVE_EVENT = "relationship.inactive"
IDLE, NOTICE = "inactive_relationship", "inactive_notice"
LIMIT = 5000


@dataclass(frozen=True)
class Looked:
    """What a look did, or would do: rows gone and kept by class, and why they are kept.

    `is_told`: the user is told that it lies idle; `is_over`: all of it is erased.
    """

    counts: Mapping[str, int] = field(default_factory=dict)
    kept: Mapping[str, int] = field(default_factory=dict)
    reason_code: str = ""
    is_told: bool = False
    is_over: bool = False


def look(
    relationship_id: UUID, night: RetentionRun, *, now: datetime, limit: int = LIMIT
) -> Looked | None:
    """Delete what a relationship and its user keep too long; None when it is not due.

    At most `limit` rows of a kind go at once; then it stays due.

    Raises:
        RelationshipNotFound: there is none.
    """
    relationship = get_relationship(relationship_id)
    keeping = _keeping(relationship, now=now, limit=limit)
    with job_scope(relationship):
        # Of two looks at a time the second waits here, and finds nothing due.
        lock_user(relationship)
        row = find_due(relationship_id, now=night.started_at)
        if row is None:
            return None
        keepers = find_keepers(relationship)
        looked, idle, next_at = _judge(keeping, row, keepers)
        if looked.is_told:
            _tell(relationship, idle, now=now)
        _note(relationship, keepers, looked)
        add_counts(night, looked.counts, looked.kept)
        settle_retention(row, at=next_at, noticed_at=idle.noticed_at)
    if looked.is_over:
        _erase(relationship, now=now)
    return looked


def foresee(relationship_id: UUID, *, now: datetime) -> Looked:
    """Return what a look at `now` would do; nothing is changed.

    Raises:
        RelationshipNotFound: there is none.
    """
    relationship = get_relationship(relationship_id)
    keeping = replace(_keeping(relationship, now=now), is_dry=True)
    with job_scope(relationship):
        row = Relationship.objects.get(pk=relationship_id)
        looked, _idle, _next = _judge(keeping, row, find_keepers(relationship))
    return looked


def _keeping(
    relationship: RelationshipRef, *, now: datetime, limit: int = LIMIT
) -> Keeping:
    return Keeping(
        user_id=relationship.user_id,
        relationship_id=relationship.id,
        days=read_days(),
        now=now,
        limit=limit,
    )


def _judge(
    keeping: Keeping, row: Relationship, keepers: Keepers
) -> tuple[Looked, Idleness, datetime]:
    """Let the rules do their part; return what came of it, and when to look next."""
    gone, kept = apply_rules(
        keeping,
        is_kept=keepers.is_kept,
        is_user_kept=keepers.is_user_kept,
        is_first=is_first_of_user(row),
    )
    idle = Idleness(noticed_at=row.inactive_noticed_at)
    if not keepers.is_kept:
        idle = judge(
            active_at=gone.active_at,
            noticed_at=row.inactive_noticed_at,
            now=keeping.now,
            idle_days=keeping.days[IDLE],
            notice_days=keeping.days[NOTICE],
        )
    held = add_up([kept.counts, kept.kept, gone.kept])
    looked = Looked(
        counts=gone.counts,
        kept=held,
        reason_code=_why(keepers, gone) if held else "",
        is_told=idle.is_told,
        is_over=idle.is_over,
    )
    return looked, idle, _next_look(keeping, row, gone, idle)


def _why(keepers: Keepers, gone: Found) -> str:
    # What is kept row by row is kept by holds alone.
    return HOLD if gone.kept else keepers.reason_code


def _next_look(
    keeping: Keeping, row: Relationship, gone: Found, idle: Idleness
) -> datetime:
    """Return when to look again: at the first lapse, and after the shortest time.

    What is stored after this look lapses only after that.
    """
    if gone.has_more:
        return row.retention_at or keeping.now
    shortest = min(number for number in keeping.days.values() if number > 0)
    latest = keeping.now + timedelta(days=shortest)
    times = (gone.next_at, idle.next_at, latest)
    return min(one for one in times if one is not None)


def _tell(relationship: RelationshipRef, idle: Idleness, *, now: datetime) -> None:
    """Have the platform tell the user that the relationship lies idle, and until when."""
    assert idle.next_at is not None
    emit(
        INACTIVE_EVENT,
        user_id=relationship.user_id,
        relationship_id=relationship.id,
        data={"erased_from": idle.next_at.isoformat(timespec="seconds")},
    )
    _record(relationship, "relationship.inactive_noticed", REASON, {})


def _note(relationship: RelationshipRef, keepers: Keepers, looked: Looked) -> None:
    """Record what went, and that something was kept and why."""
    if looked.counts:
        gone: dict[str, Any] = {"counts": dict(looked.counts)}
        _record(relationship, "retention.deleted", REASON, gone)
    if looked.kept:
        told: dict[str, Any] = {
            "counts": dict(looked.kept),
            "holds": [str(one) for one in {*keepers.holds, *keepers.user_holds}],
            "requests": [str(one) for one in keepers.user_requests],
        }
        _record(relationship, "retention.refused", looked.reason_code, told)
        logger.info(
            "retention.refused",
            extra={
                "relationship": str(relationship.id),
                "reason": looked.reason_code,
                "rows": sum(looked.kept.values()),
            },
        )


def _record(
    relationship: RelationshipRef, action: str, reason_code: str, told: dict[str, Any]
) -> None:
    record(
        Deed(
            chain=deed_chain(relationship.user_id),
            action=action,
            actor=BY,
            object_ref=f"relationship:{relationship.id}",
            reason_code=reason_code,
            subject=relationship.user_id,
            details=told,
        )
    )


def _erase(relationship: RelationshipRef, *, now: datetime) -> None:
    """Have all of an idle relationship erased; asked for again, it is the same one."""
    erasures.request(
        erasures.Target(relationship.user_id, relationship.id),
        by=BY,
        reason_code=REASON,
        at_once=True,
        now=now,
    )
