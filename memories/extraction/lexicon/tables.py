"""How the phrase tables are written down and made into patterns.

>>> any_of(words_of("猫 猫咪", "狗"))
'猫咪|猫|狗'
"""

from collections.abc import Iterable


def words_of(*lines: str) -> tuple[str, ...]:
    """Give the words of lines that part them by spaces."""
    return tuple(word for line in lines for word in line.split())


def any_of(words: Iterable[str]) -> str:
    """Give a pattern for any of the words, longer ones first."""
    return "|".join(sorted(words, key=len, reverse=True))
