"""Working memory: the last messages of the session that is going on.

Owns the copy of them in Valkey and when it may be used. The tables are the truth: a
reader learns there where the relationship stands (`read_standing`) and takes a copy
only if it was made at that very standing; else it reads the messages themselves and
puts a new copy back. So a copy that is wiped, late or stale costs time and shows
nothing that was erased, and misses no message.

A copy is a hash under its relationship: `version` (of the memory), `session` and
`count` (its messages) are the standing; `turns` holds one JSON line a message, at
least the newest `TURNS`, and `size` says how many. With `version` alone it is a floor,
which an erasure leaves and no older copy can pass.

>>> standing = read_standing(relationship_id, now=now)  # doctest: +SKIP
>>> find(relationship_id, standing) or rebuild(relationship_id).turns  # doctest: +SKIP
"""

import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection

from identity.versions import read_memory_version
from memories.errors import RelationshipMissing
from memsys.kernel.scope import require_scope
from memsys.kernel.sharding.ids import bucket_of
from memsys.kernel.sql import load_sql
from memsys.kernel.valkey import Unreachable, get_valkey

logger = logging.getLogger("memsys.working_memory")

TURNS = 20
MAX_LINES = 60  # of one copy; then it is made anew with the newest `TURNS`
FLOOR_SECONDS = 600  # outlives the longest request
FIELDS = ("version", "session", "count", "turns")

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

# Keep a copy unless one of a newer standing is there.
# Arguments: version, session, count, size, turns, seconds to live.
_KEEP = """
local kept = redis.call('HMGET', KEYS[1], 'version', 'session', 'count')
if kept[1] then
  local ahead = tonumber(kept[1]) - tonumber(ARGV[1])
  if ahead > 0 then return 0 end
  if ahead == 0 and kept[2] == ARGV[2] and tonumber(kept[3]) > tonumber(ARGV[3]) then
    return 0
  end
end
redis.call('HSET', KEYS[1], 'version', ARGV[1], 'session', ARGV[2], 'count', ARGV[3],
           'size', ARGV[4], 'turns', ARGV[5])
redis.call('EXPIRE', KEYS[1], ARGV[6])
return 1
"""

# Append to the copy of a session that had `before` messages. Another one is of no use
# any more, unless it is ahead; what stays of it is the floor.
# Arguments: session, before, after, size, turns, seconds to live, most lines.
_APPEND = """
local kept = redis.call('HMGET', KEYS[1], 'session', 'count', 'size', 'turns')
if not kept[1] then return 0 end
if kept[1] == ARGV[1] then
  if tonumber(kept[2]) >= tonumber(ARGV[3]) then return 0 end
  local size = tonumber(kept[3]) + tonumber(ARGV[4])
  if tonumber(kept[2]) == tonumber(ARGV[2]) and size <= tonumber(ARGV[7]) then
    redis.call('HSET', KEYS[1], 'count', ARGV[3], 'size', size,
               'turns', kept[4] .. ARGV[5])
    redis.call('EXPIRE', KEYS[1], ARGV[6])
    return 1
  end
end
redis.call('HDEL', KEYS[1], 'session', 'count', 'size', 'turns')
return 0
"""

# Leave a floor. Arguments: version, seconds to live.
_FORGET = """
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'version', ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[2])
"""


@dataclass(frozen=True)
class Turn:
    """One message of the session that is going on."""

    id: UUID
    author_kind: str
    text: str
    sent_at: datetime


@dataclass(frozen=True)
class Standing:
    """Where a relationship stands at one moment, its open session if there is one.

    `in_use_since` tells when the user's presence without a pause began; it is told by
    `read_standing` alone.
    """

    memory_version: int
    session: UUID | None = None
    message_count: int = 0
    in_use_since: datetime | None = None


@dataclass(frozen=True)
class WorkingMemory:
    """The last messages of the open session, oldest first, and their standing."""

    standing: Standing
    turns: tuple[Turn, ...]


def key_of(relationship_id: UUID) -> str:
    """Return the key of a relationship's copy."""
    return f"memsys:working:{{{relationship_id}}}"


def read_standing(relationship_id: UUID, *, now: datetime) -> Standing:
    """Return where a relationship stands now. One query.

    Raises:
        RelationshipMissing: there is none.
    """
    idle = timedelta(minutes=settings.SESSION_IDLE_MINUTES)
    rows = _query("read_standing", relationship_id, silent_since=now - idle)
    version, session, count, in_use_since = rows[0]
    return Standing(version, session, count or 0, in_use_since)


