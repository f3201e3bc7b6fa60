"""Owns the bundled PostgreSQL and Valkey: one server for one data folder.

It runs the packages' programs itself, for the reasons in decision 0002. Roles,
databases and tables are made elsewhere.

    postgres = EmbeddedPostgres(Path(".memsys/postgres"))
    postgres.start()
    postgres.url("memsys_app")
"""

import secrets
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from urllib.parse import quote

import psycopg

from memsys.running.embedded_server import EmbeddedServer, EmbeddedServerError
from memsys.running.processes import (
    Account,
    ProcessIdentity,
    find_program_name,
    identify,
)
from memsys.running.programs import (
    POSTGRES_MAJOR_VERSION,
    find_postgres,
    find_valkey,
)
from memsys.running.server_settings import POSTGRES_SETTINGS, VALKEY_SETTINGS
from memsys.running.socket_folder import (
    SOCKET_NAME,
    find_socket_folder,
    remove_socket_folder,
)

SUPERUSER = "postgres"
_START_SECONDS = 120.0
_ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"}
# A server of another account may lack the right to walk the path to its own
# data folder. The folder that it stands in, it always reaches.
_HERE = "/proc/self/cwd"
# What a starting PostgreSQL says while processes of a killed one still end.
_PASSING_FAULTS = ("pre-existing shared memory block", "lock file")


class EmbeddedPostgres(EmbeddedServer):
    """One PostgreSQL server, reached by a socket in its data folder alone.

    The folder's mode, 0700, is the only lock: the socket trusts whoever gets
    to it. Recovery after a crash is waited for.
    """

    name = "postgres"
    settings: Mapping[str, str] = POSTGRES_SETTINGS
    # Fast shutdown, then immediate: the next start recovers what was committed.
    stop_steps = ((signal.SIGINT, 8.0), (signal.SIGQUIT, 3.0))
    kill_steps = ((signal.SIGQUIT, 1.0),)

    def stop(self) -> None:
        """Disconnect all clients and stop; returns when the server has ended."""
        super().stop()
        remove_socket_folder(self.data_dir)

    def url(self, role: str, database: str = "memsys") -> str:
        """Return the address of a database for one role."""
        host = quote(str(find_socket_folder(self.data_dir)), safe="/")
        # Without a port here, a PGPORT of the person's shell would count.
        return f"postgres://{quote(role)}@/{quote(database)}?host={host}&port=5432"

    def _bring_up(self, account: Account | None, cancelled: Callable[[], bool]) -> None:
        programs = find_postgres(account)
        deadline = time.monotonic() + _START_SECONDS
        is_spawned = False
        while not self._wait_for_answer(cancelled, seconds=_START_SECONDS):
            if is_spawned:
                passes = any(fault in self.read_log() for fault in _PASSING_FAULTS)
                if not passes or time.monotonic() > deadline:
                    raise self._fail()
                time.sleep(0.2)
            elif not self._has_data():
                self._initialise(programs, account)
            self._clear_stale_lock()
            self._spawn(programs, account)
            is_spawned = True

    def _has_data(self) -> bool:
        try:
            found = (self.data_dir / "PG_VERSION").read_text("ascii").strip()
        except FileNotFoundError:
            if not self.data_dir.exists() or not any(self.data_dir.iterdir()):
                return False
            raise EmbeddedServerError(
                f"{self.data_dir} holds files, but no PostgreSQL data"
            ) from None
        if found == POSTGRES_MAJOR_VERSION:
            return True
        raise EmbeddedServerError(
            f"{self.data_dir} was made by PostgreSQL {found}; "
            f"this is {POSTGRES_MAJOR_VERSION}. Dump it there and load it here."
        )

    def _initialise(self, programs: Path, account: Account | None) -> None:
        folder = self._folder.make_unfinished(account=account)
        result = subprocess.run(
            [
                programs / "initdb", f"--pgdata={_HERE if account else folder}",
                f"--username={SUPERUSER}", "--auth-local=trust", "--auth-host=reject",
                "--encoding=UTF8", "--locale=C", "--locale-provider=builtin",
                "--builtin-locale=C.UTF-8", "--no-instructions",
            ],
            cwd=folder, env=_ENVIRONMENT, umask=0o077, text=True,
            stdin=subprocess.DEVNULL, capture_output=True,
            user=account.uid if account else None,
            group=account.gid if account else None,
            extra_groups=[] if account else None,
        )  # fmt: skip
        if result.returncode:
            raise EmbeddedServerError(
                f"{self.data_dir} cannot be made:\n{result.stderr.strip()}"
            )
        self._folder.finish()

    def _spawn(self, programs: Path, account: Account | None) -> None:
        sockets = _HERE if account else find_socket_folder(self.data_dir)
        command = [
            str(programs / "postgres"), "-D", _HERE if account else str(self.data_dir),
            "-c", f"unix_socket_directories={sockets}",
        ]  # fmt: skip
        for name, value in self.settings.items():
            command += ["-c", f"{name}={value}"]
        self._process.spawn(
            command, folder=self.data_dir, environment=_ENVIRONMENT, account=account
        )
        self._folder.write_identity(self._process.identity)

    def _answers(self) -> bool:
        url = self.url(SUPERUSER, "postgres")
        try:
            psycopg.connect(url, connect_timeout=3).close()
        except psycopg.OperationalError:
            return False
        return True

    def _find_identity(self) -> ProcessIdentity | None:
        # Whoever accepts on the socket in this folder is its server, even if an
        # earlier run was killed before it could note so.
        if noted := super()._find_identity():
            return noted
        pid = self._read_lock_file()
        return identify(pid) if pid and self._accepts() else None

    def _accepts(self) -> bool:
        path = find_socket_folder(self.data_dir) / SOCKET_NAME
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
            client.settimeout(2)
            return client.connect_ex(str(path)) == 0

    def _read_lock_file(self) -> int:
        try:
            return int((self.data_dir / "postmaster.pid").read_text().split()[0])
        except (OSError, ValueError, IndexError):
            return 0

    def _clear_stale_lock(self) -> None:
        """Remove the lock of a dead server whose number now is another process's.

        PostgreSQL itself sees through the lock of a number that is not in use.
        """
        pid = self._read_lock_file()
        noted = self._folder.read_identity()
        may_be_ours = find_program_name(pid) == "postgres"
        if not identify(pid) or (may_be_ours and not (noted and noted.pid == pid)):
            return
        for name in ("postmaster.pid", f"{SOCKET_NAME}.lock"):
            (self.data_dir / name).unlink(missing_ok=True)


