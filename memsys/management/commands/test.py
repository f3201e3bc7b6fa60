"""`manage.py test`: run the tests with pytest; all arguments are pytest's.

It is called without settings: the tests bring their own servers and settings.
"""

import os
import sys
from pathlib import Path

from django.core.management.base import BaseCommand

BASE_DIR = Path(__file__).resolve().parents[3]


class Command(BaseCommand):
    help = "Run the tests; takes the arguments of pytest."

    def run_from_argv(self, argv: list[str]) -> None:
        os.chdir(BASE_DIR)
        arguments = [sys.executable, "-m", "pytest", *argv[2:]]
        os.execv(sys.executable, arguments)
