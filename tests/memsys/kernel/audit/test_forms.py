"""Chained columns hold ids and codes; what people say does not get in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memsys.kernel.audit.chain import Deed, deed_chain
from memsys.kernel.audit.errors import ImproperDeed

KEY = "01a23002-20e2-7eec-9876-673dbe5d2c04"
PROPER = {
    "chain": ["deeds-07", "governance", "heads", "test-0a"],
    "action": ["memory.erased", "desk.detail_viewed", "tested", "erasure.re-verified"],
    "actor": [
        "service:ab12cd34", "staff:7", f"user:{KEY}", "system:custody",
        "command:service_key", "job:x",
    ],
    "object_ref": [
        "", f"relationship:{KEY}", "auth.user:7", "identity.creator:",
        "kernel.audithead:deeds-07", f"heads_file:heads-2026-12.jsonl/4096/{'0a' * 32}",
        "request:R-20261201-00042", "policy_text:release:birthday/2",
    ],
    "reason_code": ["", "user-request", "creator_message", "24h"],
}  # fmt: skip
IMPROPER = {
    "chain": ["", "Deeds", "deeds 07", "x" * 41, "小明"],
    "action": ["", "Said so", "memory.erased ", "说", "a.", "x" * 61],
    "actor": [
        "", "staff", "staff:", "ann:7", "staff:小明", "user:ann@example.com",
        "service:ab 12", "staff:7\n", "user:" + "x" * 81,
    ],
    "object_ref": [
        "user", "user:小明", "memory:I like the sea", ":7", "User:7",
        "relationship:1?q=x", "memory:\n", "m:" + "x" * 200,
    ],
    "reason_code": ["because she asked", "原因", "-", "x" * 61, "A", "x\n"],
}  # fmt: skip


def make_deed(**columns: str) -> Deed:
    return Deed(**{"chain": "tests", "action": "tested", "actor": "staff:7", **columns})


def pairs(table: dict[str, list[str]]) -> list[tuple[str, str]]:
    return [(name, value) for name, values in table.items() for value in values]


@pytest.mark.parametrize(("name", "value"), pairs(PROPER))
def test_it_takes_ids_and_codes(name: str, value: str):
    assert getattr(make_deed(**{name: value}), name) == value


@pytest.mark.parametrize(("name", "value"), pairs(IMPROPER))
def test_it_takes_nothing_else(name: str, value: str):
    with pytest.raises(ImproperDeed) as refused:
        make_deed(**{name: value})

    assert str(refused.value) == f"Ids and codes only: {name}."


@pytest.mark.parametrize("value", ["First name", "昵称", "", "text\n"])
def test_it_takes_names_of_fields_as_codes_too(value: str):
    with pytest.raises(ImproperDeed):
        Deed("tests", "tested", "staff:7", field_names=("text", value))


@given(
    name=st.sampled_from(sorted(PROPER)),
    text=st.text(min_size=1).filter(lambda one: not one.isascii() or " " in one),
)
def test_no_sentence_and_no_name_in_chinese_fits_any_column(name: str, text: str):
    for value in (text, f"staff:{text}", f"a.{text}"):
        with pytest.raises(ImproperDeed):
            make_deed(**{name: value})


@given(st.uuids())
def test_every_id_of_ours_fits(key):
    deed = make_deed(
        chain=deed_chain(key), actor=f"user:{key}", object_ref=f"memory:{key}"
    )

    assert deed.object_ref.endswith(str(key))
