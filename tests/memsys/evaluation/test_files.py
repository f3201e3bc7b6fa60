"""Labelled files: what is taken, and which fault is named where."""

import json
from pathlib import Path
from typing import Any

import pytest

from memsys.evaluation.errors import BadFile
from memsys.evaluation.files import read_records
from memsys.evaluation.labelled import RecallLine, read_relationships
from memsys.evaluation.privacy import PrivacyLine
from memsys.evaluation.sessions import SessionLine
from memsys.evaluation.times import TimeLine

HERE = Path(__file__).parent
TS = "2026-11-30T15:00:00+08:00"
MEMORY = {"id": "m", "text": "猫", "ts": TS}
QUERY = {"text": "猫", "gold": ["m"], "ts": TS}
RECALL = {"dataset": "d", "memories": [MEMORY], "queries": [QUERY]}
MESSAGE = {"author_kind": "user", "text": "我爱猫", "sent_at": TS}
FACT = {"kind": "preference", "about": "user", "polarity": 1, "contains": ["猫"]}
TRAP = {"type": "joke", "must_not_contain": ["狗"]}
SESSION = {
    "id": "s",
    "time_zone": "Asia/Shanghai",
    "messages": [MESSAGE],
    "facts": [FACT],
    "traps": [TRAP],
}
TIME = {"text": "昨天", "now": TS, "start": TS, "end": TS}


def write(folder: Path, *lines: object) -> Path:
    path = folder / "labelled.jsonl"
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("\n".join(texts), encoding="utf-8")
    return path


def test_it_reads_lines_and_passes_over_blank_ones_and_unknown_fields() -> None:
    lines = read_relationships([HERE / "recall.jsonl"])

    assert [line.dataset for line in lines] == ["small", "other"]
    assert [len(line.memories) for line in lines] == [7, 1]
    assert [len(line.answerable) for line in lines] == [3, 1]


RECALL_FAULTS: list[tuple[object, str]] = [
    ("{", "Invalid JSON"),
    ("[]", "object"),
    (RECALL | {"dataset": ""}, "dataset: "),
    ({k: v for k, v in RECALL.items() if k != "memories"}, "memories: Field required"),
    (RECALL | {"memories": [MEMORY | {"ts": "yesterday"}]}, "memories.0.ts: "),
    (RECALL | {"memories": [MEMORY | {"ts": TS[:-6]}]}, "memories.0.ts: "),
    (RECALL | {"memories": [MEMORY | {"id": 1}]}, "memories.0.id: "),
    (RECALL | {"memories": [MEMORY | {"text": " \u0000"}]}, "memories.0.text: "),
    (RECALL | {"memories": [MEMORY, MEMORY]}, "memories.1.id: another"),
    (RECALL | {"queries": [QUERY | {"gold": ["x"]}]}, "queries.0.gold: it names no"),
    (RECALL | {"queries": [QUERY | {"text": "  "}]}, "queries.0.text: "),
    (RECALL | {"queries": [{"text": "猫"}]}, "queries.0.gold: Field required"),
]


@pytest.mark.parametrize(("line", "problem"), RECALL_FAULTS)
def test_it_names_line_and_field_of_a_fault(
    tmp_path: Path, line: object, problem: str
) -> None:
    path = write(tmp_path, RECALL, "", line)

    with pytest.raises(BadFile) as caught:
        read_relationships([path])

    assert str(caught.value).startswith(f"{path}, line 3: ")
    assert problem in str(caught.value)


OTHER_FAULTS: list[tuple[type[Any], object, str]] = [
    (
        PrivacyLine,
        {"text": "在吗", "spans": [{"kind": "phone", "value": "138"}]},
        "spans.0.value: it is not in the text",
    ),
    (
        PrivacyLine,
        {"text": "138", "spans": [{"kind": "a", "value": "138"}] * 2},
        "spans.1.value: it is not in the text",
    ),
    (PrivacyLine, {"text": "在吗"}, "spans: Field required"),
    (TimeLine, TIME | {"end": None}, "end: start and end are given both"),
    (TimeLine, TIME | {"start": TS, "end": "2026-11-29T00:00:00Z"}, "end: it lies"),
    (TimeLine, TIME | {"now": None}, "now: "),
    (
        SessionLine,
        SESSION | {"time_zone": "Asia/Peking"},
        "time_zone: there is no such",
    ),
    (SessionLine, SESSION | {"time_zone": "../x"}, "time_zone: there is no such"),
    (SessionLine, SESSION | {"messages": []}, "messages: "),
    (
        SessionLine,
        SESSION | {"messages": [MESSAGE | {"author_kind": "bot"}]},
        "messages.0.author_kind: needs one of user, creator",
    ),
    (
        SessionLine,
        SESSION | {"messages": [MESSAGE, MESSAGE | {"sent_at": TS[:-6]}]},
        "messages.1.sent_at: ",
    ),
    (SessionLine, SESSION | {"facts": [FACT | {"kind": "x"}]}, "facts.0.kind: needs"),
    (SessionLine, SESSION | {"facts": [FACT | {"about": "ai"}]}, "facts.0.about: "),
    (SessionLine, SESSION | {"facts": [FACT | {"polarity": 2}]}, "facts.0.polarity: "),
    (SessionLine, SESSION | {"facts": [FACT | {"contains": []}]}, "facts.0.contains: "),
    (SessionLine, SESSION | {"facts": [FACT | {"on": "today"}]}, "facts.0.on: "),
    (
        SessionLine,
        SESSION | {"traps": [TRAP | {"must_not_contain": [" "]}]},
        "traps.0.must_not_contain.0: ",
    ),
    (SessionLine, {k: v for k, v in SESSION.items() if k != "traps"}, "traps: Field"),
]


@pytest.mark.parametrize(("kind", "line", "problem"), OTHER_FAULTS)
def test_it_names_the_faults_of_each_format(
    tmp_path: Path, kind: type[Any], line: object, problem: str
) -> None:
    path = write(tmp_path, line)

    with pytest.raises(BadFile) as caught:
        read_records(path, kind)

    assert str(caught.value).startswith(f"{path}, line 1: ")
    assert problem in str(caught.value)


def test_it_does_not_quote_what_a_line_holds(tmp_path: Path) -> None:
    secret = "13800138000"
    path = write(tmp_path, {"text": "在吗", "spans": [{"kind": "p", "value": secret}]})

    with pytest.raises(BadFile) as caught:
        read_records(path, PrivacyLine)

    assert secret not in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"\n \n"])
def test_it_refuses_an_empty_file(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "empty.jsonl"
    path.write_bytes(content)

    with pytest.raises(BadFile, match="holds no line"):
        read_records(path, RecallLine)


def test_it_refuses_a_file_that_is_not_there_or_no_text(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")

    with pytest.raises(BadFile, match="cannot be read: No such file"):
        read_records(tmp_path / "missing", RecallLine)
    with pytest.raises(BadFile, match="is not UTF-8"):
        read_records(tmp_path / "binary", RecallLine)


def test_it_refuses_a_set_that_asks_nothing_with_an_answer(tmp_path: Path) -> None:
    path = write(tmp_path, RECALL | {"queries": [QUERY | {"gold": []}]})

    with pytest.raises(BadFile, match="no query has gold"):
        read_relationships([path])
