"""What a running `up` leaves for other commands."""

import os
from pathlib import Path

import pytest

from memsys.runfile import (
    Run,
    keep_secret_key,
    load_environment,
    read_run,
    remove_run,
    write_run,
)
from memsys.running.processes import ProcessIdentity, identify

ADDRESSES = {
    "DATABASE_URL": "postgres://memsys_app@/memsys?host=/somewhere&port=5432",
    "DATABASE_OWNER_URL": "postgres://memsys_owner@/memsys?host=/somewhere",
    "DATABASE_ADMIN_URL": "postgres://postgres@/postgres?host=/somewhere",
    "VALKEY_URL": "redis://:p%23w@127.0.0.1:1/0",
    "SECRET_KEY_FILE": "/somewhere/secret_key",
}


@pytest.fixture(autouse=True)
def _empty_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [*ADDRESSES, "MEMSYS_DIR", "SECRET_KEY", "DATABASE_MAINTENANCE_URL"]:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / ".memsys"
    folder.mkdir()
    return folder


def make_run(supervisor: ProcessIdentity | None = None) -> Run:
    ourselves = identify(os.getpid())
    assert ourselves is not None
    return Run(
        supervisor=supervisor or ourselves,
        base_url="http://127.0.0.1:8000",
        environment=ADDRESSES,
        services={"web": ourselves},
    )


def test_it_reads_back_what_was_written(folder: Path) -> None:
    write_run(folder, make_run())

    assert read_run(folder) == make_run()


def test_it_keeps_the_run_file_to_its_owner(folder: Path) -> None:
    write_run(folder, make_run())

    assert (folder / "run.json").stat().st_mode & 0o777 == 0o600


def test_it_gives_a_command_the_addresses_of_a_living_run(folder: Path) -> None:
    write_run(folder, make_run())

    environment = load_environment(folder.parent, command="ingest")

    assert environment == {
        name: ADDRESSES[name]
        for name in ("DATABASE_URL", "VALKEY_URL", "SECRET_KEY_FILE")
    }


def test_it_gives_only_the_migration_the_owner_s_address(folder: Path) -> None:
    write_run(folder, make_run())

    environment = load_environment(folder.parent, command="migrate")

    assert environment is not None
    assert environment["DATABASE_OWNER_URL"] == ADDRESSES["DATABASE_OWNER_URL"]
    assert "DATABASE_ADMIN_URL" not in environment


def test_it_leaves_out_what_the_person_has_set(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Settings refuse a secret that is given both by value and by file."""
    write_run(folder, make_run())
    monkeypatch.setenv("SECRET_KEY", "a$b#c")

    environment = load_environment(folder.parent)

    assert environment is not None
    assert "SECRET_KEY_FILE" not in environment


def test_it_finds_no_run_when_the_number_is_another_process_s(folder: Path) -> None:
    write_run(folder, make_run(ProcessIdentity(os.getpid(), "an earlier start")))

    assert load_environment(folder.parent) is None


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"supervisor": {}}'])
def test_it_finds_no_run_in_a_broken_file(folder: Path, content: str) -> None:
    (folder / "run.json").write_text(content)

    assert load_environment(folder.parent) is None


def test_it_finds_no_run_after_it_was_removed(folder: Path) -> None:
    write_run(folder, make_run())

    remove_run(folder)

    assert load_environment(folder.parent) is None


def test_it_makes_the_secret_key_once_and_for_its_owner(folder: Path) -> None:
    first = keep_secret_key(folder).read_text()

    path = keep_secret_key(folder)

    assert path.read_text() == first
    assert len(first) >= 50
    assert path.stat().st_mode & 0o777 == 0o600
