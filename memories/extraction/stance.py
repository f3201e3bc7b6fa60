"""Whose fact a clause is, and whether it is stated at all.

Owns the difference between a plain statement of the user and what is asked, supposed,
wished, told by others, taken back or joked. Owns no kinds of facts.

>>> from datetime import datetime
>>> from memories.extraction.clauses import cut
>>> now = datetime.fromisoformat("2026-03-15T20:00:00+08:00")
>>> [r.subject for r in read(cut("我朋友阿杰讨厌榴莲，我爱吃", now=now))]
['third', 'first']
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from memories.extraction.clauses import BLANK, Clause
from memories.extraction.lexicon import people, plans, speech

FIRST, SECOND, THIRD = "first", "second", "third"
_MAX_ADVERB = max(map(len, speech.ADVERB_WORDS))
# 是猫啦打错了: what is right stands before the word of correction.
_AMENDED = re.compile("应该是|其实是|是")
_SELVES = ("我们", "我", "俺", "咱们", "咱", "本人", "自己")


@dataclass(frozen=True)
class Reading:
    """A clause with its stance.

    `is_outright`: the subject 我 is said, not only understood. `is_plain`: stated, not
    asked, supposed, told or taken back. `is_laughed`: laughter ends the sentence.
    """

    clause: Clause
    subject: str
    is_outright: bool
    is_plain: bool
    is_asked: bool = False
    is_wished: bool = False
    is_past: bool = False
    is_laughed: bool = False
    is_void: bool = False
    corrects: bool = False

    @property
    def states_own(self) -> bool:
        """Tell whether this is the user's own plain statement about now."""
        return self.is_plain and self.subject == FIRST and not self.is_past


def read(clauses: Sequence[Clause], *, subject: str = FIRST) -> list[Reading]:
    """Read the clauses of one message in order.

    `subject` is who an opening clause without one is about.
    """
    is_joke = any(
        speech.JOKED.search(clause.folded) or speech.DICTATED.search(clause.folded)
        for clause in clauses
    )
    readings: list[Reading] = []
    for _, group in groupby(clauses, key=lambda clause: clause.sentence):
        sentence = list(group)
        read_sentence = _read_sentence(sentence, subject)
        if read_sentence and read_sentence[-1].subject == THIRD:
            subject = THIRD
        elif any(reading.is_outright for reading in read_sentence):
            subject = FIRST
        readings += read_sentence
    if is_joke:
        return [replace(reading, is_plain=False) for reading in readings]
    return readings


def is_joke_told(clauses: Sequence[Clause]) -> bool:
    """Tell whether a message says that the one before it was a joke: 哈哈骗你的."""
    first = clauses[0].folded if clauses else ""
    return speech.WAS_JOKING.match(first) is not None


def subject_of(bare: str) -> str | None:
    """Find who a clause says it is about, or None where that is left out."""
    place = 0
    while place < len(bare):
        if people.OWN_OTHERS.match(bare, place):
            return THIRD
        if people.WITH_OTHERS.match(bare, place) or people.FIRST.match(bare, place):
            return FIRST
        if people.SECOND.match(bare, place):
            return SECOND
        if people.OTHERS.match(bare, place):
            return THIRD
        step = _opening(bare, place)
        if not step:
            return None
        place += step
    return None


def speaks_for_user(head: str) -> bool | None:
    """Tell from the words before a verb whether the user is its subject.

    True: 我 is said. None: nobody is, so the sentence decides. False: someone else is,
    or the words take the verb back.

    >>> speaks_for_user("还好我真的"), speaks_for_user("现在"), speaks_for_user("阿杰")
    (True, None, False)
    """
    opening = speech.OPENERS.match(head)
    rest = head[opening.end() if opening else 0 :]
    while rest:
        if rest.endswith(_SELVES):
            return not _is_doubtful(rest)
        step = _closing(rest)
        if not step:
            return False
        rest = rest[:-step]
    return None


def _closing(head: str) -> int:
    if head[-1] in BLANK + " ,":
        return 1
    for length in range(min(_MAX_ADVERB, len(head)), 0, -1):
        if head[-length:] in speech.ADVERB_WORDS:
            return length
    return 0


def _opening(text: str, place: int) -> int:
    if text[place] in BLANK + " ,的":
        return 1
    match = speech.OPENER.match(text, place)
    if match and match[0]:
        return len(match[0])
    for length in range(_MAX_ADVERB, 0, -1):
        if text[place : place + length] in speech.ADVERB_WORDS:
            return min(length, len(text) - place)
    return 0


def _is_doubtful(before: str) -> bool:
    """Tell whether words before 我 leave it to others: 你觉得我, 谁说我, 我妈说我."""
    return speech.DOUBTS.search(before) is not None


