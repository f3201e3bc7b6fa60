"""The bundled servers: private, and whole again after every kind of end."""

import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import environ
import psycopg
import pytest
import redis

from memsys.embedded import EmbeddedPostgres, EmbeddedValkey
from memsys.running.embedded_server import EmbeddedServerError

ODD_NAME = "a b,c%41$#\"'@:é=&"


@pytest.fixture(scope="module")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedPostgres]:
    server = EmbeddedPostgres(tmp_path_factory.mktemp("embedded") / "postgres")
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedValkey]:
    server = EmbeddedValkey(tmp_path_factory.mktemp("embedded") / "valkey")
    server.start()
    yield server
    server.stop()


def connect(server: EmbeddedPostgres) -> "psycopg.Connection[tuple[object, ...]]":
    url = server.url("postgres", "postgres")
    return psycopg.connect(url, autocommit=True)


def kill(server: EmbeddedPostgres | EmbeddedValkey) -> None:
    pid = server.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    while server.is_running():
        time.sleep(0.01)


def test_it_keeps_what_was_committed_when_postgres_is_killed(
    postgres: EmbeddedPostgres,
) -> None:
    """Acceptance row 68, the part of the database."""
    with connect(postgres) as connection:
        connection.execute("CREATE TABLE kept (word text)")
        connection.execute("INSERT INTO kept VALUES ('团子')")
        kill(postgres)

    postgres.start()

    with connect(postgres) as connection:
        rows = connection.execute("SELECT word FROM kept").fetchall()
    assert rows == [("团子",)]


def test_it_waits_for_what_still_runs_of_a_killed_postgres(
    postgres: EmbeddedPostgres,
) -> None:
    with connect(postgres) as connection:
        row = connection.execute("SELECT pg_backend_pid()").fetchone()
        assert row is not None
        backend = int(str(row[0]))
        os.kill(backend, signal.SIGSTOP)
        kill(postgres)
        threading.Timer(1, os.kill, (backend, signal.SIGCONT)).start()

        postgres.start()

    with connect(postgres) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)


def test_it_starts_over_a_lock_whose_number_another_process_has(
    postgres: EmbeddedPostgres,
) -> None:
    kill(postgres)
    # The same account as the server's, else PostgreSQL takes no notice of it.
    owner = postgres.data_dir.stat().st_uid
    with subprocess.Popen(
        ["sleep", "60"], user=owner if os.geteuid() == 0 else None
    ) as other:
        for name in ("postmaster.pid", ".s.PGSQL.5432.lock"):
            lock = postgres.data_dir / name
            rest = lock.read_text().partition("\n")[2]
            lock.write_text(f"{other.pid}\n{rest}")

        postgres.start()

        other.kill()
    assert postgres.pid != other.pid


def test_it_takes_over_a_postgres_that_already_runs(
    postgres: EmbeddedPostgres,
) -> None:
    second = EmbeddedPostgres(postgres.data_dir)

    second.start()

    assert second.pid == postgres.pid
    assert second.url("memsys_app") == postgres.url("memsys_app")


def test_it_takes_over_a_postgres_that_nobody_noted(
    postgres: EmbeddedPostgres,
) -> None:
    postgres.data_dir.with_name("postgres.json").unlink()

    second = EmbeddedPostgres(postgres.data_dir)

    assert second.pid == postgres.pid


def test_it_starts_one_postgres_for_two_starts_at_once(
    postgres: EmbeddedPostgres,
) -> None:
    postgres.stop()
    servers = [EmbeddedPostgres(postgres.data_dir) for _ in range(2)]
    threads = [threading.Thread(target=server.start) for server in servers]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert servers[0].pid == servers[1].pid == postgres.pid is not None
    # The one that started it has to see it end.
    for server in servers:
        server.stop()
    postgres.start()


def test_it_lets_nobody_else_reach_the_socket(postgres: EmbeddedPostgres) -> None:
    """The socket trusts whoever reaches it, so its folder's mode is the lock."""
    modes = [folder.stat().st_mode & 0o777 for folder in postgres.data_dir.parents[:2]]

    assert (postgres.data_dir / ".s.PGSQL.5432").is_socket()
    assert postgres.data_dir.stat().st_mode & 0o777 == 0o700
    # pytest makes both folders above closed, and they stay so.
    assert modes == [0o700, 0o700]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has to give up rights")
def test_it_does_not_run_as_root(
    postgres: EmbeddedPostgres, valkey: EmbeddedValkey
) -> None:
    owners = [
        Path(f"/proc/{server.pid}").stat().st_uid for server in (postgres, valkey)
    ]

    assert 0 not in owners


