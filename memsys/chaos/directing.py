"""Runs the week: starts the programs, sends, strikes, waits, and looks at the end.

Owns the order of things on a scratch installation that stands. It is run in a thread of
its own, which no signal interrupts in the middle of a start; `stop` ends it soon.

>>> Director(order, week, model=model, stop=stop, report=print).run()  # doctest: +SKIP
"""

import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from datetime import timedelta
from pathlib import Path
from threading import Event

import redis
from django.conf import settings
from django.db import connections
from django.db.models import Count
from django.utils import timezone
from kombu.exceptions import OperationalError

from memories.models import ChatSession
from memories.types import SessionStatus
from memsys.api.keys import KeyForm, make_key
from memsys.api.scopes import Scope
from memsys.celery import app
from memsys.chaos.blows import Blow, PlannedBlow, plan_blows
from memsys.chaos.caller import Caller
from memsys.chaos.counting import Sent, Served, count
from memsys.chaos.errors import Interrupted, ProgramFailed
from memsys.chaos.findings import read_findings
from memsys.chaos.moods import MoodyModel, chance_of_fallback
from memsys.chaos.programs import (
    HOST,
    WORKER_PROCESSES,
    count_errors,
    find_free_port,
    kill_and_restart,
    make_web,
    make_worker,
    wait_for_web,
)
from memsys.chaos.promises import Blows, judge
from memsys.chaos.results import Order, Report, Result, Standing
from memsys.chaos.week import PERSONAS, PlannedRelationship

SENDERS = 3
SWEEP_SECONDS = 10.0  # beat sweeps each thirty
LOOK_SECONDS = 0.2
# The longest wait before a session's next call is ten minutes.
PATIENCE_SECONDS = 660.0
MOST_WORKER_ENDS = 5
_SCOPES = (
    Scope.PERSONA_WRITE,
    Scope.RELATIONSHIP_ROUTE,
    Scope.MESSAGE_WRITE,
    Scope.SESSION_WRITE,
)


