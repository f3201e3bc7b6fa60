"""The README of an export as plain text, for whoever opens no page.

>>> write_readme(about, rows=[], parts=[], reasons=[])  # doctest: +SKIP
'What this is\n============\n…'
"""

from collections.abc import Iterable
from typing import Any

from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from consent.exports.about import About
from memsys.kernel.pages.codes import list_words

Counted = Iterable[tuple[Any, int]]


def write_readme(
    about: About, *, rows: Counted, parts: Iterable[Any], reasons: Iterable[str]
) -> str:
    """Return the text in the language and time zone that are active."""
    blocks = [
        _head(_("What this is")),
        _(
            "This is a copy of what is stored about one person in the memory of the "
            "chat service: what was said, what is remembered of it and why, who served "
            "and read it, and what was allowed."
        ),
        "\n".join(_list_facts(about, parts)),
        _head(_("In numbers")),
        "\n".join(_line(label, count) for label, count in rows),
        _head(_("What an artificial intelligence made")),
        _(
            "It carries the words “%(label)s” on the pages, and true in the column "
            "ai_generated of the other files. This label must not be taken off."
        )
        % {"label": about.ai_label},
        _head(_("The files")),
        *_list_files(),
        _head(_("What is not in it, and why")),
        "\n".join(f"- {reason}" for reason in reasons),
    ]
    return "\n\n".join(blocks) + "\n"


def _list_facts(about: About, parts: Iterable[Any]) -> Iterable[str]:
    at = f"{localtime(about.requested_at):%Y-%m-%d %H:%M} ({about.time_zone})"
    yield _line(_("Whose"), about.user)
    yield _line(_("As of"), at)
    yield _line(_("What is in it"), list_words(parts))
    if about.relationship is not None:
        which = f"{about.persona} ({about.relationship})"
        yield _line(_("Of one relationship"), which)
    if about.for_staff:
        yield "- " + _(
            "Made for %(who)s, who asked for it on %(at)s. For internal use only; each "
            "taking is recorded."
        ) % {"who": about.requested_by, "at": at}


def _line(name: Any, value: Any) -> str:
    return "- " + _("%(name)s: %(value)s") % {"name": name, "value": value}


def _list_files() -> list[str]:
    return [
        _(
            "The folder json has the same for programs, with a description of each "
            "file in json/schema. The folder csv has it for spreadsheets, in UTF-8."
        ),
        _(
            "In the CSV files an apostrophe stands before what a spreadsheet could "
            "take for a formula; without it the cell is what was stored."
        ),
        _(
            "manifest.json lists every file with its size and its SHA-256 hash, by "
            "which you can see that nothing was changed."
        ),
    ]


def _head(words: str) -> str:
    # A character of Chinese takes two columns.
    width = sum(2 if ord(one) > 0x2E7F else 1 for one in words)
    return f"{words}\n{'=' * width}"