def test_it_logs_no_statement_and_no_value(postgres: EmbeddedPostgres) -> None:
    with connect(postgres) as connection:
        connection.execute("CREATE TABLE single (word text PRIMARY KEY)")
        connection.execute("INSERT INTO single VALUES ('canary-7f3a')")

        with pytest.raises(psycopg.errors.UniqueViolation):
            connection.execute("INSERT INTO single VALUES ('canary-7f3a')")

    log = postgres.data_dir.with_name("postgres.log").read_text()
    assert "duplicate key" in log
    assert "canary-7f3a" not in log


@pytest.mark.parametrize("name", [ODD_NAME, "long-" * 30])
def test_it_is_reached_in_a_folder_of_any_name(tmp_path: Path, name: str) -> None:
    """Acceptance row C36, for the address that settings parse."""
    server = EmbeddedPostgres(tmp_path / name / "postgres")
    server.start()

    config = environ.Env.db_url_config(server.url("postgres", "postgres"))

    socket_folder = Path(config["OPTIONS"]["host"])
    connection = psycopg.connect(
        user=config["USER"], dbname=config["NAME"], **config["OPTIONS"]
    )
    connection.close()
    server.stop()
    assert not (socket_folder / ".s.PGSQL.5432").exists()
    assert socket_folder == server.data_dir or not socket_folder.parent.exists()


def test_it_refuses_the_data_of_another_release(tmp_path: Path) -> None:
    (tmp_path / "postgres").mkdir()
    (tmp_path / "postgres" / "PG_VERSION").write_text("16\n")

    with pytest.raises(EmbeddedServerError, match="made by PostgreSQL 16"):
        EmbeddedPostgres(tmp_path / "postgres").start()


def test_it_refuses_a_folder_with_other_files(tmp_path: Path) -> None:
    (tmp_path / "postgres").mkdir()
    (tmp_path / "postgres" / "letter.txt").write_text("mine")

    with pytest.raises(EmbeddedServerError, match="no PostgreSQL data"):
        EmbeddedPostgres(tmp_path / "postgres").start()

    assert (tmp_path / "postgres" / "letter.txt").read_text() == "mine"


def test_it_gives_up_a_start_when_it_is_asked_to(tmp_path: Path) -> None:
    server = EmbeddedPostgres(tmp_path / "postgres")

    with pytest.raises(EmbeddedServerError, match="stopped while"):
        server.start(cancelled=lambda: True)

    server.stop()
    assert not server.is_running()


def test_it_asks_valkey_s_clients_for_the_password(valkey: EmbeddedValkey) -> None:
    without = valkey.url.rpartition("@")[2]

    with (
        redis.Redis.from_url(f"redis://{without}") as client,
        pytest.raises(redis.AuthenticationError),
    ):
        client.ping()


def test_it_brings_valkey_back_at_the_same_address(valkey: EmbeddedValkey) -> None:
    url = valkey.url
    kill(valkey)

    valkey.start()

    with redis.Redis.from_url(url) as client:
        assert client.ping()


def test_it_takes_over_a_valkey_that_already_runs(valkey: EmbeddedValkey) -> None:
    second = EmbeddedValkey(valkey.data_dir)

    second.start()

    assert (second.pid, second.url) == (valkey.pid, valkey.url)


def test_it_keeps_no_copy_of_commands(valkey: EmbeddedValkey) -> None:
    with redis.Redis.from_url(valkey.url) as client:
        client.set("text", "x" * 2_000_000)

        kinds = ("slow", "large-request", "large-reply")
        counts = [client.execute_command("COMMANDLOG", "LEN", kind) for kind in kinds]

    assert counts == [0, 0, 0]


def test_it_moves_valkey_when_its_last_port_is_taken(tmp_path: Path) -> None:
    first = EmbeddedValkey(tmp_path / "valkey")
    first.start()
    port = int(first.url.rpartition(":")[2].removesuffix("/0"))
    first.stop()

    with socket.create_server(("127.0.0.1", port)):
        second = EmbeddedValkey(tmp_path / "valkey")
        second.start()

    assert second.is_running()
    assert f":{port}/" not in second.url
    second.stop()


def test_it_gives_valkey_s_address_before_the_first_start(tmp_path: Path) -> None:
    server = EmbeddedValkey(tmp_path / "valkey")
    url = server.url

    server.start()

    assert server.url == url
    with redis.Redis.from_url(url) as client:
        assert client.ping()
    server.stop()