class Director:
    """One rehearsal on the installation that the settings name."""

    def __init__(
        self,
        order: Order,
        week: Sequence[PlannedRelationship],
        *,
        model: MoodyModel,
        stop: Event,
        report: Report,
    ) -> None:
        self._order = order
        self._week = week
        self._model = model
        self._stop = stop
        self._report = report
        folder = Path(settings.STATIC_ROOT).parent
        self._port = find_free_port()
        self._web = make_web(folder, port=self._port)
        self._worker = make_worker(folder)
        self._blows = plan_blows(kills=order.kills, wipes=order.wipes, seed=order.seed)
        self._struck: Counter[Blow] = Counter()
        self._worker_ends = 0
        self._sent: list[Future[str]] = []

    def run(self) -> Result:
        """Rehearse, and end every program that was started, whatever happens.

        Raises:
            ChaosError: it cannot be carried out, or was stopped.
            ServiceError: a program cannot be started.
        """
        begun = time.monotonic()
        with ExitStack() as stack:
            stack.callback(connections.close_all)
            stack.callback(self._worker.kill)
            stack.callback(self._web.kill)
            caller = self._start()
            senders = stack.enter_context(ThreadPoolExecutor(SENDERS))
            # Called before the pool's own end, which waits for what is being sent.
            stack.callback(senders.shutdown, wait=False, cancel_futures=True)
            stack.callback(self._stop.set)
            self._sent = [
                senders.submit(caller.send, one, cancelled=self._stop.is_set)
                for one in self._week
            ]
            self._work(caller)
            self._worker.stop()
            self._web.stop()
            return self._look(caller, seconds=time.monotonic() - begun)

    def _start(self) -> Caller:
        now = timezone.now()
        form = KeyForm("rehearsal", _SCOPES, expires_at=now + timedelta(days=1))
        key = make_key(form, by="command:chaos", now=now)
        self._web.start()
        self._worker.start()
        wait_for_web(self._web, port=self._port, cancelled=self._stop.is_set)
        self._check_stop()
        caller = Caller(address=(HOST, self._port), key=key.secret)
        for persona in PERSONAS:
            caller.put_persona(persona)
        return caller

    def _work(self, caller: Caller) -> None:
        """Strike and sweep until all is sent and done, or nothing moves any more."""
        waiting = list(self._blows)
        done, moved_at, swept_at = 0, time.monotonic(), 0.0
        while waiting or not self._is_over():
            self._check_stop()
            self._raise_for_sender()
            self._watch_worker()
            now_done = self._count_done()
            if now_done > done:
                done, moved_at = now_done, time.monotonic()
            elif time.monotonic() > moved_at + PATIENCE_SECONDS:
                return
            if waiting and done >= waiting[0].share * self._order.size.sessions:
                self._strike(waiting.pop(0))
            if time.monotonic() > swept_at + SWEEP_SECONDS:
                _sweep()
                swept_at = time.monotonic()
            self._tell(caller, done)
            self._stop.wait(LOOK_SECONDS)
        self._tell(caller, self._count_done())

    def _check_stop(self) -> None:
        if self._stop.is_set():
            raise Interrupted("Stopped.")

    def _raise_for_sender(self) -> None:
        for one in self._sent:
            if one.done():
                one.result()

    def _watch_worker(self) -> None:
        """Start a worker anew that ended by itself, as `up` does, a few times."""
        if self._worker.is_running():
            return
        self._worker_ends += 1
        if self._worker_ends > MOST_WORKER_ENDS:
            log = self._worker.read_log()
            raise ProgramFailed(f"The worker ends again and again.\n{log}")
        self._worker.start()

    def _count_by_status(self) -> dict[str, int]:
        rows = ChatSession.objects.values_list("status").annotate(Count("id"))
        return dict(rows.order_by("status"))

    def _count_done(self) -> int:
        return self._count_by_status().get(SessionStatus.DONE, 0)

    def _is_over(self) -> bool:
        if not all(one.done() for one in self._sent):
            return False
        counts = self._count_by_status()
        return not any(
            counts.get(status) for status in (SessionStatus.OPEN, SessionStatus.PENDING)
        )

    def _strike(self, blow: PlannedBlow) -> None:
        self._stop.wait(blow.delay_seconds)
        self._check_stop()
        if blow.kind is Blow.KILL:
            kill_and_restart(self._worker)
        else:
            redis.Redis.from_url(settings.VALKEY_URL).flushall()
        self._struck[blow.kind] += 1

    def _tell(self, caller: Caller, done: int) -> None:
        self._report(
            Standing(
                messages=len(caller.taken),
                sessions_done=done,
                sessions=self._order.size.sessions,
                kills=self._struck[Blow.KILL],
                wipes=self._struck[Blow.WIPE],
            )
        )

    def _look(self, caller: Caller, *, seconds: float) -> Result:
        most_unusable = settings.LLM_MAX_UNUSABLE
        weeks = {
            one.result(): week for one, week in zip(self._sent, self._week, strict=True)
        }
        served = Served(self._model.answered_by_label, self._model.unusable_by_label)
        counts = count(
            Sent(weeks, frozenset(caller.taken)),
            served,
            read_findings(connections["maintenance"]),
            most_unusable=most_unusable,
        )
        blows = Blows(
            kills=self._struck[Blow.KILL],
            kills_asked=self._order.kills,
            wipes=self._struck[Blow.WIPE],
            wipes_asked=self._order.wipes,
            processes=WORKER_PROCESSES,
        )
        chance = chance_of_fallback(
            self._order.failing_percent / 100, most_unusable=most_unusable
        )
        return Result(
            order=self._order,
            counts=counts,
            blows=blows,
            promises=judge(counts, blows),
            fallbacks_by_chance=chance * counts.needing,
            troubles={k.value: n for k, n in self._model.troubles.items()},
            errors=sum(
                (count_errors(one.log_path) for one in (self._web, self._worker)),
                Counter[str](),
            ),
            calls=caller.calls,
            calls_again=caller.calls_again,
            worker_ends=self._worker_ends,
            seconds=seconds,
        )


def _sweep() -> None:
    """Ask for the sweep through the broker, as beat does."""
    with suppress(OperationalError):  # the next one will get through
        app.send_task("memories.sweep_sessions", expires=SWEEP_SECONDS, retry=False)
