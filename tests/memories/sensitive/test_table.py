"""The table of sensitive categories, and what it refuses to be."""

from pathlib import Path

import pytest

from memories.errors import InvalidTable
from memories.sensitive.table import load_table

GOOD = """
owner = "compliance officer"
reviewed_date = 2026-03-01
[parts]
who = '(?:我|他)'
[asides]
topics = '电影'
unreal = '如果'
asked = '吗'
self_again = '自己得了'
mentioned = '我'
denied = '没有$'
[[category]]
code = "diagnosis"
label = "Illness"
not_meant = "A cold."
denial_counts = false
terms = ["糖尿病", "hiv"]
patterns = ['<who>得了.{0,4}病']
false_friends = ['职业病']
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "table.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_it_has_a_category_for_all_that_needs_a_grant():
    assert load_table().codes == (
        "child",
        "mental_health",
        "sex",
        "religion",
        "medication",
        "diagnosis",
        "money_trouble",
        "exact_place",
    )


def test_somebody_answers_for_it():
    table = load_table()

    assert table.owner == "compliance officer"
    assert all(one.label and one.not_meant for one in table.categories)


def test_it_reads_a_good_table(tmp_path: Path) -> None:
    (category,) = load_table(write(tmp_path, GOOD)).categories

    assert category.patterns.search("我得了怪病")
    assert category.terms.search("染上hiv了")
    assert not category.terms.search("archives")
    assert not category.certain.search("我得了怪病")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('owner = "compliance officer"', 'owner = " "'),
        ('owner = "compliance officer"', ""),
        ("reviewed_date = 2026-03-01", 'reviewed_date = "soon"'),
        ('code = "diagnosis"', 'code = "Diagnosis!"'),
        ('code = "diagnosis"', f'code = "{"a" * 41}"'),
        ('not_meant = "A cold."', 'not_meant = ""'),
        ('"hiv"', '"糖尿病"'),
        ('"hiv"', '"愛滋"'),
        ('terms = ["糖尿病", "hiv"]', "terms = []"),
        ("{0,4}病", "*病"),
        ("{0,4}病", "+病"),
        ("{0,4}病", "{4,}病"),
        ("<who>", "<whom>"),
        ("<who>", "("),
        ("denied = '没有$'\n", ""),
        ("[[category]]", "[[categories]]"),
        ("[[category]]", "[[category"),
    ],
)
def test_it_refuses_a_bad_one(tmp_path: Path, old: str, new: str) -> None:
    assert old in GOOD
    path = write(tmp_path, GOOD.replace(old, new))

    with pytest.raises(InvalidTable):
        load_table(path)


def test_it_refuses_a_category_that_is_there_twice(tmp_path: Path) -> None:
    category = GOOD[GOOD.index("[[category]]") :]

    with pytest.raises(InvalidTable):
        load_table(write(tmp_path, GOOD + category))
