"""The breaker before the language model: when it is away, nobody asks for a while.

Owns when the next call may be made. Kept in Valkey for all workers at once, and lost
with it without harm: then each worker finds out for itself.

>>> find_pause()  # doctest: +SKIP
"""

import logging
from datetime import timedelta
from typing import cast

from memsys.kernel.valkey import Unreachable, get_valkey

logger = logging.getLogger("memsys.model")

FAILURES, PAUSE, PROBE = (
    "memsys:model:failures", "memsys:model:pause", "memsys:model:probe",
)  # fmt: skip
FAILURES_TO_OPEN = 3
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 15, 300
FORGOTTEN_AFTER_SECONDS = 900

# Counts a failure; from the third on nobody calls for twice as long as before.
# Keys: failures, pause, probe. Arguments: to open, first pause, longest, forgotten after.
# Returns: seconds of the pause, 0 while the breaker stays closed.
_FAIL = """
local failures = redis.call('INCR', KEYS[1])
redis.call('EXPIRE', KEYS[1], ARGV[4])
redis.call('DEL', KEYS[3])
if failures < tonumber(ARGV[1]) then return 0 end
local doublings = math.min(failures - tonumber(ARGV[1]), 20)
local seconds = math.min(tonumber(ARGV[2]) * 2 ^ doublings, tonumber(ARGV[3]))
redis.call('SET', KEYS[2], failures, 'EX', seconds)
return seconds
"""

# Keys and arguments: as above, the last argument is how long a probe may take.
# Returns: seconds to wait; 0 for go ahead.
_ASK = """
local pause = redis.call('TTL', KEYS[2])
if pause > 0 then return pause end
local failures = tonumber(redis.call('GET', KEYS[1]) or '0')
if failures < tonumber(ARGV[1]) then return 0 end
if redis.call('SET', KEYS[3], '1', 'NX', 'EX', ARGV[2]) then return 0 end
return math.max(redis.call('TTL', KEYS[3]), 1)
"""


def find_pause(*, call_seconds: int) -> timedelta | None:
    """Return how long to wait before the next call, or None to make it now.

    After a pause one worker may try, for at most `call_seconds`; the others wait.
    """
    try:
        seconds = get_valkey().eval(
            _ASK, 3, FAILURES, PAUSE, PROBE, FAILURES_TO_OPEN, call_seconds
        )
    except Unreachable:
        logger.warning("breaker.unreachable")
        return None
    return timedelta(seconds=cast(int, seconds)) if seconds else None


def note_failure() -> None:
    """Count a call that did not reach the model; the third opens the breaker."""
    try:
        seconds = get_valkey().eval(
            _FAIL, 3, FAILURES, PAUSE, PROBE,
            FAILURES_TO_OPEN, FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS,
            FORGOTTEN_AFTER_SECONDS,
        )  # fmt: skip
    except Unreachable:
        logger.warning("breaker.unreachable")
        return
    if seconds:
        logger.warning("breaker.open", extra={"seconds": int(seconds)})


def note_answer() -> None:
    """Close the breaker: the model answers, whatever it says."""
    try:
        get_valkey().delete(FAILURES, PAUSE, PROBE)
    except Unreachable:
        logger.warning("breaker.unreachable")
