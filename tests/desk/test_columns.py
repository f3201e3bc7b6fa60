"""What a reader sees of a field: escaped, in one direction, in local time."""

from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from memsys.kernel.pages.columns import column, listed, moment, plain, visible_text


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("小雨", "<bdi>小雨</bdi>"),
        ("", "<bdi></bdi>"),
        ("<b>", "<bdi>&lt;b&gt;</bdi>"),
        ("a\u202eb", '<bdi>a<span class="desk-control">U+202E</span>b</bdi>'),
        ("\u2067", '<bdi><span class="desk-control">U+2067</span></bdi>'),
        # Joins the parts of one sign, so it stays as it is.
        ("👩\u200d🚀", "<bdi>👩\u200d🚀</bdi>"),
    ],
)
def test_it_shows_text_without_markup_or_direction(text: str, html: str):
    assert visible_text(text) == html


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (["<b>", "c"], ["&lt;b&gt;", "c"]),
        ({"手机号": 2}, ["手机号: 2"]),
        ([{"a": "<i>"}], ["{&quot;a&quot;: &quot;&lt;i&gt;&quot;}"]),
    ],
)
def test_it_lists_json_line_by_line(value: object, words: list[str]):
    html = listed("taboos")(SimpleNamespace(taboos=value))

    assert [f"<bdi>{one}</bdi>" in html for one in words] == [True] * len(words)


@pytest.mark.parametrize("value", [[], {}, None])
def test_it_shows_nothing_of_empty_json(value: object):
    assert listed("taboos")(SimpleNamespace(taboos=value)) is None


def test_it_shows_times_where_staff_are():
    html = moment(datetime(2026, 11, 30, 20, 5, tzinfo=UTC))

    assert ">2026-12-01 04:05<" in html


@pytest.mark.parametrize("empty", ["", None])
def test_it_shows_nothing_of_an_empty_field(empty: str | None):
    assert plain("status")(SimpleNamespace(status=empty)) is None


def test_it_takes_no_field_without_a_label():
    with pytest.raises(KeyError):
        column("nameless", str)
