"""What a session has told so far, and what later words of it take back.

Owns merging within one session: the same fact said twice, values corrected, plans
called off. What other sessions hold is settled by the slots of the services.

>>> Ledger().facts()
[]
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from uuid import UUID

from memories.extraction.appointments import due_of
from memories.extraction.clauses import BLANK
from memories.extraction.drafts import Draft, without_particles
from memories.extraction.lexicon import speech
from memories.extraction.stance import Reading
from memories.extraction.types import USER, CandidateFact, SessionMessage
from memories.slots import FAVOURITE, has_slot, normalise, slot_key
from memories.slots.words import PET_SPECIES
from memsys.kernel.text.timewords import Window

_NOT_THIS = re.compile(r"不是(?:一?个|一名|做|学)?(?P<what>[^,]{1,10})$")
_AROUND_DAY = re.compile(
    r"[,，。!！~\s]|不对|说错了?|记错了?|应该|才?是|不是|我|改成|改到|啊|哦|了|的"
)
_WEEKDAY = re.compile("周|星期|礼拜")
_PAIR = re.compile(r"(?=([一-龥]{2}))")


class Ledger:
    """The facts of one session in the order they were told."""

    def __init__(self) -> None:
        self._facts: list[CandidateFact] = []
        self._when: dict[str, str] = {}

    def facts(self) -> list[CandidateFact]:
        """Give the facts that still stand."""
        return list(self._facts)

    def planned(self) -> datetime | None:
        """Give the day of the plan that the user told last."""
        due = [fact.due_at for fact in self._facts if fact.subject == USER]
        return next((day for day in reversed(due) if day), None)

    def enter(
        self, message: SessionMessage, drafts: Sequence[Draft], *, sent_at: datetime
    ) -> None:
        """Enter what a message tells, merged with what is there."""
        for draft in drafts:
            self._merge(_fact(draft, message, sent_at))

    def correct(
        self,
        message: SessionMessage,
        readings: Sequence[Reading],
        drafts: Sequence[Draft],
        *,
        sent_at: datetime,
    ) -> None:
        """Enter a message of the user, taking back what it corrects or calls off."""
        self._strike_denied(readings)
        self._strike_called_off(readings)
        corrects = any(reading.corrects for reading in readings)
        if not drafts and corrects:
            self._redate(message, readings, sent_at)
        for draft in drafts:
            fact = self._in_its_slot(_fact(draft, message, sent_at))
            self._when[fact.key] = draft.when
            if corrects and has_slot(fact.kind):
                fact = self._replacing(fact)
            self._merge(fact)

    def unsay(self, messages: Collection[UUID]) -> None:
        """Take back what only these messages told, which were a joke."""
        self._facts = [
            known for known in self._facts if not set(known.evidence) <= set(messages)
        ]

    def _merge(self, fact: CandidateFact) -> None:
        for place, known in enumerate(self._facts):
            if not _is_same_slot(known, fact):
                continue
            merged = _merged(known, fact)
            if merged:
                self._facts[place] = merged
                return
        self._facts.append(fact)

    def _in_its_slot(self, fact: CandidateFact) -> CandidateFact:
        """Turn a favourite that is liked no more in the slot of the favourite."""
        if fact.kind != "preference" or fact.polarity > 0:
            return fact
        favourites = [known for known in self._facts if _is_favourite(known)]
        for known in favourites:
            if normalise(known.value) == normalise(fact.value):
                return replace(fact, key=known.key)
        if any(known.key == fact.key for known in favourites):
            plain = slot_key(kind="preference", about=fact.value)
            return replace(fact, key=plain)
        return fact

    def _redate(
        self, message: SessionMessage, readings: Sequence[Reading], sent_at: datetime
    ) -> None:
        """Move the last appointment to the day of a bare correction: 不对，是周六."""
        windows = [w for r in readings for w in r.clause.windows]
        days = [ahead for w in windows if (ahead := _ahead(w, sent_at))]
        dated = [f for f in self._facts if f.due_at and f.subject == USER]
        if not days or not dated or not _is_bare_day(readings):
            return
        known, window = dated[-1], days[-1]
        due = due_of(window, sent_at)
        old = self._when.get(known.key, "")
        text = known.text.replace(old, window.words) if old else known.text
        key = known.key
        if known.kind == "commitment":
            key = f"{key.partition('|')[0]}|{due.at.date().isoformat()}"
        self._when[key] = window.words
        self._facts[self._facts.index(known)] = replace(
            known,
            key=key,
            due_at=due.at,
            due_until=due.until,
            text=text,
            evidence=(*known.evidence, message.id),
        )

    def _replacing(self, fact: CandidateFact) -> CandidateFact:
        """Strike the mistaken value and tell the new one with what went before."""
        for known in self._facts:
            if not _is_same_slot(known, fact) or known.value == fact.value:
                continue
            self._facts.remove(known)
            self._scrub(known.value)
            before = known.text.replace(known.value, "").strip(" ，,")
            text = f"{before}，{fact.text}" if len(before) > 2 else fact.text
            return replace(fact, text=text, evidence=known.evidence + fact.evidence)
        return fact

    def _scrub(self, value: str) -> None:
        """Take a value that was a mistake out of what else is remembered."""
        self._facts = [
            replace(known, text=known.text.replace(value, ""))
            if value in known.text and value != known.value
            else known
            for known in self._facts
        ]

    def _strike_denied(self, readings: Sequence[Reading]) -> None:
        for reading in readings:
            match = _NOT_THIS.search(reading.clause.folded)
            if match and reading.is_plain:
                denied = normalise(match["what"])
                self._facts = [
                    known
                    for known in self._facts
                    if known.kind != "fact" or normalise(known.value) != denied
                ]

    def _strike_called_off(self, readings: Sequence[Reading]) -> None:
        for reading in readings:
            if speech.CANCELLED.search(reading.clause.folded) and not reading.is_asked:
                self._facts = [
                    known for known in self._facts if not _is_called_off(known, reading)
                ]


def _is_favourite(fact: CandidateFact) -> bool:
    is_taste = fact.kind == "preference" and fact.subject == USER
    return is_taste and fact.polarity > 0 and fact.key.startswith(FAVOURITE)


def _ahead(window: Window, sent_at: datetime) -> Window | None:
    """Give the window, or the same weekday of the next week where it is over."""
    if window.end > sent_at:
        return window
    if not _WEEKDAY.match(window.words):
        return None
    week = timedelta(weeks=1)
    moved = replace(window, start=window.start + week, end=window.end + week)
    return moved if moved.end > sent_at else None


def _is_bare_day(readings: Sequence[Reading]) -> bool:
    """Tell whether a message holds a day and next to nothing else."""
    words = "".join(reading.clause.bare for reading in readings).replace(BLANK, "")
    return len(_AROUND_DAY.sub("", words)) < 2


def _fact(draft: Draft, message: SessionMessage, sent_at: datetime) -> CandidateFact:
    return CandidateFact(
        kind=draft.kind,
        subject=draft.subject,
        dimension=draft.dimension,
        key=draft.key,
        value=draft.value,
        polarity=draft.polarity,
        text=draft.text,
        evidence=(message.id,),
        importance=draft.importance,
        occurred_at=draft.occurred_at or sent_at,
        due_at=draft.due_at,
        due_until=draft.due_until,
    )


def _is_same_slot(known: CandidateFact, fact: CandidateFact) -> bool:
    if not has_slot(fact.kind):
        return known.kind == fact.kind and known.text == fact.text
    return (known.subject, known.dimension, known.key) == (
        fact.subject,
        fact.dimension,
        fact.key,
    )


def _merged(known: CandidateFact, fact: CandidateFact) -> CandidateFact | None:
    """Give one fact for two that say the same, or None where they differ."""
    evidence = tuple(dict.fromkeys(known.evidence + fact.evidence))
    if known.kind == "fact" and known.key.startswith("pet:"):
        # A name says more of the same animal than its species.
        if _is_species(known.value) and not _is_species(fact.value):
            text = (
                fact.text if known.text in fact.text else f"{known.text}，{fact.text}"
            )
            return replace(fact, text=text, evidence=evidence)
        if _is_species(fact.value):
            return replace(known, evidence=evidence)
    is_same = known.polarity == fact.polarity and (
        known.kind == "commitment" or normalise(known.value) == normalise(fact.value)
    )
    return replace(known, evidence=evidence) if is_same else None


def _is_species(value: str) -> bool:
    return normalise(value) in PET_SPECIES or value in PET_SPECIES


def _is_called_off(known: CandidateFact, reading: Reading) -> bool:
    """Tell whether a clause drops a plan: by its words, or by its bare day."""
    is_plan = known.kind == "commitment" or known.due_at is not None
    if not is_plan or known.subject != USER:
        return False
    bare = speech.CANCELLED.sub("", reading.clause.bare).replace(BLANK, "")
    if any(pair in bare for pair in _PAIR.findall(known.value)):
        return True
    days = {window.start.date() for window in reading.clause.windows}
    is_bare_day = len(without_particles(bare).strip(" ,我")) < 2
    return is_bare_day and known.due_at is not None and known.due_at.date() in days
