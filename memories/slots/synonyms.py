"""Names of one thing, as groups that may change from one release to the next.

Owns looking a name up; the groups themselves are data, in `words`. Whoever must hold
over a change of the data (a tombstone) keeps a name as it was said and asks for its
names of today.

>>> SYNONYMS.head("芫荽"), SYNONYMS.head("白菜")
('香菜', '白菜')
"""

from collections.abc import Iterable
from types import MappingProxyType

from memories.slots.words import SAME

Group = tuple[str, ...]


class Synonyms:
    """Groups of names that mean the same; the first name of each is its head.

    >>> Synonyms([("猫", "喵星人")]).names("喵星人")
    ('猫', '喵星人')

    Raises:
        ValueError: a name is in two groups, or twice in one.
    """

    def __init__(self, groups: Iterable[Group]) -> None:
        found: dict[str, Group] = {}
        for group in groups:
            for name in group:
                if name in found:
                    raise ValueError("a name has one meaning")
                found[name] = group
        self._groups = MappingProxyType(found)

    def __contains__(self, name: str) -> bool:
        return name in self._groups

    def head(self, name: str) -> str:
        """Return the name that stands for all of a thing's names."""
        return self.names(name)[0]

    def names(self, name: str) -> Group:
        """Return all names of a thing, its own when no other is known."""
        return self._groups.get(name, (name,))


SYNONYMS = Synonyms(SAME)