def rebuild(relationship_id: UUID) -> WorkingMemory:
    """Return the working memory as the messages tell it, and keep a copy. One query.

    Raises:
        RelationshipMissing: there is no such relationship.
    """
    require_scope(relationship=relationship_id)
    rows = _query("read_turns", relationship_id, limit=TURNS)
    turns = tuple(Turn(*row[3:]) for row in rows if row[3] is not None)
    version, session, count = rows[0][:3]
    found = WorkingMemory(Standing(version, session, count or 0), turns)
    keep(relationship_id, found)
    return found


def ask(pipeline: Any, relationship_id: UUID) -> None:
    """Ask for the copy in a pipeline of Valkey; `read_copy` reads what it answers."""
    pipeline.hmget(key_of(relationship_id), FIELDS)


def read_copy(answer: Any, standing: Standing) -> tuple[Turn, ...] | None:
    """Return the turns of a copy if it was made at this standing, oldest first."""
    expected = [standing.memory_version, standing.session, standing.message_count]
    if not isinstance(answer, list) or answer[3] is None:
        return None
    if answer[:3] != [str(one).encode() for one in expected]:
        return None
    try:
        turns = sorted(
            map(_from_line, answer[3].splitlines()),
            key=lambda turn: (turn.sent_at, turn.id),
        )
    except (ValueError, TypeError):
        logger.warning("working_memory.corrupt")
        return None
    return tuple(turns[-TURNS:])


def keep(relationship_id: UUID, found: WorkingMemory) -> None:
    """Keep a copy of the working memory; without an open session there is none."""
    standing = found.standing
    if standing.session is None:
        return
    turns = _newest(found.turns)
    _run(
        _KEEP,
        relationship_id,
        standing.memory_version,
        str(standing.session),
        standing.message_count,
        len(turns),
        _to_lines(turns),
        _seconds_to_live(),
    )


def append(relationship_id: UUID, standing: Standing, turns: Sequence[Turn]) -> None:
    """Add messages that were just stored; called after the commit.

    `standing` counts them already; its memory version is that from before they were
    stored. One call.
    """
    before = standing.message_count - len(turns)
    if before == 0:
        keep(relationship_id, WorkingMemory(standing, tuple(turns)))
        return
    added = _newest(turns)
    _run(
        _APPEND,
        relationship_id,
        str(standing.session),
        before,
        standing.message_count,
        len(added),
        _to_lines(added),
        _seconds_to_live(),
        MAX_LINES,
    )


def forget(relationship_id: UUID) -> None:
    """Drop the copy after an erasure, and leave a floor that older ones cannot pass."""
    _run(_FORGET, relationship_id, read_memory_version(relationship_id), FLOOR_SECONDS)


def _query(name: str, relationship_id: UUID, **parameters: Any) -> list[Any]:
    parameters |= {
        "relationship": relationship_id,
        "shard": bucket_of(relationship_id),
    }
    with connection.cursor() as cursor:
        cursor.execute(load_sql("memories", name), parameters)
        rows: list[Any] = cursor.fetchall()
    if not rows:
        raise RelationshipMissing("There is no such relationship.")
    return rows


def _newest(turns: Sequence[Turn]) -> list[Turn]:
    return sorted(turns, key=lambda turn: (turn.sent_at, turn.id))[-TURNS:]


def _to_lines(turns: Sequence[Turn]) -> str:
    """Return a line for each turn, each with its end."""
    return "".join(
        json.dumps(
            [
                turn.id.hex,
                turn.author_kind,
                turn.text,
                (turn.sent_at - _EPOCH) // _MICROSECOND,
            ],
            ensure_ascii=False,
        )
        + "\n"
        for turn in turns
    )


def _from_line(line: bytes) -> Turn:
    message, author_kind, text, sent_at = json.loads(line)
    return Turn(
        UUID(message), author_kind, text, _EPOCH + timedelta(microseconds=sent_at)
    )


def _seconds_to_live() -> int:
    """Return how long a session may be silent, but no less than a floor must last."""
    return max(settings.SESSION_IDLE_MINUTES * 60, FLOOR_SECONDS)


def _run(script: str, relationship_id: UUID, *arguments: int | str) -> None:
    try:
        get_valkey().eval(script, 1, key_of(relationship_id), *arguments)
    except Unreachable:
        logger.warning("working_memory.unreachable")
