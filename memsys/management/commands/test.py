"""`manage.py test`: run the tests with pytest; all arguments are pytest's.

It is called without settings: the tests bring their own servers and settings. Without
a path, which is the whole suite, two workers share the files; each starts servers of
its own, for which a few files are not worth the while. `-n 0` has one process run all.

>>> list_arguments(["tests/recall"])
['tests/recall']
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from django.core.management.base import BaseCommand

BASE_DIR = Path(__file__).resolve().parents[3]
# By files, in their order: those with the fewest tests, which would come last, are
# those that take longest.
TWO_WORKERS = ("-n", "2", "--dist", "loadfile", "--no-loadscope-reorder")
# They speak with a person, which a worker cannot.
SPOKEN = ("--pdb", "--trace", "-s", "--capture=no")


class Command(BaseCommand):
    help = "Run the tests; takes the arguments of pytest."

    def run_from_argv(self, argv: list[str]) -> None:
        os.chdir(BASE_DIR)
        arguments = list_arguments(argv[2:])
        os.execv(sys.executable, [sys.executable, "-m", "pytest", *arguments])


def list_arguments(given: Sequence[str]) -> list[str]:
    """Return what pytest is called with; what is given comes last, so it counts."""
    names_path = any((BASE_DIR / one.partition("::")[0]).exists() for one in given)
    is_one_process = names_path or any(one in SPOKEN for one in given)
    return [*(() if is_one_process else TWO_WORKERS), *given]
