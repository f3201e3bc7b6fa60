"""Cells of CSV files: none of them can run, and each comes back as it was.

Acceptance row C4.
"""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memsys.kernel.csv_cells import FORMULAS, guard, unguard

# Drawn often: what begins formulas, and what hides before them.
TRICKY = "=+-@＝＋－＠\t\r\n'\"`‘’“” \u3000\u00a0\u200b\ufeff\x00a中1"
CELLS = st.text(alphabet=st.one_of(st.sampled_from(TRICKY), st.characters()))


@pytest.mark.parametrize(
    "cell",
    [
        "=1", "==1", "+1", "-1", "@x", "\t=", "\r=", "\n=", "＝1", "＋1", "－1", "＠x",
        "' =1", "'=1", "''=1", '"=1', "\u3000=1", "\u200b=1", "\ufeff=1", " \t", "\tx",
        "‘=1", "\x00=1",
    ],
)  # fmt: skip
def test_it_guards_what_could_run(cell: str) -> None:
    guarded = guard(cell)

    assert guarded == "'" + cell
    assert unguard(guarded) == cell


@pytest.mark.parametrize(
    "cell", ["", "a", "1", "a=1", "'t is", "'", '"x"', "中=1", "a\n=1", "😀=1", " a"]
)
def test_it_leaves_the_rest_alone(cell: str) -> None:
    assert guard(cell) == cell
    assert unguard(cell) == cell


@given(CELLS)
def test_each_cell_comes_back_as_it_was(cell: str) -> None:
    assert unguard(guard(cell)) == cell


@given(CELLS)
def test_no_cell_begins_like_a_formula(cell: str) -> None:
    assert guard(cell)[:1] not in FORMULAS
    assert guard(cell)[:1] not in ("\t", "\r", "\n")


@given(CELLS, CELLS)
def test_no_two_cells_become_one(first: str, second: str) -> None:
    assert (guard(first) == guard(second)) is (first == second)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1))
def test_a_line_of_a_file_comes_back_as_it_was(cells: list[str]) -> None:
    line = io.StringIO(newline="")
    csv.writer(line, quoting=csv.QUOTE_ALL).writerow([guard(one) for one in cells])

    (read,) = csv.reader(io.StringIO(line.getvalue(), newline=""))

    assert [unguard(one) for one in read] == cells
