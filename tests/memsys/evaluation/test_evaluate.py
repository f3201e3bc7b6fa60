"""`manage.py evaluate` as a person runs it: by itself, and leaving nothing behind."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from memsys.chaos.model_server import ModelServer
from memsys.chaos.questions import Asked
from memsys.chaos.troubles import Trouble
from memsys.running.processes import identify
from tests.signals import hear_signals

HERE = Path(__file__).parent
BASE_DIR = HERE.parents[2]
GIVEN = re.compile(r"(DATABASE_\w*URL|VALKEY_URL|SECRET_KEY)(_FILE)?|MEMSYS_DIR")
RECALL_KEYS = {
    "recall@1", "recall@3", "recall@5", "recall@10", "mrr", "ndcg@5", "queries",
}  # fmt: skip


def start(
    folder: Path, *arguments: object, **environment: str
) -> subprocess.Popen[str]:
    """Start it where nothing is set but what is given, with `folder` for its files."""
    clean = {k: v for k, v in os.environ.items() if not GIVEN.fullmatch(k)}
    return subprocess.Popen(
        [sys.executable, "manage.py", "evaluate", *map(str, arguments)],
        cwd=BASE_DIR,
        env={
            **clean,
            "MEMSYS_DIR": str(folder / "none"),
            "TMPDIR": str(folder),
            "EMBEDDING_BACKEND": "hash",
            **environment,
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=hear_signals,
    )


def run(folder: Path, *arguments: object, **environment: str) -> tuple[int, str, str]:
    with start(folder, *arguments, **environment) as process:
        output, errors = process.communicate(timeout=120)
    return process.returncode, output, errors


def wait_until(is_done: Callable[[], object], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not is_done() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert is_done()


def list_scratch(folder: Path) -> list[Path]:
    return list(folder.glob("memsys-scratch-*"))


@pytest.mark.slow
def test_it_measures_recall_beside_any_database_and_removes_all(tmp_path: Path) -> None:
    code, output, errors = run(
        tmp_path,
        *("recall", HERE / "recall.jsonl", "--json"),
        DATABASE_URL="postgres://nobody@127.0.0.1:1/never",
        DATABASE_OWNER_URL_FILE="/nowhere",
        VALKEY_URL="redis://127.0.0.1:1/0",
    )

    assert code == 0, errors
    printed = json.loads(output)
    assert {"sets", "macro"} <= set(printed)
    assert set(printed["sets"]) == {"small", "other"}
    assert set(printed["macro"]) == set(printed["sets"]["small"]) == RECALL_KEYS
    assert printed["sets"]["small"]["queries"] == 3
    assert printed["macro"]["recall@10"] == 1.0
    assert "12/12" in errors
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_it_prints_a_table_of_each_part(tmp_path: Path) -> None:
    code, output, errors = run(
        tmp_path,
        *("recall", HERE / "recall.jsonl", "--legs", "lexical"),
        *("--without", "stop-words", "--without", "dates"),
    )

    assert code == 0, errors
    parts = ("as ranked", "in the prompt", "tuning half", "other half", "macro")
    assert [part for part in parts if part not in output] == []
    assert "Recall, lexical leg, no dates, no stop-words" in output
    assert max(map(len, output.splitlines())) <= 80


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "moment"),
    [
        (signal.SIGINT, "*"),
        (signal.SIGINT, "*/postgres/postmaster.pid"),
        (signal.SIGTERM, "*/postgres/postmaster.pid"),
        (signal.SIGHUP, "*/postgres/postmaster.pid"),
    ],
)
def test_it_removes_all_when_it_is_stopped(
    tmp_path: Path, number: signal.Signals, moment: str
) -> None:
    with start(tmp_path, "recall", HERE / "recall.jsonl") as process:
        # A file that was just made may still be empty.
        wait_until(
            lambda: [p for p in tmp_path.glob(moment) if p.is_dir() or p.stat().st_size]
        )
        pids = [
            int(path.read_text().split()[0])
            for path in tmp_path.glob("*/postgres/postmaster.pid")
            if path.stat().st_size
        ]
        process.send_signal(number)
        output, errors = process.communicate(timeout=60)

    assert (process.returncode, output) == (130, ""), errors
    assert "Traceback" not in errors
    assert list_scratch(tmp_path) == []
    assert [pid for pid in pids if identify(pid)] == []


@pytest.mark.slow
def test_it_removes_all_after_an_error(tmp_path: Path) -> None:
    code, output, errors = run(
        tmp_path,
        *("recall", HERE / "recall.jsonl"),
        EMBEDDING_BACKEND="openai",
        EMBEDDING_BASE_URL="http://127.0.0.1:1/v1",
        EMBEDDING_API_KEY="k",
        EMBEDDING_MODEL="m",
    )

    assert (code, output) == (1, "")
    assert "The embedder gave no vector of a memory." in errors
    assert list_scratch(tmp_path) == []


def test_it_measures_the_privacy_filter_without_a_server(tmp_path: Path) -> None:
    code, output, errors = run(tmp_path, "privacy", HERE / "privacy.jsonl", "--json")

    assert (code, errors) == (0, "")
    assert json.loads(output) == {
        "spans": 2,
        "found": 1,
        "negatives": 1,
        "negatives_hit": 0,
        "by_kind": {
            "phone": {"spans": 1, "found": 1},
            "secret": {"spans": 1, "found": 0},
        },
    }


def test_it_measures_time_words_without_a_server(tmp_path: Path) -> None:
    code, output, errors = run(tmp_path, "time", HERE / "times.jsonl", "--json")

    assert (code, errors) == (0, "")
    assert json.loads(output) == {
        "total": 2,
        "right": 1,
        "false_hits": 1,
        "no_window": 2,
    }


def test_it_measures_the_rules_without_a_server(tmp_path: Path) -> None:
    code, output, errors = run(
        tmp_path, "extraction", HERE / "sessions.jsonl", "--json"
    )

    assert (code, errors) == (0, "")
    assert json.loads(output) == {
        "facts": 5,
        "found": 4,
        "made": 4,
        "right": 4,
        "traps": 2,
        "traps_hit": 0,
        "by_kind": {
            "preference": {"facts": 1, "found": 1},
            "taboo": {"facts": 1, "found": 1},
            "commitment": {"facts": 1, "found": 1},
            "event": {"facts": 1, "found": 1},
            "fact": {"facts": 1, "found": 0},
        },
    }


def test_it_prints_precision_recall_and_traps(tmp_path: Path) -> None:
    code, output, errors = run(tmp_path, "extraction", HERE / "sessions.jsonl")

    assert (code, errors) == (0, "")
    assert "Extraction, rules alone" in output
    assert re.search(r"recall: facts found +5 +4 +0\.800", output)
    assert re.search(r"precision: memories right +4 +4 +1\.000", output)
    assert re.search(r"traps hit +2 +0 +0\.000", output)


def test_it_refuses_to_ask_a_model_that_is_not_set(tmp_path: Path) -> None:
    code, output, errors = run(
        tmp_path,
        *("extraction", HERE / "sessions.jsonl", "--with-model"),
        LLM_BASE_URL="",
    )

    assert (code, output) == (1, "")
    assert "set LLM_BASE_URL, LLM_MODEL and LLM_API_KEY" in errors


def state_a_home(asked: Asked) -> dict[str, object]:
    """Find what the rules miss: where the one lives who says 鳳爪."""
    lines = [line for line in asked.lines if "鳳爪" in line["text"]]
    facts = [
        {
            "kind": "preference",
            "subject": "user",
            "about": "鳳爪",
            "value": "鳳爪",
            "polarity": -1,
            "quote": line["text"],
            "text": line["text"],
            "messages": [line["n"]],
            "happened_on": None,
            "due_on": None,
            "importance": 0.5,
        }
        for line in lines
    ]
    return {"facts": facts, "rejected": [c["c"] for c in asked.candidates if not lines]}


def with_model(server: ModelServer) -> dict[str, str]:
    return {
        "LLM_BASE_URL": server.url,
        "LLM_ALLOWED_HOSTS": "127.0.0.1",
        "LLM_API_KEY": "key-of-the-tests",
        "LLM_MODEL": "tester",
        "LLM_MIN_CHARS": "1",
    }


@pytest.mark.slow
def test_it_asks_the_model_once_a_session(tmp_path: Path) -> None:
    with ModelServer(answer=state_a_home) as server:
        code, output, errors = run(
            tmp_path,
            *("extraction", HERE / "sessions.jsonl", "--with-model", "--json"),
            **with_model(server),
        )

    assert code == 0, errors
    printed = json.loads(output)
    # It rejected what the rules found in the first session, and agreed in the second.
    assert (printed["made"], printed["found"]) == (1, 1)
    assert (server.received, server.answered) == (2, 2)


@pytest.mark.slow
def test_it_counts_the_rules_facts_where_an_answer_is_none(tmp_path: Path) -> None:
    with ModelServer() as server:
        server.misbehave(Trouble.HTML)
        code, output, errors = run(
            tmp_path,
            *("extraction", HERE / "sessions.jsonl", "--with-model", "--json"),
            **with_model(server),
        )

    assert code == 0, errors
    assert json.loads(output)["found"] == 4
    assert "1 of 2 answers could not be used" in errors


@pytest.mark.slow
def test_it_stops_when_the_model_cannot_be_reached(tmp_path: Path) -> None:
    with ModelServer() as server:
        server.misbehave(Trouble.UNAUTHORIZED)
        code, output, errors = run(
            tmp_path,
            *("extraction", HERE / "sessions.jsonl", "--with-model"),
            **with_model(server),
        )

    assert (code, output) == (1, "")
    assert "The model cannot be reached" in errors


@pytest.mark.parametrize("kind", ["recall", "privacy", "time", "extraction"])
def test_it_names_a_fault_before_it_starts_anything(tmp_path: Path, kind: str) -> None:
    (tmp_path / "bad.jsonl").write_text('{"text": 1}\n')

    code, output, errors = run(tmp_path, kind, tmp_path / "bad.jsonl")

    assert (code, output) == (1, "")
    assert "bad.jsonl, line 1: " in errors
    assert list_scratch(tmp_path) == []


def test_it_tells_its_options_without_settings(tmp_path: Path) -> None:
    code, output, _ = run(tmp_path, "recall", "--help")

    assert code == 0
    assert all(option in output for option in ("--legs", "--without", "--json"))
