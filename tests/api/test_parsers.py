"""Strict JSON: what two readers could understand differently is refused."""

import pytest

from memsys.api.errors import InvalidJson
from memsys.api.parsers import parse_object
from tests.factories.api import Bot


def test_it_returns_the_object_of_a_body() -> None:
    assert parse_object('{"a": [1, 2.5, true, null, "猫"]}'.encode()) == {
        "a": [1, 2.5, True, None, "猫"]
    }


@pytest.mark.parametrize(
    "body",
    [
        b'{"a": 1, "a": 2}',
        b'{"b": {"a": 1, "a": 1}}',
        b'{"a": NaN}',
        b'{"a": Infinity}',
        b'{"a": -Infinity}',
        b'{"a": 1e999}',
        b'{"a": ' + b"9" * 5000 + b"}",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"[]",
        b'"text"',
        b"1",
        b"null",
        b"{",
        b"{} {}",
        b"{'a': 1}",
        b'{"a": 1,}',
        b'\xef\xbb\xbf{"a": 1}',
        '{"a": "你好"}'.encode("gbk"),
        '{"a": "猫"}'.encode("utf-16"),
        b'{"a": "\x00"}',
        b'{"a": "\xed\xa0\xbd"}',
        b"",
    ],
)
def test_it_refuses_what_is_not_one_strict_object(body: bytes) -> None:
    with pytest.raises(InvalidJson):
        parse_object(body)


def test_it_keeps_a_lone_surrogate_for_the_fields_to_judge() -> None:
    assert parse_object(b'{"a": "\\ud83d"}') == {"a": "\ud83d"}


@pytest.mark.parametrize("body", [b"{", b"[1]", b'{"a": 1, "a": 1}', b"\xff"])
def test_a_body_that_cannot_be_read_is_a_problem(bot: Bot, body: bytes) -> None:
    response = bot.post("/context", body)

    assert response.status_code == 400
    assert response.json()["type"] == "urn:memsys:problem:invalid-json"


def test_no_body_is_an_object_without_members(bot: Bot) -> None:
    response = bot.post("/context")

    assert response.status_code == 400
    assert response.json()["errors"][0]["field"] == "relationship"
