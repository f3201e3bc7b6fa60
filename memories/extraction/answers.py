"""Short answers to what the persona asked: 鼓浪屿吧 after 你最喜欢哪个景点.

Owns what a bare answer means, in words that can be read alone. The evidence is the
user's message only; a question that asks nothing of the user's life has no answer here.

>>> from datetime import datetime
>>> from memories.extraction.clauses import cut
>>> from memories.extraction.stance import read
>>> now = datetime.fromisoformat("2026-03-15T20:00:00+08:00")
>>> question = Question.of("你最喜欢哪个景点？")
>>> [d.text for d in find(read(cut("鼓浪屿吧", now=now)), question=question)]
['最喜欢的景点：鼓浪屿']
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from memories.extraction.appointments import draft_of_plan, due_of, find_ahead
from memories.extraction.dialect import read_as_mandarin
from memories.extraction.drafts import Draft, as_said, statement, without_particles
from memories.extraction.lexicon import questions, speech, tastes
from memories.extraction.narration import what_followed
from memories.extraction.stance import SECOND, Reading
from memories.slots import favourite_key, find_category, normalise, slot_key

_ASIDE = re.compile(r"^(?:那|你们?|您|的|是|打算|准备|大概|都)+")
# What was asked is answered in the next lines or not at all.
MAX_QUESTION_CHARS = 200
MAX_ANSWER_CHARS = 14
# 开会去了, 想睡觉: a sentence of its own.
_SENTENCE = re.compile(
    r"[了着过呢]$|^我(?!最|喜|比|一般|应|可|就|还|觉|平|大|主|当)|^(?:在|正|要|想|能|会)"
)
_TITLE = re.compile(r"《[^《》]*》")


@dataclass(frozen=True)
class Question:
    """The persona's line before, as said and as matched; both have the same length."""

    said: str = ""
    folded: str = ""

    @classmethod
    def of(cls, text: str) -> "Question":
        """Read the line that the persona said."""
        said = text[:MAX_QUESTION_CHARS]
        return cls(said=said, folded=read_as_mandarin(said))

    @property
    def is_of_others(self) -> bool:
        """Tell whether it asks of someone else: 他学什么的, 你妈妈做什么工作."""
        if not questions.ASKS.search(self.folded):
            return False
        rest = questions.OF_OTHERS.sub("", self.folded)
        return rest != self.folded and not questions.OF_YOU.search(rest)


def find(readings: Sequence[Reading], *, question: Question) -> Iterator[Draft]:
    """Find what the first clause answers, if it is an answer and no new sentence."""
    place = _first(readings)
    if place is None or not question.folded:
        return
    likes = _last(questions.LIKES, question.folded)
    span = _noun(readings[place])
    either = _last(questions.EITHER, question.folded)
    if either and span:
        yield from _chosen(readings[place], place, span, either)
        return
    if likes and span:
        yield from _liked(readings, place, span, question, likes)
        return
    did = _last(questions.DID, question.folded)
    is_of_deed = questions.OF_A_DEED.search(question.folded)
    if did and span and is_of_deed and not _is_of_the_future(question):
        yield _done(readings, place, span, question, did)
        return
    polar = _last(questions.POLAR, question.folded)
    if polar:
        yield from _agreed(readings, place, question, polar)


def _is_of_the_future(question: Question) -> bool:
    return questions.OF_THE_FUTURE.search(question.folded) is not None


def find_date(
    readings: Sequence[Reading], *, question: Question, sent_at: datetime
) -> Iterator[Draft]:
    """Find what a day answers: 三月十四 after 笔试什么时候."""
    place = _first(readings)
    match = _last(questions.WHEN, question.folded)
    if place is None or match is None or questions.NO_PLAN.search(match[0]):
        return
    reading = readings[place]
    is_meant = reading.is_plain and not speech.ORIGINALLY.search(reading.clause.folded)
    window = find_ahead(reading, sent_at) if is_meant else None
    if window is None or window.granularity == "year" or reading.subject == SECOND:
        return
    asked = _about_what(question, match)
    if asked:
        spoken = statement(reading, *what_followed(readings, place))
        yield draft_of_plan(
            [reading],
            place=place,
            due=due_of(window, sent_at),
            when=window.words,
            text=f"{asked}：{spoken}",
            about=asked,
        )


def _about_what(question: Question, match: re.Match[str]) -> str:
    """Put what the day is asked of into words, without who asks whom."""
    words = question.said[slice(*match.span("what"))]
    words += question.said[slice(*match.span("then"))]
    return _ASIDE.sub("", words)


def _last(pattern: re.Pattern[str], folded: str) -> re.Match[str] | None:
    return max(pattern.finditer(folded), key=re.Match.start, default=None)


def _first(readings: Sequence[Reading]) -> int | None:
    """Give the first clause that is more than 嗯 or 好问题."""
    for place, reading in enumerate(readings[:2]):
        if not questions.FILLER.fullmatch(without_particles(reading.clause.folded)):
            return None if reading.subject == SECOND else place
    return None


