"""Replays chat logs through the real pipeline: intake, sessions, memories.

Owns the order and the counting. The same services as the API's do the work.

>>> replay(lines, now=now, advance=bar.update)  # doctest: +SKIP
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from consent.gate import check_open
from identity.resolution import Address, resolve
from identity.scopes import job_scope
from identity.types import RelationshipRef
from memories.errors import IntakeConflict
from memories.intake import FilteredMessage, Receipt, receive
from memories.sessions import end_sessions, list_pending
from memories.types import EndReason
from memsys.chat_log import ChatLine

BATCH = 500


@dataclass
class Summary:
    """What a replay did, counted."""

    lines: int = 0
    stored: int = 0
    duplicates: int = 0
    masked: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    sessions: set[UUID] = field(default_factory=set)
    relationships: list[RelationshipRef] = field(default_factory=list)


def replay(
    lines: Iterable[ChatLine], *, now: datetime, advance: Callable[[int], None]
) -> Summary:
    """Store every message in its relationship and end the sessions.

    Relationships are taken one after the other, each in the order of time. The whole
    is read, and every relationship found open, before the first message is stored.

    Raises:
        PersonaNotFound: a persona does not exist; no message was stored.
        GateClosed: a relationship is closed; no message was stored.
        InvalidMessage, InvalidIdentifier: see `ChatLine`; no message was stored.
    """
    by_address: dict[Address, list[ChatLine]] = defaultdict(list)
    for line in lines:
        assert line.filtered
        by_address[line.address].append(line)
    summary = Summary(relationships=[_open(address) for address in by_address])
    for relationship, said in zip(
        summary.relationships, by_address.values(), strict=True
    ):
        said.sort(key=lambda line: line.sent_at)
        _replay_one(relationship, said, summary, now=now, advance=advance)
    return summary


def _open(address: Address) -> RelationshipRef:
    relationship = resolve(address)
    check_open(relationship)
    return relationship


def _replay_one(
    relationship: RelationshipRef,
    said: Sequence[ChatLine],
    summary: Summary,
    *,
    now: datetime,
    advance: Callable[[int], None],
) -> None:
    for start in range(0, len(said), BATCH):
        filtered = [line.filtered for line in said[start : start + BATCH]]
        try:
            receipts = _store(relationship, filtered, now=now)
        except IntakeConflict:
            # A service posts the same messages just now; they are known the next time.
            receipts = _store(relationship, filtered, now=now)
        _count(receipts, filtered, summary)
        advance(len(filtered))
    with job_scope(relationship):
        end_sessions(relationship.id, now=now, reason=EndReason.CALLER)
        # Those of an earlier run that was stopped are in it too.
        summary.sessions |= set(list_pending(relationship.id))


def _store(
    relationship: RelationshipRef, filtered: Sequence[FilteredMessage], *, now: datetime
) -> list[Receipt]:
    with job_scope(relationship):
        return receive(relationship, filtered, now=now)


def _count(
    receipts: Sequence[Receipt], filtered: Sequence[FilteredMessage], summary: Summary
) -> None:
    summary.lines += len(receipts)
    summary.stored += sum(one.outcome == "stored" for one in receipts)
    summary.duplicates += sum(one.outcome == "duplicate" for one in receipts)
    summary.sessions |= {one.session_id for one in receipts if one.session_id}
    for message in filtered:
        for kind, count in message.masked.items():
            summary.masked[kind] += count
