"""Asks of each statement that is to be written whether it may be kept.

Owns the mark that a sensitive memory bears and the count of those that were not kept.
Does not own what is sensitive (`detector`) nor who allows it (`consent.gate`).

>>> screen(relationship, [new_memory]).dropped  # doctest: +SKIP
{'diagnosis': 1}
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from consent.gate import lock_grants, may_keep_sensitive
from identity.types import RelationshipRef
from memories.errors import SensitiveWithoutGrant
from memories.sensitive.detector import find_category
from memories.types import Visibility
from memories.versions import NewMemory
from memsys.kernel.text.clean import fold


@dataclass(frozen=True)
class Screened:
    """The memories that may be kept, marked, and how many may not, by category."""

    kept: tuple[NewMemory, ...]
    dropped: Mapping[str, int]


def screen(relationship: RelationshipRef, news: Sequence[NewMemory]) -> Screened:
    """Mark what is sensitive, and leave out what the user has not allowed to keep.

    A withdrawal then waits until what is kept is written, and deletes it.
    """
    found = [(one, _find_category(one)) for one in news]
    codes = sorted({code for _, code in found if code is not None})
    granted = {code: _may_write(relationship, code) for code in codes}
    dropped = Counter(code for _, code in found if code is not None)
    return Screened(
        kept=tuple(
            one if code is None else _marked(one, code)
            for one, code in found
            if code is None or granted[code]
        ),
        dropped={code: dropped[code] for code in dropped if not granted[code]},
    )


def check_statement(
    relationship: RelationshipRef, text: str, *, kind: str, dimension: str
) -> str | None:
    """Return the category of a statement, or None if it is not sensitive.

    Raises:
        SensitiveWithoutGrant: it is, and the user has not allowed to keep such ones.
    """
    code = find_category(text, kind=kind, dimension=dimension)
    if code is not None and not _may_write(relationship, code):
        raise SensitiveWithoutGrant("The user has not allowed to keep this.")
    return code


def _may_write(relationship: RelationshipRef, code: str) -> bool:
    """Ask whether a category may be kept, and let nobody withdraw it meanwhile."""
    if not relationship.is_synthetic:
        lock_grants(relationship)
    return may_keep_sensitive(relationship, code)


def visibility_of(visibility: str) -> str:
    """Return the visibility of a sensitive memory; a creator's note stays private."""
    is_private = visibility == Visibility.CREATOR_PRIVATE
    return visibility if is_private else Visibility.SENSITIVE.value


def _marked(new: NewMemory, code: str) -> NewMemory:
    return replace(
        new, visibility=visibility_of(new.visibility), sensitive_category=code
    )


def _find_category(new: NewMemory) -> str | None:
    """Judge the text, then what the value or the key says beyond it."""
    text = fold(new.statement.text)
    parts = [new.statement.text]
    parts += [one for one in (new.value, new.key) if fold(one) not in text]
    for part in parts:
        code = find_category(part, kind=new.kind, dimension=new.dimension)
        if code is not None:
            return code
    return None