def _read_sentence(sentence: list[Clause], subject: str) -> list[Reading]:
    readings: list[Reading] = []
    is_told = is_supposed = is_past = of_me = False
    is_mocking = _is_mocking(sentence)
    is_laughed = speech.LAUGH_END.search(sentence[-1].folded) is not None
    for said in sentence:
        clause = _said_again(said, sentence)
        found = subject_of(clause.bare)
        is_outright = found == FIRST
        subject = found or (FIRST if of_me else subject)
        is_told = _is_told(clause, found, is_told and not of_me)
        of_me = _told_of_me(clause)
        is_supposed = is_supposed or _is_unreal(clause)
        is_past = _is_past(clause, is_past and not is_outright)
        is_asked = _is_asked(clause)
        is_recalled = speech.RECALLED.search(clause.folded) is not None
        readings.append(
            Reading(
                clause=clause,
                subject=subject,
                is_outright=is_outright,
                is_plain=not any(
                    (is_told, is_supposed, is_asked, is_recalled, is_mocking)
                ),
                is_asked=is_asked,
                is_wished=speech.WISHED.search(clause.folded) is not None,
                is_past=is_past,
                is_laughed=is_laughed,
            )
        )
        subject = THIRD if _turns_to_others(clause) else subject
    return _taken_back(_tagged(readings))


def _said_again(clause: Clause, sentence: Sequence[Clause]) -> Clause:
    """Give what the user says once more, without the saying: 刚说过对芒果过敏."""
    match = speech.SAID_AGAIN.match(clause.folded)
    if match is None or not match[0]:
        return clause
    rest = sentence[sentence.index(clause) :]
    if any(speech.PUT_RIGHT.search(one.folded) for one in rest):
        return clause
    return _after(clause, match.end())


def _is_unreal(clause: Clause) -> bool:
    marks = (speech.SUPPOSED, speech.FICTION)
    return any(mark.search(clause.folded) for mark in marks)


def _turns_to_others(clause: Clause) -> bool:
    """Tell whether what follows is of those whom a clause names at its end."""
    folded = clause.folded.rstrip(" ,")
    marks = (people.INTRODUCED, speech.UNLIKE)
    return any(mark.search(folded) for mark in marks)


def _is_mocking(sentence: Sequence[Clause]) -> bool:
    """Tell whether a sentence says 呵呵 or gushes over what nobody loves."""
    marks = (speech.MOCKS.match, speech.GUSHED.search)
    return any(mark(clause.folded) for clause in sentence for mark in marks)


def _is_asked(clause: Clause) -> bool:
    text = clause.folded.rstrip("?")
    if speech.FORBIDS_ASKING.search(text) and not clause.is_asked:
        return False
    return (
        clause.is_asked
        or speech.ASKED_END.search(text) is not None
        or speech.ASKS.search(text) is not None
    )


def _is_told(clause: Clause, found: str | None, was_told: bool) -> bool:
    if speech.TOLD.search(clause.folded):
        return True
    if found == THIRD and speech.SAYS.search(clause.folded):
        return plans.VISITS_ME.search(clause.folded) is None
    if people.VIEWED_OTHERS.search(clause.folded):
        return True
    return was_told and found != FIRST


def _told_of_me(clause: Clause) -> bool:
    """Tell whether others' words end with the clause: 他说我做得好，开心."""
    return speech.SAYS_OF_ME.search(clause.folded) is not None


def _is_past(clause: Clause, was_past: bool) -> bool:
    """Tell whether a clause says how things used to be."""
    if speech.NOW.search(clause.folded):
        return False
    return was_past or speech.PAST_HABIT.search(clause.folded) is not None


def _tagged(readings: list[Reading]) -> list[Reading]:
    """Carry a closing 好不好 back to the proposal before it, and 如果 to its 就."""
    tagged = list(readings)
    for place, reading in enumerate(readings):
        if place and speech.TAG_QUESTION.match(reading.clause.folded.rstrip("?")):
            tagged[place - 1] = replace(
                tagged[place - 1], is_plain=False, is_asked=True
            )
    supposed = [r for r in readings if speech.SUPPOSED.search(r.clause.folded)]
    if not supposed:
        return tagged
    return [
        replace(r, is_plain=False) if re.search("就|会|要", r.clause.folded) else r
        for r in tagged
    ]


def _taken_back(readings: list[Reading]) -> list[Reading]:
    """Void what stands before 说错了 in a sentence; keep what follows it."""
    kept: list[Reading] = []
    for reading in readings:
        match = speech.CORRECTS.search(reading.clause.folded)
        if not match:
            kept.append(reading)
            continue
        kept = [replace(r, is_plain=False, is_void=True) for r in kept]
        rest = _after(reading.clause, match.end())
        head = _AMENDED.match(reading.clause.folded, 0, match.start())
        if head and not rest.folded.strip(" ,"):
            rest = _before(reading.clause, match.start())
        kept.append(replace(reading, clause=rest, corrects=True))
    return kept


def _before(clause: Clause, place: int) -> Clause:
    return replace(
        clause,
        text=clause.text[:place],
        folded=clause.folded[:place],
        bare=clause.bare[:place],
    )


def _after(clause: Clause, place: int) -> Clause:
    return replace(
        clause,
        text=clause.text[place:],
        folded=clause.folded[place:],
        bare=clause.bare[place:],
    )
