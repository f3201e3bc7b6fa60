"""What `manage.py test` calls pytest with."""

import pytest

from memsys.management.commands.test import TWO_WORKERS, list_arguments


@pytest.mark.parametrize("given", [[], ["-q"], ["-k", "recall_of"], ["-m", "not slow"]])
def test_it_spreads_the_whole_suite_over_two_workers(given: list[str]):
    assert list_arguments(given) == [*TWO_WORKERS, *given]


@pytest.mark.parametrize(
    "path",
    [
        "tests/recall",
        "tests/recall/test_pack.py",
        "tests/recall/test_pack.py::test_it_exists",
    ],
)
def test_it_runs_what_is_named_in_one_process(path: str):
    assert list_arguments(["-x", path]) == ["-x", path]


def test_it_lets_a_person_speak_with_the_tests():
    assert list_arguments(["--pdb"]) == ["--pdb"]


def test_it_leaves_the_last_word_to_what_is_given():
    assert list_arguments(["-n", "0"])[-2:] == ["-n", "0"]
