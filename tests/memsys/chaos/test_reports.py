"""The result of a rehearsal as it is shown: a broken promise is named."""

import json
from dataclasses import replace
from io import StringIO

import pytest
from django.core.management.base import CommandError
from rich.console import Console

from memsys.chaos.counting import Counts
from memsys.chaos.promises import Blows, judge
from memsys.chaos.reports import as_json, as_sheets
from memsys.chaos.results import Order, Result
from memsys.chaos.week import Size
from memsys.management.commands.chaos import Command

COUNTS = Counts(**dict.fromkeys(Counts.__dataclass_fields__, 0))
BLOWS = Blows(kills=0, kills_asked=0, wipes=0, wipes_asked=0, processes=2)


def make_result(**counts: int) -> Result:
    return Result(
        order=Order(Size(relationships=1, sessions=1), kills=0, wipes=0),
        counts=replace(COUNTS, **counts),
        blows=BLOWS,
        promises=judge(replace(COUNTS, **counts), BLOWS),
        fallbacks_by_chance=0.25,
        troubles={"busy": 3},
        errors={"session.failed KeyError": 1},
        calls=5,
        calls_again=0,
        worker_ends=0,
        seconds=61.0,
    )


def show(result: Result) -> str:
    console = Console(file=StringIO(), width=80)
    console.print(as_sheets(result))
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def test_it_shows_each_promise_within_eighty_columns() -> None:
    shown = show(make_result())

    assert [p.name for p in make_result().promises if p.name not in shown] == []
    assert "model: busy" in shown
    assert "logged: session.failed KeyError" in shown
    assert "BROKEN" not in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_it_shows_a_broken_promise_beside_what_was_expected() -> None:
    shown = show(make_result(messages_lost=1234))

    (line,) = (one for one in shown.splitlines() if "BROKEN" in one)

    assert line.split()[:4] == ["messages", "lost", "1,234", "0"]


def test_it_gives_all_numbers_as_json() -> None:
    printed = json.loads(json.dumps(as_json(make_result(messages_lost=2))))

    assert printed["kept"] is False
    assert printed["promises"]["messages lost"] == {
        "kept": False,
        "found": 2,
        "expected": "0",
    }
    assert printed["counts"]["messages_lost"] == 2
    assert printed["order"]["sessions"] == 1


@pytest.mark.parametrize("is_json", [True, False])
def test_it_ends_in_an_error_that_names_what_is_broken(is_json: bool) -> None:
    command = Command(stdout=StringIO(), no_color=True)

    with pytest.raises(CommandError, match="^Broken: messages lost; sessions stuck.$"):
        command.show(
            make_result(messages_lost=1, sessions_unfinished=1), is_json=is_json
        )