class EmbeddedValkey(EmbeddedServer):
    """One Valkey server on a port of this machine, behind a random password.

    A cache and a broker that may lose everything: nothing is kept on disk.
    """

    name = "valkey"
    stop_steps = ((signal.SIGTERM, 3.0),)
    kill_steps = ()

    _is_published = False

    @property
    def url(self) -> str:
        """Return the address with its password, also before the first start."""
        if not self._is_published:
            with self._folder.lock():
                if "port" not in self._folder.read_state():
                    self._reserve(_find_free_port())
        self._is_published = True
        state = self._folder.read_state()
        return f"redis://:{state['password']}@127.0.0.1:{state['port']}/0"

    def _bring_up(self, account: Account | None, cancelled: Callable[[], bool]) -> None:
        if self.is_running():
            if self._answers():
                return
            self._process.stop(self.kill_steps)
        program = find_valkey(account)
        self._folder.make(account=account)
        for port in self._list_ports():
            self._reserve(port)
            self._spawn(program, account)
            if self._wait_for_answer(cancelled, seconds=10):
                return
            if "in use" not in self.read_log():
                break
        raise self._fail()

    def _list_ports(self) -> Iterator[str]:
        """Yield the port of the last start, then free ones.

        Once clients have got the address from us, no start may move it.
        """
        if last_port := self._folder.read_state().get("port"):
            yield last_port
            if self._is_published:
                return
        for _ in range(3):
            yield _find_free_port()

    def _reserve(self, port: str) -> None:
        password = self._folder.read_state().get("password") or secrets.token_hex(24)
        self._folder.write_identity(None, port=port, password=password)

    def _spawn(self, program: Path, account: Account | None) -> None:
        state = self._folder.read_state()
        address = {"port": state["port"], "requirepass": state["password"]}
        settings = {**VALKEY_SETTINGS, **address}
        self._process.spawn(
            [str(program), "-"],
            folder=self.data_dir,
            environment=_ENVIRONMENT,
            account=account,
            stdin_text="".join(f"{name} {text}\n" for name, text in settings.items()),
        )
        self._folder.write_identity(self._process.identity, **state)

    def _answers(self) -> bool:
        # The password also tells our server from one that took its port.
        state = self._folder.read_state()
        request = f"AUTH {state['password']}\r\nPING\r\n".encode()
        address = ("127.0.0.1", int(state["port"]))
        try:
            with socket.create_connection(address, timeout=2) as client:
                client.sendall(request)
                reply = b""
                while chunk := client.recv(64):
                    reply += chunk
                    if reply.count(b"\r\n") == 2:
                        break
        except OSError:
            return False
        return reply == b"+OK\r\n+PONG\r\n"


def _find_free_port() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])
