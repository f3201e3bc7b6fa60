"""Words as they are compared: letters and digits alone, folded, with their places.

Owns finding what was said in a message whatever its spaces, marks and script, and
giving it back as it was written.

>>> said = Said.of("我對 花生，過敏！")
>>> [said.written(*span) for span in said.find("花生过敏")]
['花生，過敏']
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from memsys.kernel.text.clean import fold


def letters(text: str) -> str:
    """Give the letters and digits of a text, folded one by one.

    >>> letters("《听妈妈的话》 ＯＫ！")
    '听妈妈的话ok'
    """
    return "".join(map(_letters_of, text))


@lru_cache(maxsize=16384)
def _letters_of(character: str) -> str:
    return "".join(one for one in fold(character) if one.isalnum())


@dataclass(frozen=True)
class Said:
    """A text beside its letters; `places` says where each letter is written."""

    text: str
    letters: str
    places: tuple[int, ...]

    @classmethod
    def of(cls, text: str) -> "Said":
        """Read a text."""
        found = [
            (letter, place)
            for place, character in enumerate(text)
            for letter in _letters_of(character)
        ]
        return cls(
            text=text,
            letters="".join(letter for letter, _ in found),
            places=tuple(place for _, place in found),
        )

    def find(self, wanted: str, *, most: int = 5) -> Iterator[tuple[int, int]]:
        """Yield where some letters stand, from and to, the first `most` times."""
        begin = self.letters.find(wanted) if wanted else -1
        while begin >= 0 and most:
            yield begin, begin + len(wanted)
            most -= 1
            begin = self.letters.find(wanted, begin + 1)

    def written(self, begin: int, finish: int) -> str:
        """Give what is written from one letter up to another."""
        return self.text[self.places[begin] : self.places[finish - 1] + 1]
