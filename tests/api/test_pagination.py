"""Cursors: opaque, not to be forged, and not to be taken elsewhere."""

import base64
from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memsys.api.errors import InvalidCursor, NotReachable
from memsys.api.pagination import Binding, Page, Position, open_cursor, seal

BINDING = Binding(owner=("relationship", "key"), question=("list", "None"))
POSITION = Position(datetime(2026, 3, 15, 12, 0, 0, 1, tzinfo=UTC), UUID(int=7))


@given(
    at=st.datetimes(
        min_value=datetime(1900, 1, 1),  # noqa: DTZ001
        timezones=st.just(UTC),
    ),
    some_id=st.uuids(),
)
def test_it_opens_what_it_sealed(at: datetime, some_id: UUID) -> None:
    position = Position(at, some_id)

    assert open_cursor(seal(position, BINDING), BINDING) == position


def test_it_tells_nothing_of_the_position() -> None:
    cursor = seal(POSITION, BINDING)

    raw = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    assert POSITION.id.bytes not in raw
    assert (1773576000000001).to_bytes(8, "big") not in raw
    assert b"relationship" not in raw


def test_two_near_positions_do_not_look_alike() -> None:
    near = Position(POSITION.at, UUID(int=8))

    one, other = seal(POSITION, BINDING), seal(near, BINDING)

    assert sum(a == b for a, b in zip(one, other, strict=True)) < len(one) / 4


def test_it_refuses_a_cursor_that_was_changed_anywhere() -> None:
    cursor = seal(POSITION, BINDING)

    for place in range(len(cursor)):
        swapped = "A" if cursor[place] != "A" else "Q"
        changed = cursor[:place] + swapped + cursor[place + 1 :]
        with pytest.raises((InvalidCursor, NotReachable)) as refused:
            open_cursor(changed, BINDING)
        assert refused.value.code == "invalid-cursor"


@pytest.mark.parametrize(
    "cursor",
    ["", "x", "=", "猫", "a" * 76, "a" * 75, "a" * 400, "AAAA", "-_-_", "+/+/"],
)
def test_it_refuses_what_it_never_made(cursor: str) -> None:
    with pytest.raises(InvalidCursor):
        open_cursor(cursor, BINDING)


def test_a_cursor_of_another_owner_leads_nowhere() -> None:
    other = Binding(owner=("relationship", str(uuid4())), question=BINDING.question)

    with pytest.raises(NotReachable):
        open_cursor(seal(POSITION, other), BINDING)


def test_a_cursor_of_another_question_is_not_valid() -> None:
    other = Binding(owner=BINDING.owner, question=("list", "fact"))

    with pytest.raises(InvalidCursor):
        open_cursor(seal(POSITION, other), BINDING)


def test_the_parts_of_a_binding_do_not_run_together() -> None:
    one = Binding(owner=("ab", "c"), question=())
    other = Binding(owner=("a", "bc"), question=())

    assert one.digests() != other.digests()


@pytest.mark.parametrize(
    ("count", "shown", "has_more"), [(0, 0, False), (2, 2, False), (3, 2, True)]
)
def test_a_page_ends_where_its_rows_end(count: int, shown: int, has_more: bool) -> None:
    rows = [Position(POSITION.at, UUID(int=number)) for number in range(count)]

    page = Page.of(rows, limit=2, mark=lambda row: row)

    assert len(page.rows) == shown
    assert (page.end is not None) is has_more
    assert page.end is None or page.end == page.rows[-1]
