"""What counts as masked in a labelled sentence."""

from pathlib import Path

import pytest

from memsys.evaluation.files import read_records
from memsys.evaluation.privacy import (
    KindCount,
    PrivacyLine,
    PrivacyResult,
    PrivacySpan,
    find_hidden,
    measure_privacy,
)

HERE = Path(__file__).parent
HIDDEN = [
    ("在吗", "在吗", ""),
    ("打138给我", "打[手机号]给我", "138"),
    ("138", "[手机号]", "138"),
    ("ab12", "[手机号][微信号]", "ab12"),
    # A part of the value that is left shows where it stands.
    ("打138-99给我", "打[手机号]-99给我", "138"),
    # Either 和 may be the one that is left, so neither is taken as hidden.
    ("1和2和3", "[手机号]和[手机号]", "123"),
    ("[手机号]在", "[手机号]在", "[手机号]"),
    # No reading fits, so nothing is known to be hidden.
    ("甲乙", "丙[手机号]", ""),
]


@pytest.mark.parametrize(("text", "masked", "hidden"), HIDDEN)
def test_it_finds_which_characters_are_hidden(
    text: str, masked: str, hidden: str
) -> None:
    places = sorted(find_hidden(text, masked))

    assert "".join(text[place] for place in places) == hidden


def test_it_counts_by_kind_and_negatives() -> None:
    lines = read_records(HERE / "privacy.jsonl", PrivacyLine)

    result = measure_privacy(lines)

    assert result == PrivacyResult(
        by_kind={
            "phone": KindCount(spans=1, found=1),
            "secret": KindCount(spans=1, found=0),
        },
        negatives=1,
        negatives_hit=0,
    )
    assert (result.spans, result.found) == (2, 1)


def test_it_counts_a_negative_that_was_hit() -> None:
    line = PrivacyLine(text="打我电话13800138000", spans=())

    assert measure_privacy([line]).negatives_hit == 1


def test_it_does_not_count_a_span_that_is_masked_in_part() -> None:
    longer = PrivacySpan(kind="phone", value="电话13800138000")
    line = PrivacyLine(text="打我电话13800138000", spans=(longer,))

    assert measure_privacy([line]).found == 0


def test_it_judges_a_value_that_is_given_twice_in_both_places() -> None:
    span = PrivacySpan(kind="phone", value="13800138000")
    line = PrivacyLine(text="13800138000，再说一遍：13800138000", spans=(span, span))

    result = measure_privacy([line])

    assert [place and place.start for place in line.list_places()] == [0, 17]
    assert (result.spans, result.found) == (2, 2)


def test_it_has_a_result_for_no_line() -> None:
    result = measure_privacy([])

    assert (result.spans, result.found, result.negatives) == (0, 0, 0)
