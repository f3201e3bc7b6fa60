"""Chat logs: every bad line is named, none is quoted, nothing of its file is kept."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from identity.resolution import Address
from memsys.chat_log import ChatLine, ChatLogError, parse_line, read_lines

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
LINE = {
    "user": "u-1",
    "creator": "c-1",
    "persona": "night",
    "author_kind": "user",
    "text": "我养了一只猫",
    "sent_at": "2026-11-01T20:00:00+08:00",
}


def line_of(**fields: Any) -> str:
    return json.dumps(LINE | fields, ensure_ascii=False)


def parse(text: str) -> ChatLine:
    return parse_line(text, number=7, now=NOW)


def read(path: Path, data: bytes) -> list[ChatLine]:
    path.write_bytes(data)
    return list(read_lines(path, now=NOW))


class TestLines:
    def test_it_names_a_relationship_and_holds_a_message(self) -> None:
        line = parse(line_of(id="m-1", text="打我电话13800138000"))

        assert line.address == Address("u-1", "default", "c-1", "night")
        assert line.filtered.text == "打我电话[手机号]"
        assert line.filtered.external_id == "m-1"
        assert line.filtered.masked == {"mobile": 1}

    def test_it_may_name_a_facet(self) -> None:
        assert parse(line_of(facet="work")).address.facet == "work"

    def test_its_text_is_cleaned_like_a_posted_one(self) -> None:
        """Acceptance row 53."""
        line = parse(json.dumps(LINE | {"text": "我\x00爱你\ud83d"}))

        assert line.filtered.text == "我爱你"

    @pytest.mark.parametrize(
        "sent_at", ["2026-11-01T12:00:00Z", "2026-11-01T20:00:00.5+08:00"]
    )
    def test_it_takes_times_with_an_offset(self, sent_at: str) -> None:
        assert parse(line_of(sent_at=sent_at)).sent_at.tzinfo is not None


class TestBadLines:
    @pytest.mark.parametrize(
        "text",
        ["", "暗号", "[]", "1", "null", '"暗号"', '{"user": ', "{" * 100_000,
         "[" * 100_000, "\ufeff{}"],
    )  # fmt: skip
    def test_one_that_is_no_object_is_named(self, text: str) -> None:
        with pytest.raises(ChatLogError, match="Line 7: not a JSON object"):
            parse(text)

    @pytest.mark.parametrize(
        ("fields", "field"),
        [
            ({"relationship": "01a22e6b-8f2f-76c9-b92e-824e7e98892e"}, "relationship"),
            ({"relationship_id": "x"}, "relationship_id"),
            ({"user": ""}, "user"),
            ({"user": " "}, "user"),
            ({"user": "a\u0000b"}, "user"),
            ({"user": "x" * 201}, "user"),
            ({"user": 7}, "user"),
            ({"user": None}, "user"),
            ({"facet": ""}, "facet"),
            ({"creator": "\t"}, "creator"),
            ({"persona": "\u200b"}, "persona"),
            ({"id": ""}, "id"),
            ({"id": " m"}, "id"),
            ({"id": 5}, "id"),
            ({"author_kind": "robot"}, "author_kind"),
            ({"author_kind": None}, "author_kind"),
            ({"text": ""}, "text"),
            ({"text": "\u0000 "}, "text"),
            ({"text": "长" * 8001}, "text"),
            ({"text": ["暗号"]}, "text"),
            ({"sent_at": "yesterday"}, "sent_at"),
            ({"sent_at": "2026-11-01"}, "sent_at"),
            ({"sent_at": "2026-11-01T20:00:00"}, "sent_at"),
            ({"sent_at": 1_700_000_000}, "sent_at"),
            ({"sent_at": "2026-11-30T12:06:00Z"}, "sent_at"),
            ({"sent_at": "9999-12-31T23:59:59-12:00"}, "sent_at"),
            ({"sent_at": "0001-01-01T00:00:00+14:00"}, "sent_at"),
            ({"sent_at": "1999-12-31T23:59:59Z"}, "sent_at"),
        ],
    )
    def test_a_bad_field_is_named_with_its_line(
        self, fields: dict[str, Any], field: str
    ) -> None:
        """Acceptance rows 4 and 9: a log cannot name a relationship by its id."""
        with pytest.raises(ChatLogError, match=rf"^Line 7: {field}: "):
            parse(json.dumps(LINE | fields))

    @pytest.mark.parametrize("missing", sorted(LINE))
    def test_a_missing_field_is_named(self, missing: str) -> None:
        fields = {name: value for name, value in LINE.items() if name != missing}

        with pytest.raises(ChatLogError, match=f"Line 7: {missing}: Field required"):
            parse(json.dumps(fields))

    @pytest.mark.parametrize(
        "fields",
        [
            {"text": ["暗号-7731"]},
            {"sent_at": "暗号-7731"},
            {"user": "暗号-7731" * 30},
            {"author_kind": "暗号-7731"},
        ],
    )
    def test_no_error_quotes_a_value(self, fields: dict[str, Any]) -> None:
        """Acceptance row 21, for what operators see."""
        with pytest.raises(ChatLogError) as caught:
            parse(line_of(**fields))

        assert "暗号" not in str(caught.value)


class TestFiles:
    def test_marks_and_line_ends_of_other_systems_are_passed_over(
        self, tmp_path: Path
    ) -> None:
        data = f"\ufeff{line_of()}\r\n\r\n  \r\n{line_of(text='你好')}".encode()

        lines = read(tmp_path / "log.jsonl", data)

        assert [line.text for line in lines] == ["我养了一只猫", "你好"]

    def test_a_line_separator_inside_a_text_ends_no_line(self, tmp_path: Path) -> None:
        data = line_of(text="一\u2028二").encode()

        assert len(read(tmp_path / "log.jsonl", data)) == 1

    def test_blank_lines_count_in_the_number_of_a_bad_one(self, tmp_path: Path) -> None:
        data = f"\n{line_of()}\n\nbad\n".encode()

        with pytest.raises(ChatLogError, match="Line 4"):
            read(tmp_path / "log.jsonl", data)

    def test_another_encoding_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(UnicodeDecodeError):
            read(tmp_path / "log.jsonl", line_of().encode("gb18030"))
