"""Everything that people read is there in Chinese too, exact and in the same words."""

import gettext
import re
import struct
from collections import Counter

from django.template.base import Lexer, TokenType

from memsys.desk.borrowed_words import WORDS
from tests.rules.catalogue import (
    SOURCE,
    TEMPLATES,
    Entry,
    list_built,
    list_said,
    read_entries,
    read_head,
)
from tests.rules.sources import name_of
from tests.visible import read_visible

ENTRIES = read_entries()
HANZI = "[\u4e00-\u9fff]"
FULL_WIDTH = "[，。：；？！（）、“”]"
# What a translation must hold as often as the sentence: values, tags, code.
HOLES = re.compile(r"%\(\w+\)[sd]|%%|\{\w*\}|</?\w+[^>]*>|`[^`]*`")
NARROW = re.compile(
    rf"""{HANZI}\s*[,;:?!()"']|[,;:?!()"']\s*{HANZI}|{HANZI}\.|\.\.\."""
)
SPACED = re.compile(rf"{FULL_WIDTH} | {FULL_WIDTH}|{HANZI} +{HANZI}")
TERM = re.compile(r"([a-z][a-z' ]*?)(?: \([^)]*\))? ([\u4e00-\u9fff、]+)")
PASSWORDS = next(one for one in WORDS if one.startswith("Raw passwords"))
# Sentences in which a word of the glossary means something else.
OTHER_SENSE = {
    (
        "session",
        "A session ends by itself after fifteen idle minutes, and after eight hours in any case.",
    ),
    ("session", "The session was ended; its browser is signed out."),
    ("relationship", "Object, as in relationship:<id>"),
    ("user", WORDS[0]),
    ("user", PASSWORDS),
    (
        "operator",
        "More relationships are due than were looked at here; the command of the "
        "operators tells of all.",
    ),
}


def by_text(entry: Entry) -> str:
    """Return a sentence as the name of a test, the same in every process."""
    return f"{entry.message.context or ''}|{entry.message.text}"[:60]


def list_terms() -> list[tuple[str, str]]:
    """Return the glossary at the head of the catalogue; verbs stand for themselves."""
    terms = [
        (found[1], found[2])
        for line in read_head().split("\n")
        for part in line.removeprefix("#").split("·")
        if (found := TERM.fullmatch(part.strip())) is not None
    ]
    return [one for one in terms if not one[0].startswith("to ")]


def without_holes(text: str) -> str:
    """Return a text with what is not its own words taken out."""
    return HOLES.sub("", text)


def _spoken(text: str) -> str:
    """Return a text with a word for each value, so that what is beside one is seen."""
    without_times = text.replace("%(hour)s:%(minute)s", "%(time)s")
    return without_holes(re.sub(r"%\(\w+\)[sd]|\{\w*\}", "字", without_times))


def test_it_has_every_sentence_of_the_code_and_no_other():
    said = list_said()
    known = {entry.message for entry in ENTRIES}

    assert {str(one): said[one] for one in said.keys() - known} == {}
    assert known - said.keys() == set()


def test_it_is_given_sentences_that_are_written_out():
    assert list_built() == []


def test_it_leaves_nothing_untranslated():
    assert [by_text(one) for one in ENTRIES if not one.translation] == []


def test_it_has_no_guess_and_no_leftover():
    text = SOURCE.read_text(encoding="utf-8")

    assert "#, fuzzy" not in text
    assert "#~" not in text
    assert "#|" not in text


def test_it_has_one_form_for_each_number():
    plural = [one for one in ENTRIES if one.message.plural is not None]

    assert 'msgstr[0] "' in SOURCE.read_text(encoding="utf-8")
    assert "msgstr[1]" not in SOURCE.read_text(encoding="utf-8")
    assert all(one.translation for one in plural)


def test_it_keeps_every_value_tag_and_code():
    wrong = []
    for one in ENTRIES:
        wanted = Counter(HOLES.findall(one.message.plural or one.message.text))
        if Counter(HOLES.findall(one.translation)) != wanted:
            wrong.append(by_text(one))

    assert wrong == []


def test_it_keeps_the_space_around_a_sentence():
    def edges(text: str) -> tuple[str, str]:
        return text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]

    wrong = [
        by_text(one)
        for one in ENTRIES
        if one.message.text.strip(" ,")
        and edges(one.message.text) != edges(one.translation)
    ]

    assert wrong == []


def test_its_punctuation_is_full_width():
    wrong = {
        by_text(one): one.translation
        for one in ENTRIES
        if NARROW.search(_spoken(one.translation))
        or SPACED.search(one.translation.strip())
    }

    assert wrong == {}


def test_it_ends_a_sentence_where_the_sentence_ends():
    wrong = {
        by_text(one): one.translation
        for one in ENTRIES
        if one.message.text.endswith(".") != one.translation.endswith(("。", "……"))
        and not one.message.text.endswith("...")
    }

    assert wrong == {}


def test_it_has_a_glossary():
    assert len(list_terms()) > 30


def test_it_has_one_word_for_one_thing():
    wrong = {
        (english, by_text(one)): one.translation
        for english, chinese in list_terms()
        for one in ENTRIES
        if re.search(
            rf"(?<![-\w]){english}s?\b", without_holes(one.message.text), re.IGNORECASE
        )
        and chinese not in one.translation
        and (english, one.message.text) not in OTHER_SENSE
    }

    assert wrong == {}


def test_it_is_compiled_as_it_is_written():
    compiled = SOURCE.with_suffix(".mo").read_bytes()
    with SOURCE.with_suffix(".mo").open("rb") as file:
        catalogue = gettext.GNUTranslations(file)

    # The head of the catalogue is one more.
    assert struct.unpack("<I", compiled[8:12])[0] == len(ENTRIES) + 1
    wrong = [
        by_text(one) for one in ENTRIES if _look_up(catalogue, one) != one.translation
    ]
    assert wrong == []


def _look_up(catalogue: gettext.GNUTranslations, entry: Entry) -> str:
    told = entry.message
    if told.plural is not None:
        return catalogue.ngettext(told.text, told.plural, 2)
    if told.context is not None:
        return catalogue.pgettext(told.context, told.text)
    return catalogue.gettext(told.text)


def test_no_template_says_anything_that_is_not_translated():
    wrong = {}
    for path in TEMPLATES:
        words = [
            text
            for text in read_visible(_written_out(path.read_text(encoding="utf-8")))
            if re.search("[A-Za-z]{2}", re.sub("memsys|^login", "", text))
        ]
        if words:
            wrong[name_of(path)] = words

    assert wrong == {}


def _written_out(template: str) -> str:
    """Return what a template says itself, without tags, values and translations."""
    parts, is_translated = [], False
    for token in Lexer(template).tokenize():
        if token.token_type == TokenType.BLOCK:
            name = token.contents.split()[0]
            is_translated = name.startswith("blocktrans") or (
                is_translated and name != "endblocktranslate"
            )
        elif token.token_type == TokenType.TEXT and not is_translated:
            parts.append(token.contents)
    return "".join(parts)
