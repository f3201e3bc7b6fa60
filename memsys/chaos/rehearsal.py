"""A whole rehearsal: the model server, servers of its own, the week, the verdict.

Owns what it stands on and that all of it is gone afterwards, also after Ctrl-C.

>>> rehearse(Order(Size(relationships=2, sessions=6)), now=now)  # doctest: +SKIP
"""

import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from threading import Event

from memsys.chaos.moods import MoodyModel
from memsys.chaos.results import Order, Report, Result
from memsys.chaos.week import plan_week
from memsys.running.scratch import ignore_signals, scratch_installation

TIMEOUT_SECONDS = 4
# What counts is said here, whatever the person's own environment says of it. A lease is
# short, so that what a dead worker had is soon taken up; a kill at random is not the
# session's fault, so it takes more of them to give one up.
SETTINGS: Mapping[str, str] = {
    "ALLOWED_HOSTS": "127.0.0.1",
    "EMBEDDING_BACKEND": "hash",
    "SESSION_IDLE_MINUTES": "30",
    "SESSION_LEASE_SECONDS": "15",
    "SESSION_MAX_ATTEMPTS": "5",
    "MINORS_UNKNOWN_COUNT_AS_MINOR": "false",
    "LLM_ALLOWED_HOSTS": "127.0.0.1",
    "LLM_API_KEY": "of-a-model-that-is-none",
    "LLM_MODEL": "moody-1",
    "LLM_TIMEOUT_SECONDS": str(TIMEOUT_SECONDS),
    "LLM_MAX_UNUSABLE": "3",
    "LLM_MIN_CHARS": "12",
    "LLM_RESPONSE_FORMAT": "json_schema",
}


def rehearse(
    order: Order, *, now: datetime, report: Report = lambda standing: None
) -> Result:
    """Rehearse a week that ends now; takes as long as the work does.

    Raises:
        ChaosError, ServiceError: it cannot be carried out.
        KeyboardInterrupt: a signal stopped it; nothing is left.
    """
    os.environ.pop("LLM_API_KEY_FILE", None)
    week = plan_week(order.size, seed=order.seed, now=now)
    model = MoodyModel(
        seed=order.seed,
        failing=order.failing_percent / 100,
        late_seconds=TIMEOUT_SECONDS + 1,
    )
    with model, scratch_installation({**SETTINGS, "LLM_BASE_URL": model.url}):
        # Models can be imported only now that the settings can be read.
        from memsys.chaos.directing import Director

        stop = Event()
        director = Director(order, week, model=model, stop=stop, report=report)
        thread = ThreadPoolExecutor(1)
        try:
            return thread.submit(director.run).result()
        finally:
            ignore_signals()
            stop.set()
            thread.shutdown()
