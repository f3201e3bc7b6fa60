"""Owns keeping services up: start in order, restart what dies, stop in reverse.

Which services there are, and what they need, is decided in `running.startup`.

    supervisor = Supervisor(signals=StopSignals(), say=print)
    supervisor.add([postgres, valkey])
    supervisor.watch()
    supervisor.stop()
"""

import signal
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from types import FrameType

from memsys.running.processes import ProcessIdentity
from memsys.running.service import Service, ServiceError

_POLL_SECONDS = 0.3
_STEADY_SECONDS = 60.0


class StopSignals:
    """Notes the signals that ask us to stop; the second of one kind asks to kill."""

    def __init__(self) -> None:
        self._counts: Counter[int] = Counter()

    def install(self) -> None:
        signal.signal(signal.SIGINT, self._note)
        signal.signal(signal.SIGTERM, self._note)
        # A program that was started under nohup outlives its terminal.
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
            signal.signal(signal.SIGHUP, self._note)

    def is_stop_asked(self) -> bool:
        return bool(self._counts)

    def is_kill_asked(self) -> bool:
        return max(self._counts.values(), default=0) > 1

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._counts[number] += 1


@dataclass
class _Watch:
    service: Service
    failures: int = 0
    started_at: float = 0.0
    next_start_at: float | None = None


class Supervisor:
    """Keeps groups of services running until a signal asks to stop."""

    def __init__(
        self,
        *,
        signals: StopSignals,
        say: Callable[[str], None],
        on_change: Callable[[], None] = lambda: None,
        pauses_seconds: Sequence[float] = (1, 2, 5, 10, 30),
    ) -> None:
        self._signals = signals
        self._say = say
        self._on_change = on_change
        self._pauses_seconds = pauses_seconds
        self._groups: list[list[_Watch]] = []

    def add(self, services: Sequence[Service]) -> None:
        """Start services one after the other and keep them from then on.

        Raises:
            ServiceError: one of them does not start.
        """
        group: list[_Watch] = []
        self._groups.append(group)
        for service in services:
            # It is kept before it is started, so that stop() reaches it even if
            # it is still half started.
            group.append(_Watch(service, started_at=time.monotonic()))
            service.start(cancelled=self._signals.is_stop_asked)
            self._on_change()

    def list_identities(self) -> dict[str, ProcessIdentity]:
        """List the process of each service that runs, by its name."""
        watches = [watch for group in self._groups for watch in group]
        found = {w.service.name: w.service.identity for w in watches}
        return {name: identity for name, identity in found.items() if identity}

    def watch(self) -> None:
        """Restart what ends by itself, until a signal asks to stop."""
        while not self._signals.is_stop_asked():
            for group in self._groups:
                for watch in group:
                    self._check(watch, now=time.monotonic())
            time.sleep(_POLL_SECONDS)

    def stop(self) -> None:
        """Stop all services, the last group first, the members of one at once."""
        for group in reversed(self._groups):
            services = [watch.service for watch in group]
            with ThreadPoolExecutor(max_workers=len(services) or 1) as pool:
                stops = {pool.submit(s.stop): s for s in services}
                self._wait_or_kill(stops)
        self._groups = []

    def _check(self, watch: _Watch, *, now: float) -> None:
        service = watch.service
        if watch.next_start_at is None:
            if service.is_running():
                if now - watch.started_at > _STEADY_SECONDS:
                    watch.failures = 0
                return
            self._plan_restart(watch, now=now, reason=service.explain_end())
        elif now >= watch.next_start_at and not self._signals.is_stop_asked():
            self._restart(watch)

    def _plan_restart(self, watch: _Watch, *, now: float, reason: str) -> None:
        last = len(self._pauses_seconds) - 1
        pause = self._pauses_seconds[min(watch.failures, last)]
        watch.failures += 1
        watch.next_start_at = now + pause
        self._say(
            f"{watch.service.name} has ended ({reason}); next start in {pause:g} s"
        )

    def _restart(self, watch: _Watch) -> None:
        try:
            watch.service.start(cancelled=self._signals.is_stop_asked)
        except ServiceError as error:
            self._plan_restart(watch, now=time.monotonic(), reason=str(error))
            return
        watch.started_at = time.monotonic()
        watch.next_start_at = None
        self._on_change()
        self._say(f"{watch.service.name} is started again")

    def _wait_or_kill(self, stops: dict[Future[None], Service]) -> None:
        is_killed = False
        while wait(stops, timeout=0.1).not_done:
            if self._signals.is_kill_asked() and not is_killed:
                is_killed = True
                for service in stops.values():
                    service.kill()
        for stop, service in stops.items():
            if error := stop.exception():
                self._say(f"{service.name} may still run: {error}")
