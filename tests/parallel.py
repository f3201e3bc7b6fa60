"""Runs the same deed in many threads at once, each with its own connection.

>>> run_parallel(50, lambda number: post(number))  # doctest: +SKIP
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

from django.db import connections

Result = TypeVar("Result")


def run_parallel(count: int, deed: Callable[[int], Result]) -> list[Result]:
    """Run `deed(0)` to `deed(count - 1)`, started together; return their results.

    Raises what the first failing thread raised.
    """
    barrier = Barrier(count)

    def run(number: int) -> Result:
        barrier.wait(timeout=30)
        try:
            return deed(number)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))
