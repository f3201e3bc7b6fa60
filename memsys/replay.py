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
from identity.types import RelationshipRef
from memories.intake import FilteredMessage, filter_messages, receive
from memories.sessions import end_sessions
from memories.types import EndReason
from memsys.chat_log import ChatLine
from memsys.kernel.scope import Purpose, access_scope

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

    Relationships are taken one after the other, each in the order of time.
    """
    summary = Summary()
    by_address: dict[Address, list[ChatLine]] = defaultdict(list)
    for line in lines:
        by_address[line.address].append(line)
    for address, said in by_address.items():
        relationship = resolve(address)
        check_open(relationship)
        summary.relationships.append(relationship)
        said.sort(key=lambda line: line.sent_at)
        _replay_one(relationship, said, summary, now=now, advance=advance)
    return summary


def _replay_one(
    relationship: RelationshipRef,
    said: Sequence[ChatLine],
    summary: Summary,
    *,
    now: datetime,
    advance: Callable[[int], None],
) -> None:
    for start in range(0, len(said), BATCH):
        part = said[start : start + BATCH]
        filtered = filter_messages([line.to_message() for line in part])
        _store(relationship, filtered, summary, now=now)
        advance(len(part))
    with access_scope(Purpose.JOB, relationship=relationship.id):
        end_sessions(relationship.id, now=now, reason=EndReason.CALLER)


def _store(
    relationship: RelationshipRef,
    filtered: Sequence[FilteredMessage],
    summary: Summary,
    *,
    now: datetime,
) -> None:
    with access_scope(Purpose.JOB, relationship=relationship.id):
        receipts = receive(relationship, filtered, now=now)
    summary.lines += len(receipts)
    summary.stored += sum(one.outcome == "stored" for one in receipts)
    summary.duplicates += sum(one.outcome == "duplicate" for one in receipts)
    summary.sessions |= {one.session_id for one in receipts if one.session_id}
    for message in filtered:
        for kind, count in message.masked.items():
            summary.masked[kind] += count
