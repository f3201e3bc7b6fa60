"""Owns what `up` is made of: its environment, its jobs and its programs.

What must hold before is in `memsys.running.checks`; how services are kept running
is in `memsys.supervisor`.

    run(Options(base_dir=Path("."), folder=Path(".memsys"), port=8000), say=print)
"""

import os
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from memsys import runfile
from memsys.embedded import SUPERUSER, EmbeddedPostgres, EmbeddedValkey
from memsys.running import checks
from memsys.running.processes import LoggedProcess, identify
from memsys.running.service import Program, Service, ServiceError
from memsys.running.welcome import describe
from memsys.supervisor import StopSignals, Supervisor

_READY_SECONDS = 90.0
_GIVEN = (
    "DATABASE_URL",
    "DATABASE_OWNER_URL",
    "DATABASE_ADMIN_URL",
    "DATABASE_MAINTENANCE_URL",
    "VALKEY_URL",
)
# Vector arithmetic on many small inputs: more threads than one only wait for
# each other on a busy machine.
_DEFAULTS = {"OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"}


@dataclass(frozen=True)
class Options:
    """What a person chose; `demo` None means: for the bundled database only."""

    base_dir: Path
    folder: Path
    port: int
    demo: bool | None = None

    @property
    def base_url(self) -> str:
        return f"http://{checks.HOST}:{self.port}"


def run(options: Options, *, say: Callable[[str], None]) -> None:
    """Start everything, keep it running, and stop it when a signal asks.

    Raises:
        StartupRefused: nothing was started, for a reason that is told.
        ServiceError: a part did not start; the others were stopped again.
    """
    checks.prepare_folder(options.folder)
    with checks.hold_folder(options.folder):
        was_killed = checks.stop_leftovers(options.folder, say=say)
        patience = checks.PORT_PATIENCE_SECONDS if was_killed else 0
        checks.check_port(options.port, patience_seconds=patience)
        up = _Up(options, say=say)
        up.signals.install()
        try:
            up.bring_up()
            up.supervisor.watch()
        except ServiceError:
            if not up.signals.is_stop_asked():
                raise
        finally:
            say("stopping")
            up.supervisor.stop()
            runfile.remove_run(options.folder)
            say("stopped")


class _Up:
    """One run: what it is made of, in the order in which it starts."""

    def __init__(self, options: Options, *, say: Callable[[str], None]) -> None:
        self.options = options
        self.signals = StopSignals()
        self.supervisor = Supervisor(
            signals=self.signals, say=say, on_change=self.note_run
        )
        self._say = say
        self._postgres, self._valkey = _choose_servers(options.folder)
        self._environment = make_environment(options, self._postgres, self._valkey)

    def bring_up(self) -> None:
        self.note_run()
        servers: list[Service] = [s for s in (self._postgres, self._valkey) if s]
        if servers:
            self._say("starting " + " and ".join(server.name for server in servers))
        self.supervisor.add(servers)
        self._run_jobs()
        self._say("starting web, worker and beat")
        programs = self._list_programs()
        self.supervisor.add(programs)
        if self._is_ready(programs):
            options = self.options
            self._say(describe(base_url=options.base_url, folder=options.folder))

    def note_run(self) -> None:
        supervisor = identify(os.getpid())
        assert supervisor is not None
        run = runfile.Run(
            supervisor=supervisor,
            base_url=self.options.base_url,
            environment=self._environment,
            services=self.supervisor.list_identities(),
        )
        runfile.write_run(self.options.folder, run)

    def _run_jobs(self) -> None:
        known = self._environment
        if "DATABASE_ADMIN_URL" in known or "DATABASE_ADMIN_URL_FILE" in known:
            self._run_job("prepare_database")
        else:
            self._say("DATABASE_ADMIN_URL is not set: the database is not prepared")
        if "DATABASE_OWNER_URL" in known or "DATABASE_OWNER_URL_FILE" in known:
            self._run_job("migrate", "--database", "owner", "--no-input")
        else:
            self._say("DATABASE_OWNER_URL is not set: migrations are not run")
        is_wanted = self.options.demo
        if is_wanted or (is_wanted is None and self._postgres):
            self._run_job("load_demo")

    def _run_job(self, command: str, *arguments: str) -> None:
        self._say(f"running {command}")
        process = LoggedProcess(log_path=self._log_path(command))
        process.spawn(
            [sys.executable, "manage.py", command, *arguments],
            folder=self.options.base_dir,
            environment=self._list_environment(command),
        )
        while process.is_running():
            if self.signals.is_stop_asked():
                process.stop(((signal.SIGTERM, 5.0),))
                raise ServiceError(f"stopped during {command}")
            time.sleep(0.05)
        if process.exit_code:
            hint = " Without demo data: --no-demo." if command == "load_demo" else ""
            raise _fail(f"{command} failed.{hint}", process)

    def _list_programs(self) -> list[Program]:
        web = [
            "gunicorn", "memsys.wsgi:application",
            "--bind", f"{checks.HOST}:{self.options.port}",
            "--worker-class", "gthread", "--workers", "2", "--threads", "4",
            "--timeout", "60", "--graceful-timeout", "5", "--no-control-socket",
        ]  # fmt: skip
        celery = ["celery", "-A", "memsys.celery"]
        worker = [
            *celery, "worker", "--concurrency", "2", "--loglevel", "INFO",
            "--without-gossip", "--without-mingle",
        ]  # fmt: skip
        beat = [*celery, "beat", "--loglevel", "INFO", "--pidfile", ""]
        commands = {"web": web, "worker": worker, "beat": beat}
        return [self._make_program(name, commands[name]) for name in commands]

    def _make_program(self, name: str, module: Sequence[str]) -> Program:
        return Program(
            name=name,
            command=[sys.executable, "-m", *module],
            folder=self.options.base_dir,
            environment=self._list_environment(name),
            log_path=self._log_path(name),
        )

    def _is_ready(self, programs: Sequence[Program]) -> bool:
        """Wait for the web's first answer; False when we are asked to stop."""
        deadline = time.monotonic() + _READY_SECONDS
        while not self.signals.is_stop_asked():
            for program in programs:
                if not program.is_running() or time.monotonic() > deadline:
                    raise _fail(f"{program.name} does not start.", program)
            if _answers(self.options.port):
                return True
            time.sleep(0.1)
        return False

    def _list_environment(self, command: str) -> dict[str, str]:
        inherited = {
            name: value
            for name, value in os.environ.items()
            if name.removesuffix("_FILE") not in _GIVEN
        }
        both = {**_DEFAULTS, **inherited, **self._environment}
        return runfile.limit_rights(both, command=command)

    def _log_path(self, name: str) -> Path:
        return self.options.folder / "logs" / f"{name}.log"


