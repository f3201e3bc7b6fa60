"""The instructions of the model, one file for each version, and the prompt they open.

Owns the files. A version that was used is never edited: its name is stored with every
attempt. What is said of a session is written by `transcript`.

>>> instructions("extraction_1").splitlines()[0][:7]
'你是记忆整理员'
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

_FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Prompt:
    """What is sent: instructions of ours, then data that others wrote."""

    version: str
    system: str
    user: str


@cache
def instructions(version: str) -> str:
    """Return the instructions of a version.

    Raises:
        ImproperlyConfigured: there is no such version.
    """
    if version not in list_versions():
        raise ImproperlyConfigured("There is no prompt of that version.")
    text = (_FOLDER / f"{version}.txt").read_text(encoding="utf-8")
    return text.strip()


def list_versions() -> list[str]:
    """Return the names of all versions, in order of the alphabet."""
    return sorted(path.stem for path in _FOLDER.glob("*.txt"))
