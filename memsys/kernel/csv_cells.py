"""Cells of CSV files that a spreadsheet takes as text, whatever people wrote in them.

Owns the one rule, and how to take it back: what could be a formula gets an apostrophe
before it. Writes no files.

>>> guard("=1+1"), unguard("'=1+1"), guard("'t is"), guard(" @x")
("'=1+1", '=1+1', "'t is", "' @x")

Source: OWASP, CSV Injection.
"""

import unicodedata

GUARD = "'"
FORMULAS = frozenset("=+-@＝＋－＠")
BREAKS = frozenset("\t\r\n")
QUOTES = frozenset("'\"`‘’“”＇＂")
# Categories of characters that are not seen: controls, formats, spaces, line breaks.
UNSEEN = frozenset({"Cc", "Cf", "Zs", "Zl", "Zp"})


def guard(cell: str) -> str:
    """Return a cell that no spreadsheet runs."""
    return GUARD + cell if _could_run(cell) else cell


def unguard(cell: str) -> str:
    """Return what `guard` was given."""
    is_guarded = cell.startswith(GUARD) and _could_run(cell[1:])
    return cell[1:] if is_guarded else cell


def _could_run(cell: str) -> bool:
    """Say whether a formula begins the cell, behind spaces and quotes or not.

    So does what has a tab or a line break before its first visible character. An
    apostrophe before a cell changes nothing of the answer: that is what makes the rule
    one that can be taken back.
    """
    for one in cell:
        if one in BREAKS or one in FORMULAS:
            return True
        if one not in QUOTES and unicodedata.category(one) not in UNSEEN:
            return False
    return False
