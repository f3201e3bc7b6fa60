"""Which memories were used in contexts: each use makes a memory last longer.

Owns the way of a use from the request to the row. The request leaves it in this
process; a thread sends what has gathered to a list in Valkey; a job folds the list into
the rows. A use is a hint: what does not fit, or meets a Valkey that is away, is dropped,
and none is counted twice.

>>> note_uses(relationship_id, [memory_id])  # doctest: +SKIP
>>> fold_uses(relationship_id, take_uses()[relationship_id], now=now)  # doctest: +SKIP
1
"""

import atexit
import logging
import os
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from threading import Event, Lock, Thread
from uuid import UUID

from django.db import connection

from identity.versions import bump_memory_version
from memories.decay import BASE_STABILITY_DAYS, IMPORTANCE_GAIN, USE_GAIN
from memories.locks import lock_memories
from memsys.kernel.scope import Purpose, access_scope
from memsys.kernel.sharding.ids import bucket_of
from memsys.kernel.sql import load_sql
from memsys.kernel.valkey import Unreachable, get_valkey

logger = logging.getLogger("memsys.uses")

KEY = "memsys:uses"
MAX_WAITING = 5_000  # contexts in this process
MAX_KEPT = 200_000  # contexts in Valkey, about 30 MB
TAKEN = 5_000  # contexts in one take
FLUSH_SECONDS = 2.0
ID_BYTES = 16


class UseBuffer:
    """The uses that wait in this process; its thread starts with the first one."""

    def __init__(
        self, *, size: int = MAX_WAITING, flush_seconds: float = FLUSH_SECONDS
    ) -> None:
        self._size = size
        self._flush_seconds = flush_seconds
        self._waiting: list[bytes] = []
        self._dropped = 0
        self._lock = Lock()
        self._sending = Lock()
        self._stop = Event()
        self._thread: Thread | None = None

    def note(self, relationship_id: UUID, memories: Sequence[UUID]) -> None:
        """Take the uses of one context; never waits for Valkey."""
        entry = b"".join(one.bytes for one in (relationship_id, *memories))
        with self._lock:
            if len(self._waiting) >= self._size:
                self._dropped += 1
                return
            self._waiting.append(entry)
            if self._thread is None or not self._thread.is_alive():
                self._thread = Thread(target=self._run, name="uses", daemon=True)
                self._thread.start()

    def flush(self) -> int:
        """Send what waits; return how many contexts Valkey took. One call."""
        with self._sending:
            with self._lock:
                sent, self._waiting = self._waiting, []
                dropped, self._dropped = self._dropped, 0
            taken = self._send(sent) if sent else 0
        if lost := len(sent) - taken + dropped:
            logger.warning("uses.dropped", extra={"contexts": lost})
        return taken

    def close(self) -> None:
        """Send what waits and end the thread."""
        self._stop.set()
        self.flush()

    def _send(self, entries: Sequence[bytes]) -> int:
        pipeline = get_valkey().pipeline(transaction=False)
        pipeline.rpush(KEY, *entries)
        pipeline.ltrim(KEY, -MAX_KEPT, -1)
        try:
            pipeline.execute()
        except Unreachable:
            return 0
        return len(entries)

    def _run(self) -> None:
        while not self._stop.wait(self._flush_seconds):
            self.flush()


@cache
def get_buffer() -> UseBuffer:
    """Return the buffer of this process, which is emptied when the process ends."""
    buffer = UseBuffer()
    atexit.register(buffer.close)
    return buffer


# A child has neither the thread nor the right to what its parent has noted.
os.register_at_fork(after_in_child=get_buffer.cache_clear)


def note_uses(relationship_id: UUID, memories: Sequence[UUID]) -> None:
    """Note that memories were used in a context of now."""
    if memories:
        get_buffer().note(relationship_id, memories)


def take_uses(limit: int = TAKEN) -> dict[UUID, Counter[UUID]]:
    """Take uses off the list: how often each memory of each relationship. One call.

    Empty when none wait, or Valkey is away.
    """
    uses: defaultdict[UUID, Counter[UUID]] = defaultdict(Counter)
    try:
        entries: list[bytes] = get_valkey().lpop(KEY, limit) or []
    except Unreachable:
        logger.warning("uses.unreachable")
        return {}
    for entry in entries:
        relationship, *memories = (
            UUID(bytes=entry[start : start + ID_BYTES])
            for start in range(0, len(entry), ID_BYTES)
        )
        uses[relationship].update(memories)
    return dict(uses)


def fold_uses(relationship_id: UUID, uses: Mapping[UUID, int], *, now: datetime) -> int:
    """Add uses to the memories of a relationship; return how many there still are.

    Raises the version once: recall reads from the stability what is forgotten.
    """
    with access_scope(Purpose.JOB, relationship=relationship_id):
        lock_memories(relationship_id, now=now)
        with connection.cursor() as cursor:
            cursor.execute(
                load_sql("memories", "strengthen"),
                {
                    "relationship": relationship_id,
                    "shard": bucket_of(relationship_id),
                    "lineages": list(uses),
                    "counts": list(uses.values()),
                    "base_days": BASE_STABILITY_DAYS,
                    "importance_gain": IMPORTANCE_GAIN,
                    "use_gain": USE_GAIN,
                    "now": now,
                },
            )
            found: int = cursor.rowcount
        if found:
            bump_memory_version(relationship_id)
    return found
