"""Random contexts are counted as they are sent."""

from memsys.evaluation.budgets import measure_budget


def test_it_finds_none_over_its_budget() -> None:
    """Acceptance rows 52 and 80."""
    steps: list[None] = []

    result = measure_budget(count=200, seed=7, advance=lambda: steps.append(None))

    assert (result.prompts, result.over, len(steps)) == (200, 0, 200)
    assert 0.9 < result.fullest <= 1.0


def test_it_makes_the_same_ones_again() -> None:
    assert measure_budget(count=20, seed=3) == measure_budget(count=20, seed=3)
