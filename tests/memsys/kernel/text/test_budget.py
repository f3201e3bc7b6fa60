"""Counting tokens."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memsys.kernel.text.budget import count_tokens, fits

LINE = "我今天有点难过，下班路上想起你上次说的那家火锅店，周末一起去好不好？"


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("hello world", 2),
        ("Hello, world!", 4),
        ("a" * 8, 1),
        ("<|endoftext|>", 7),
    ],
)
def test_it_counts_as_the_published_encoding_does(text: str, tokens: int) -> None:
    assert count_tokens(text) == tokens


def test_it_counts_chinese_by_tokens_and_not_by_a_quarter_of_its_length() -> None:
    """Acceptance row 52."""
    history = (LINE * 200)[:3000]

    counted = count_tokens(history)

    assert counted > 2 * len(history) / 4
    assert not fits(history, counted - 1)
    assert fits(history, counted)


def test_it_counts_the_whole_string_and_not_its_parts() -> None:
    parts = list("今天我们一起")

    together = count_tokens("".join(parts))

    assert together < sum(count_tokens(part) for part in parts)


def test_it_counts_a_million_characters() -> None:
    assert count_tokens("哈" * 1_000_000) > 100_000


@given(st.text(st.characters(categories=None), max_size=40), st.integers(-2, 50))
def test_it_agrees_with_itself_on_what_fits(text: str, budget: int) -> None:
    assert fits(text, budget) == (count_tokens(text) <= budget)


def test_it_counts_alike_in_many_threads() -> None:
    with ThreadPoolExecutor(8) as pool:
        counts = set(pool.map(count_tokens, [LINE] * 64))

    assert len(counts) == 1


def output_of(program: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    return done.stdout.strip()


def test_it_needs_no_network() -> None:
    program = (
        "import socket\n"
        "class Refused(socket.socket):\n"
        "    def __init__(self, *args, **kwargs):\n"
        "        raise AssertionError('network')\n"
        "socket.socket = Refused\n"
        "from memsys.kernel.text.budget import count_tokens\n"
        "print(count_tokens('hello world'))\n"
    )

    assert output_of(program) == "2"


def test_it_loads_its_tables_only_when_asked() -> None:
    program = (
        "import sys\n"
        "import memsys.kernel.text.budget\n"
        "print('bpe_openai' in sys.modules)\n"
    )

    assert output_of(program) == "False"
