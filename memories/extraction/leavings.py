"""What is so no longer: 我已经不住上海了, 我从腾讯离职了, 我最近能吃辣了.

Owns statements that end a fact or a taste, and the new employer that ends the old one.
A deed that is told as an event too (分手了) only ends here what it ends.

>>> from datetime import datetime
>>> from memories.extraction.clauses import cut
>>> from memories.extraction.stance import read
>>> now = datetime.fromisoformat("2026-03-15T20:00:00+08:00")
>>> [(d.key, d.value, d.polarity) for d in find(read(cut("我已经不住上海了", now=now)))]
[('city', '上海', -1)]
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from memories.extraction.drafts import Draft, statement, thing_said
from memories.extraction.facts import Attribute, draft_of, find_attributes
from memories.extraction.lexicon import leavings
from memories.extraction.stance import FIRST, Reading, speaks_for_user
from memories.slots import slot_key

_MEAT = re.compile("肉|荤")
_VEGETARIAN = "吃素"


def find(readings: Sequence[Reading]) -> Iterator[Draft]:
    """Find what a message says is no more, and what has taken its place."""
    for place, reading in enumerate(readings):
        if not _is_told(reading):
            continue
        for draft in find_attributes(reading, place, leavings.GONE):
            yield replace(draft, polarity=-1)
        for attribute in leavings.NEW:
            yield from find_attributes(reading, place, (attribute,))
        yield from _left(reading, place) or _turned(reading, place)
        yield from _takes_to(reading, place)
        yield from _lifted(reading, place)
        yield from _quit(readings, place)


def _is_told(reading: Reading) -> bool:
    may_say = leavings.MAY_SAY.search(reading.clause.folded.rstrip(" ,"))
    if (
        not (reading.subject == FIRST or may_say)
        or not reading.is_plain
        or reading.is_wished
    ):
        return False
    said = (window.words for window in reading.clause.windows)
    return not any(leavings.TO_COME.search(words) for words in said)


def _left(reading: Reading, place: int) -> list[Draft]:
    """Read 我从腾讯离职了, which is an event besides."""
    folded = reading.clause.folded.rstrip(" ,")
    for attribute in leavings.LEFT:
        match = attribute.pattern.search(folded)
        if match is None or re.search(attribute.never, match["value"]):
            continue
        if speaks_for_user(reading.clause.bare[: match.start()]) is not False:
            draft = draft_of(attribute, reading, place, match.span("value"))
            return [replace(draft, polarity=-1, is_ending=True)]
    return []


def _turned(reading: Reading, place: int) -> list[Draft]:
    """Read 分手了 and 离职了: the state is new, whoever it was with."""
    folded = reading.clause.folded.rstrip(" ,")
    for name, pattern in leavings.TURNS:
        match = pattern.search(folded)
        if match is None or leavings.NOT_TURNED.search(folded[: match.start()]):
            continue
        if speaks_for_user(reading.clause.bare[: match.start()]) is not False:
            state = Attribute(name, "")
            draft = draft_of(state, reading, place, match.span("value"))
            return [replace(draft, is_ending=True)]
    return []


def _takes_to(reading: Reading, place: int) -> Iterator[Draft]:
    """Read 能吃辣了 and 开始吃肉了; what was forbidden or not eaten ends with it."""
    folded = reading.clause.folded.rstrip(" ,")
    match = leavings.TAKES_TO.search(folded)
    if match is None or speaks_for_user(folded[: match.start()]) is False:
        return
    span = match.span("what")
    taste = _draft("preference", reading, place, span, polarity=1)
    yield taste
    yield replace(
        taste,
        kind="taboo",
        key=slot_key(kind="taboo", about=match["what"]),
        is_ending=True,
        only_ends=True,
    )
    if _MEAT.search(match["what"]):
        yield replace(
            taste,
            kind="fact",
            key=slot_key(kind="fact", about="trait", value=_VEGETARIAN),
            value=_VEGETARIAN,
            polarity=-1,
            is_ending=True,
            only_ends=True,
        )


def _lifted(reading: Reading, place: int) -> Iterator[Draft]:
    """Read what lifts a taboo: 对芒果不过敏, 敢坐飞机了, 可以叫我宝宝了."""
    folded = reading.clause.folded.rstrip(" ,")
    for pattern, only_ends in (
        (leavings.UNALLERGIC, False),
        (leavings.DARES, True),
        (leavings.MAY_SAY, True),
    ):
        match = pattern.search(folded)
        head = leavings.YOU.sub("", folded[: match.start()]) if match else ""
        if match and speaks_for_user(head) is not False:
            yield replace(
                _draft("taboo", reading, place, match.span("what"), polarity=1),
                is_ending=only_ends,
                only_ends=only_ends,
            )
            return
    match = leavings.RECONCILED.search(folded)
    is_now = match and (match["end"] or "现在" in folded or "不再" in folded)
    if match and is_now and speaks_for_user(folded[: match.start()]) is not False:
        yield _draft("preference", reading, place, match.span("what"), polarity=1)


def _quit(readings: Sequence[Reading], place: int) -> Iterator[Draft]:
    """Read what is liked no more: 戒奶茶了, 以前爱喝可乐，现在早戒了."""
    reading, before = readings[place], readings[place - 1]
    folded = reading.clause.folded.rstrip(" ,")
    match = leavings.QUITS.search(folded)
    if match and speaks_for_user(folded[: match.start()]) is not False:
        draft = _draft(
            "preference", reading, place, match.span(match.lastgroup or 0), polarity=-1
        )
        yield replace(draft, is_ending=True, only_ends=True)
    same = place > 0 and before.clause.sentence == reading.clause.sentence
    if not (same and before.is_past and before.subject == FIRST):
        return
    was = before.clause.folded.rstrip(" ,")
    for kind, now_so, then, polarity in (
        ("preference", leavings.NO_MORE_OF_IT, leavings.LIKED_BEFORE, -1),
        ("taboo", leavings.GOT_OVER, leavings.FEARED_BEFORE, 1),
    ):
        match = then.search(was) if now_so.match(folded) else None
        if match:
            span = match.span(match.lastgroup or 0)
            draft = _draft(kind, before, place, span, polarity=polarity)
            text = statement(before, reading)
            yield replace(draft, text=text, is_ending=True)
            return


def _draft(
    kind: str, reading: Reading, place: int, span: tuple[int, int], *, polarity: int
) -> Draft:
    return Draft(
        kind=kind,
        key=slot_key(kind=kind, about=reading.clause.folded[slice(*span)]),
        value=thing_said(reading.clause, *span),
        polarity=polarity,
        text=statement(reading),
        place=place,
    )
