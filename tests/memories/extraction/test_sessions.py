"""Whole sessions with labels: how much is found, how much is wrong, which traps bite.

The project's own sets are shipped with `evaluate extraction`; those beside this file
hold sessions that were got wrong once. The shared ones count where they are.
"""

from pathlib import Path

import pytest

from memsys.evaluation.extraction import measure_extraction
from memsys.evaluation.files import read_records
from memsys.evaluation.sessions import SessionLine

HERE = Path(__file__).resolve().parent
BASE_DIR = HERE.parents[2]
SETS = BASE_DIR / "memsys" / "evaluation" / "sets"
SHARED = BASE_DIR.parent / "shared" / "data" / "extraction_zh.jsonl"

BARS = [
    (HERE / "sessions_zh.jsonl", 0.9, 0.85),
    (HERE / "days_zh.jsonl", 0.9, 0.85),
    (SETS / "extraction_zh.jsonl", 0.9, 0.8),
    (SETS / "extraction_more_zh.jsonl", 0.9, 0.75),
    (SHARED, 0.95, 0.95),
]


@pytest.mark.parametrize(
    ("path", "precision", "recall"),
    BARS,
    ids=["once wrong", "days", "own", "own, more", "shared"],
)
def test_it_reaches_the_bars(path: Path, precision: float, recall: float) -> None:
    if path == SHARED and not path.exists():
        pytest.skip("the shared set is not here")

    result = measure_extraction(read_records(path, SessionLine))

    assert result.right / result.made >= precision
    assert result.found / result.facts >= recall
    assert result.traps_hit / result.traps <= 0.03
