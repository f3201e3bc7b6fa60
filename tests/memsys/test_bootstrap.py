"""The project's environment: made once, by two commands only, with clear words.

The project here is a small stand-in whose one requirement is a wheel on disk, so
that pip needs no network.
"""

import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from memsys import bootstrap
from memsys.running.installation import SetupError, install

BASE_DIR = Path(__file__).resolve().parents[2]
# Without -S the interpreter of the tests would have the requirements already.
BARE_PYTHON = [sys.executable, "-S", "-E"]
ENTRY = """
import sys
from pathlib import Path
from memsys import bootstrap
from memsys.running.installation import SetupError
try:
    bootstrap.prepare(base_dir=Path(__file__).parent, arguments=sys.argv[1:])
except SetupError as error:
    sys.exit(str(error))
import tiny_thing
print("runs in", sys.prefix)
"""


def make_wheel(folder: Path) -> Path:
    wheel = folder / "tiny_thing-1.0-py3-none-any.whl"
    info = "tiny_thing-1.0.dist-info"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("tiny_thing.py", "")
        archive.writestr(
            f"{info}/METADATA",
            "Metadata-Version: 2.1\nName: tiny-thing\nVersion: 1.0\n",
        )
        archive.writestr(
            f"{info}/WHEEL",
            "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\n"
            "Tag: py3-none-any\n",
        )
        archive.writestr(f"{info}/RECORD", "")
    return wheel


def make_project(folder: Path) -> Path:
    (folder / ".ci").mkdir(parents=True)
    (folder / ".ci" / "constraints.txt").write_text("")
    requirement = f"tiny-thing @ {make_wheel(folder).as_uri()}"
    (folder / "pyproject.toml").write_text(
        f"[project]\nname = 'stand-in'\ndependencies = ['{requirement}']\n"
        "[project.optional-dependencies]\ntest = []\n"
    )
    (folder / "memsys" / "running").mkdir(parents=True)
    for name in ("bootstrap.py", "running/installation.py"):
        shutil.copy(BASE_DIR / "memsys" / name, folder / "memsys" / name)
    (folder / "manage.py").write_text(ENTRY)
    return folder


def start(project: Path, *arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [*BARE_PYTHON, str(project / "manage.py"), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "HOME": "", "PYTHONPATH": ""},
    )


def run(project: Path, *arguments: str) -> tuple[int, str, str]:
    with start(project, *arguments) as process:
        output, errors = process.communicate(timeout=120)
    return process.returncode, output, errors


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_project(tmp_path_factory.mktemp("set up") / "a folder")


@pytest.fixture
def bare_project(tmp_path: Path) -> Iterator[Path]:
    return make_project(tmp_path / "bare")


def test_it_needs_the_standard_library_alone() -> None:
    result = subprocess.run(
        [*BARE_PYTHON, "-c", "import memsys.bootstrap, memsys.runfile"],
        cwd=BASE_DIR,
        capture_output=True,
        text=True,
    )

    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.parametrize("arguments", [(), ("help",), ("ingest", "x"), ("up", "-h")])
def test_it_installs_nothing_for_other_commands(
    bare_project: Path, arguments: tuple[str, ...]
) -> None:
    code, _, errors = run(bare_project, *arguments)

    assert code == 1
    assert "run `python3 manage.py up` first" in errors
    assert not (bare_project / ".venv").exists()


@pytest.mark.slow
def test_it_makes_one_environment_for_two_runs_at_once(project: Path) -> None:
    """The second waits for the first and then runs in what that one made."""
    with start(project, "up") as first, start(project, "up") as second:
        outputs = [process.communicate(timeout=300) for process in (first, second)]

    assert [first.returncode, second.returncode] == [0, 0]
    assert all(out == f"runs in {project / '.venv'}\n" for out, _ in outputs)
    assert sum("memsys: making" in errors for _, errors in outputs) == 1


@pytest.mark.slow
def test_it_does_nothing_when_nothing_has_changed(project: Path) -> None:
    run(project, "test")

    code, output, errors = run(project, "up")

    assert (code, errors) == (0, "")
    assert output == f"runs in {project / '.venv'}\n"


@pytest.mark.slow
def test_it_installs_again_when_the_constraints_change(project: Path) -> None:
    run(project, "test")
    (project / ".ci" / "constraints.txt").write_text("tiny-thing==1.0\n")

    _, _, errors = run(project, "up")

    assert "installing" in errors
    assert "memsys: making" not in errors


@pytest.mark.slow
def test_it_repairs_an_environment_that_was_cut_short(project: Path) -> None:
    run(project, "up")
    shutil.rmtree(project / ".venv" / "lib")
    (project / ".venv" / "memsys-stamp").unlink()

    code, output, errors = run(project, "up")

    assert "memsys: making" in errors
    assert (code, output) == (0, f"runs in {project / '.venv'}\n")


@pytest.mark.slow
def test_it_says_when_the_package_index_cannot_be_reached(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(project, "up")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/")
    monkeypatch.setenv("PIP_RETRIES", "0")

    with pytest.raises(SetupError, match="cannot be reached"):
        install(
            folder=project / ".venv",
            requirements=["memsys-there-is-no-such-thing"],
            constraints=project / ".ci" / "constraints.txt",
        )


def test_it_lists_the_requirements_of_an_extra_after_the_others() -> None:
    default = bootstrap.list_requirements(base_dir=BASE_DIR, extras=[])

    with_tests = bootstrap.list_requirements(base_dir=BASE_DIR, extras=["test"])

    assert with_tests[: len(default)] == default
    assert any(requirement.startswith("pytest") for requirement in with_tests)


def test_it_pins_every_requirement_in_the_constraints() -> None:
    """A fresh machine gets what the tests were run with, to the last version."""
    lines = (BASE_DIR / ".ci" / "constraints.txt").read_text().splitlines()
    pinned = {normal(line.partition("==")[0]) for line in lines if "==" in line}

    wanted = bootstrap.list_requirements(base_dir=BASE_DIR, extras=["test"])

    names = {normal(bootstrap.name_of(requirement)) for requirement in wanted}
    assert names - pinned == set()
    assert len(pinned) == len(lines)


def normal(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")