def _noun(reading: Reading) -> tuple[int, int] | None:
    """Give where the bare thing stands in a short answer: 应该是鼓浪屿吧."""
    if reading.is_asked or reading.is_void:
        return None
    said = reading.clause.folded.rstrip(" ,")
    if _SENTENCE.search(_TITLE.sub("", said)):
        return None
    folded = without_particles(said)
    lead = questions.LEAD.match(folded)
    begin = lead.end() if lead else 0
    words = folded[begin:]
    if not 1 <= len(words) <= MAX_ANSWER_CHARS or not normalise(words):
        return None
    return (
        None
        if questions.NO_ANSWER.search(_TITLE.sub("", words))
        else (begin, len(folded))
    )


def _liked(
    readings: Sequence[Reading],
    place: int,
    span: tuple[int, int],
    question: Question,
    match: re.Match[str],
) -> Iterator[Draft]:
    clause = readings[place].clause
    is_most = "最" in match[0]
    of = match["of"] or match["of2"] or match["of3"] or ""
    answer = as_said(clause, *span)
    asked = _asked_for(question, match, of, is_most=is_most)
    for begin, finish in _parts(clause.folded, span, is_one=is_most):
        about = clause.folded[begin:finish]
        category = of or find_category(about) or ""
        key = favourite_key(category) if is_most and normalise(category) else ""
        yield Draft(
            kind="preference",
            key=key or slot_key(kind="preference", about=about),
            value=as_said(clause, begin, finish),
            polarity=1,
            text=f"{asked}：{answer}",
            place=place,
        )


def _chosen(
    reading: Reading, place: int, span: tuple[int, int], match: re.Match[str]
) -> Iterator[Draft]:
    """Read 猫吧 after 更喜欢猫还是狗; any other answer is none."""
    about = normalise(reading.clause.folded[slice(*span)])
    if about not in (normalise(match["one"]), normalise(match["other"])):
        return
    value = as_said(reading.clause, *span)
    yield Draft(
        kind="preference",
        key=slot_key(kind="preference", about=about),
        value=value,
        polarity=1,
        text=f"更喜欢{match['do'] or ''}{value}",
        place=place,
    )


def _asked_for(
    question: Question, match: re.Match[str], of: str, *, is_most: bool
) -> str:
    """Put what was asked for into words: 最喜欢的景点, 喜欢吃的菜."""
    group = next((name for name in ("of", "of2", "of3") if match[name]), None)
    named = question.said[slice(*match.span(group))] if group else ""
    verb = match["verb"] or ""
    liking = f"{'最' if is_most else ''}喜欢{verb}"
    return f"{liking}的{named}" if named else liking


def _parts(
    folded: str, span: tuple[int, int], *, is_one: bool
) -> Iterator[tuple[int, int]]:
    begin, finish = span
    words = folded[begin:finish]
    parts = tastes.LISTED.split(words)
    if is_one or tastes.ONE_THING.search(words) or not all(parts):
        yield span
        return
    for part in parts:
        begin = folded.index(part, begin)
        yield begin, begin + len(part)
        begin += len(part)


def _done(
    readings: Sequence[Reading],
    place: int,
    span: tuple[int, int],
    question: Question,
    match: re.Match[str],
) -> Draft:
    clause = readings[place].clause
    deed = question.said[slice(*match.span("deed"))]
    spoken = statement(readings[place], *what_followed(readings, place))
    return Draft(
        kind="event",
        key="",
        value=as_said(clause, *span),
        polarity=0,
        text=f"{deed}：{spoken}",
        place=place,
    )


def _agreed(
    readings: Sequence[Reading],
    place: int,
    question: Question,
    match: re.Match[str],
) -> Iterator[Draft]:
    """Read 喜欢啊 after 你喜欢猫吗, and 不怕 after 你怕狗吗 as nothing to fear."""
    reading = readings[place]
    said = questions.SAME_VERB.fullmatch(without_particles(reading.clause.folded))
    if said is None or reading.is_asked or match["verb"] not in said["verb"]:
        return
    about = match["what"]
    is_fear = match["verb"] in ("怕", "害怕")
    if not normalise(about) or (is_fear and said["no"]):
        return
    is_liked = not said["no"] and not is_fear and match["verb"] != "讨厌"
    kind = "taboo" if is_fear else "preference"
    named = question.said[slice(*match.span("what"))]
    followed = statement(reading, *what_followed(readings, place)).partition("，")[2]
    text = f"{'不' if said['no'] else ''}{match['verb']}{match['do'] or ''}{named}"
    yield Draft(
        kind=kind,
        key=slot_key(kind=kind, about=about),
        value=named,
        polarity=1 if is_liked else -1,
        text=f"{text}，{followed}" if followed else text,
        place=place,
    )
