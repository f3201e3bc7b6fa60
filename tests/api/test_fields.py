"""Fields of what comes in: no coercion, and each says what it expects."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from rest_framework.exceptions import ValidationError

from memsys.api.serializers.base import StrictSerializer
from memsys.api.serializers.fields import (
    BooleanField,
    ChoiceField,
    IdentifierField,
    IntegerField,
    ListField,
    TextField,
    TimeField,
    UuidField,
)

NOW = datetime(2026, 3, 15, 12, 0, tzinfo=UTC)
SOME_ID = "0192f0c1-2f6b-7c3e-9d4a-5b6c7d8e9f01"


class AllIn(StrictSerializer):
    name = IdentifierField(required=False)
    text = TextField(max_chars=10, required=False)
    kind = ChoiceField(choices=["friend", "1"], required=False)
    id = UuidField(required=False)
    count = IntegerField(low=1, high=9, required=False)
    flag = BooleanField(required=False)
    at = TimeField(required=False)
    tags = ListField(child=TextField(max_chars=3), most=2, required=False)


def read(**values: Any) -> Any:
    return AllIn.read(values, now=NOW)


@pytest.mark.parametrize(
    ("field", "value", "kept"),
    [
        ("name", "u-1", "u-1"),
        ("name", "阿澈", "阿澈"),
        ("name", "x" * 200, "x" * 200),
        ("text", " 我\u0000爱你 ", "我爱你"),
        ("text", "猫\ud83d", "猫"),
        ("kind", "1", "1"),
        ("id", SOME_ID, UUID(SOME_ID)),
        ("id", SOME_ID.upper(), UUID(SOME_ID)),
        ("count", 9, 9),
        ("flag", False, False),
        ("tags", ["a", "b"], ["a", "b"]),
        ("at", "2026-03-15T20:00:00+08:00", NOW),
        ("at", "2026-03-15T12:00Z", NOW),
        ("at", "2026-03-15T12:05:00.000000000Z", NOW + timedelta(minutes=5)),
        ("at", "2000-01-01T00:00:00Z", datetime(2000, 1, 1, tzinfo=UTC)),
    ],
)
def test_it_takes(field: str, value: Any, kept: Any) -> None:
    assert read(**{field: value}) == {field: kept}


@pytest.mark.parametrize(
    ("field", "value", "code"),
    [
        ("name", "", "invalid-identifier"),
        ("name", " ", "invalid-identifier"),
        ("name", "a\u0000b", "invalid-identifier"),
        ("name", "\ud83d", "invalid-identifier"),
        ("name", "x" * 201, "invalid-identifier"),
        ("name", 1, "wrong-type"),
        ("name", None, "null"),
        ("name", ["u-1"], "wrong-type"),
        ("text", "", "blank"),
        ("text", "\u0000 ", "blank"),
        ("text", "x" * 11, "too-long"),
        ("text", 1, "wrong-type"),
        ("text", True, "wrong-type"),
        ("kind", 1, "wrong-type"),
        ("kind", "enemy", "not-allowed"),
        ("kind", "", "not-allowed"),
        ("id", "x", "wrong-type"),
        ("id", 1, "wrong-type"),
        ("id", SOME_ID.replace("-", ""), "wrong-type"),
        ("id", "{" + SOME_ID + "}", "wrong-type"),
        ("id", SOME_ID + "\n", "wrong-type"),
        ("count", "1", "wrong-type"),
        ("count", 1.0, "wrong-type"),
        ("count", True, "wrong-type"),
        ("count", 0, "out-of-range"),
        ("count", 10**30, "out-of-range"),
        ("flag", 1, "wrong-type"),
        ("flag", "true", "wrong-type"),
        ("tags", "ab", "wrong-type"),
        ("tags", ["a", "b", "c"], "wrong-length"),
        ("at", "2026-03-15T20:00:00", "wrong-type"),
        ("at", "2026-03-15", "wrong-type"),
        ("at", "2026-03-15 20:00:00+08:00", "wrong-type"),
        ("at", "2026-02-30T20:00:00Z", "wrong-type"),
        ("at", "2026-03-15T20:00:00+99:00", "wrong-type"),
        ("at", "２０２６-03-15T20:00:00Z", "wrong-type"),
        ("at", 1773547200, "wrong-type"),
        ("at", "2026-03-15T12:05:01Z", "out-of-range"),
        ("at", "1999-12-31T23:59:59Z", "out-of-range"),
        ("at", "0001-01-01T00:00:00+23:59", "out-of-range"),
        ("at", "9999-12-31T23:59:59-23:59", "out-of-range"),
    ],
)
def test_it_refuses(field: str, value: Any, code: str) -> None:
    with pytest.raises(ValidationError) as refused:
        read(**{field: value})

    (error,) = refused.value.detail[field]  # type: ignore[index, misc]
    assert error.code == code


def test_it_names_the_item_of_a_list() -> None:
    with pytest.raises(ValidationError) as refused:
        read(tags=["a", "too long"])

    assert set(refused.value.detail["tags"]) == {1}  # type: ignore[call-overload, arg-type]


@pytest.mark.parametrize("data", [None, [], "x", 1])
def test_it_refuses_what_is_no_object(data: Any) -> None:
    with pytest.raises(ValidationError):
        AllIn.read(data, now=NOW)


def test_it_refuses_unknown_members_and_says_which_there_are() -> None:
    with pytest.raises(ValidationError) as refused:
        read(surname="x")

    (error,) = refused.value.detail["non_field_errors"]  # type: ignore[call-overload, misc]
    assert error.code == "unknown-field"
    assert "surname" not in error
    assert "name, text" in error