def make_environment(
    options: Options,
    postgres: EmbeddedPostgres | None,
    valkey: EmbeddedValkey | None,
) -> dict[str, str]:
    """Return what the children have beside our own environment.

    It is noted in the run file, so a secret key that was given stays out of it.
    """
    environment = {
        "DJANGO_SETTINGS_MODULE": "memsys.settings",
        "MEMSYS_DIR": str(options.folder),
        "PORT": str(options.port),
        **_list_given(os.environ, with_database=postgres is None),
    }
    if postgres is not None:
        environment |= {
            "DATABASE_URL": postgres.url("memsys_app"),
            "DATABASE_OWNER_URL": postgres.url("memsys_owner"),
            "DATABASE_ADMIN_URL": postgres.url(SUPERUSER, SUPERUSER),
            "DATABASE_MAINTENANCE_URL": postgres.url("memsys_maintenance"),
        }
    if valkey is not None:
        environment["VALKEY_URL"] = valkey.url
    if not runfile.is_given("SECRET_KEY"):
        key_path = runfile.keep_secret_key(options.folder)
        environment["SECRET_KEY_FILE"] = str(key_path)
    return environment


def _list_given(
    environment: Mapping[str, str], *, with_database: bool
) -> dict[str, str]:
    names = _GIVEN if with_database else ("VALKEY_URL",)
    forms = [form for name in names for form in (name, f"{name}_FILE")]
    return {form: environment[form] for form in forms if environment.get(form)}


def _choose_servers(
    folder: Path,
) -> tuple[EmbeddedPostgres | None, EmbeddedValkey | None]:
    has_database = runfile.is_given("DATABASE_URL")
    has_valkey = runfile.is_given("VALKEY_URL")
    return (
        None if has_database else EmbeddedPostgres(folder / "postgres"),
        None if has_valkey else EmbeddedValkey(folder / "valkey"),
    )


def _answers(port: int) -> bool:
    connection = HTTPConnection(checks.HOST, port, timeout=5)
    try:
        connection.request("GET", "/livez")
        connection.getresponse()
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()
    return True


def _fail(what: str, process: LoggedProcess | Program) -> ServiceError:
    end = process.read_log().replace("\n", "\n  ")
    return ServiceError(f"{what} The end of {process.log_path}:\n  {end}")
