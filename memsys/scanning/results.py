"""What a search has found: places, counts and ids; never the text.

>>> Found("memories_message.text", 2, ("0192…",)).place
'memories_message.text'
"""

from dataclasses import dataclass

IDS_SHOWN = 20


class ScanFailed(Exception):
    """The search could not look everywhere, so that it proves nothing."""


@dataclass(frozen=True)
class Found:
    """One place that holds the text: how often, and the first ids."""

    place: str
    count: int
    ids: tuple[str, ...] = ()


@dataclass(frozen=True)
class Scanned:
    """All that was found, and how much was looked at."""

    found: tuple[Found, ...]
    tables: int
    columns: int
    keys: int
    files: int
    left_out: tuple[str, ...] = ()
