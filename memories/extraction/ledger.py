"""What a session has told so far, and what later words of it take back.

Owns merging within one session: the same fact said twice, values corrected, plans
called off. What other sessions hold is settled by the slots of the services.

>>> Ledger().facts()
[]
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from memories.extraction.drafts import Draft, statement
from memories.extraction.endings import Ending, draft_of_ending
from memories.extraction.plan_changes import (
    draft_of_moved,
    find_bare_day,
    find_meant,
    moved,
)
from memories.extraction.stance import Reading
from memories.extraction.types import USER, CandidateFact, Found, SessionMessage
from memories.slots import FAVOURITE, has_slot, normalise, slot_key
from memories.slots.words import PET_SPECIES
from memsys.kernel.text.timewords import Window

_NOT_THIS = re.compile(r"不是(?:一?个|一名|做|学)?(?P<what>[^,]{1,10})$")
RECENT_MESSAGES = 2


class Ledger:
    """The facts of one session in the order they were told."""

    def __init__(self) -> None:
        self._facts: list[CandidateFact] = []
        self._endings: list[CandidateFact] = []
        self._when: dict[str, str] = {}
        self._said: list[UUID] = []

    def facts(self) -> list[CandidateFact]:
        """Give the facts that still stand."""
        return list(self._facts)

    def found(self) -> Found:
        """Give the facts that still stand, and what ends those of other sessions."""
        return Found(self.facts(), list(self._endings))

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
        endings: Sequence[Ending] = (),
        sent_at: datetime,
    ) -> None:
        """Enter a message of the user, taking back what it corrects or calls off."""
        self._strike_denied(readings)
        tastes = {d.place for d in drafts if d.kind in ("preference", "taboo")}
        taken = {statement(ending.reading) for ending in endings}
        drafts = [d for d in drafts if not (d.may_end and d.text in taken)]
        for ending in endings:
            if ending.place not in tastes:
                drafts += self._end(ending, message, sent_at)
        corrects = any(reading.corrects for reading in readings)
        if not drafts and corrects:
            self._redate(message, readings, sent_at)
        for draft in drafts:
            self._enter_own(draft, message, sent_at, corrects=corrects)
        self._said.append(message.id)

    def _enter_own(
        self,
        draft: Draft,
        message: SessionMessage,
        sent_at: datetime,
        *,
        corrects: bool,
    ) -> None:
        fact = self._in_its_slot(_fact(draft, message, sent_at))
        if draft.is_ending:
            self._endings.append(fact)
            return
        self._when[fact.key] = draft.when
        if corrects and has_slot(fact.kind):
            fact = self._replacing(fact)
        self._merge(fact)

    def told_by(self, message: UUID) -> list[CandidateFact]:
        """Give what a message of the user was the last to tell."""
        return [
            known
            for known in self._facts
            if known.subject == USER and known.evidence[-1] == message
        ]

    def also_said_by(self, before: UUID, *, message: UUID) -> None:
        """Add a message to the evidence of what the one after it put right."""
        self._facts = [
            replace(known, evidence=(before, message))
            if known.evidence == (message,)
            else known
            for known in self._facts
        ]

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
        dated = [f for f in self._facts if f.due_at and f.subject == USER]
        near = dated[-1].due_at if dated else None
        window = find_bare_day(readings, sent_at, near=near)
        if window is not None and dated:
            self._move(dated[-1], window, message, sent_at)

    def _move(
        self,
        known: CandidateFact,
        window: Window,
        message: SessionMessage,
        sent_at: datetime,
    ) -> None:
        when = self._when.get(known.key, "")
        later = moved(known, window, when=when, message=message.id, sent_at=sent_at)
        self._when[later.key] = window.words
        self._facts[self._facts.index(known)] = later

    def _end(
        self, ending: Ending, message: SessionMessage, sent_at: datetime
    ) -> list[Draft]:
        """Take a plan back; give what is left to tell of it to other sessions."""
        recent = self._said[-RECENT_MESSAGES:]
        meant = find_meant(self._facts, ending, recent=recent)
        told: list[Draft] = []
        if ending.moved_to and meant:
            self._move(meant[-1], ending.moved_to, message, sent_at)
        elif ending.moved_to:
            told += filter(None, [draft_of_moved(ending, sent_at=sent_at)])
        else:
            self._facts = [known for known in self._facts if known not in meant]
        if ending.names_plan:
            draft = draft_of_ending(ending, sent_at=sent_at)
            is_weak = bool(meant) or not ending.is_of_plan
            told.append(replace(draft, is_ending=True, only_ends=is_weak))
        return told

    def _replacing(self, fact: CandidateFact) -> CandidateFact:
        """Strike the mistaken value and tell the new one with what went before."""
        for known in self._facts:
            if known.value == fact.value or not (
                _is_same_slot(known, fact) or self._is_mistaken(known, fact)
            ):
                continue
            self._facts.remove(known)
            self._scrub(known.value)
            before = known.text.replace(known.value, "").strip(" ，,")
            text = f"{before}，{fact.text}" if len(before) > 2 else fact.text
            if not _is_same_slot(known, fact):
                text = known.text.replace(known.value, fact.value)
            return replace(fact, text=text, evidence=known.evidence + fact.evidence)
        return fact

    def _is_mistaken(self, known: CandidateFact, fact: CandidateFact) -> bool:
        """Tell whether the message before named another thing: 牛奶, then 是对牛肉过敏."""
        is_alike = (known.kind, known.subject, known.polarity) == (
            fact.kind,
            fact.subject,
            fact.polarity,
        )
        is_just_said = known.evidence[-1] in self._said[-1:]
        return is_alike and is_just_said and fact.kind in ("preference", "taboo")

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
                # 我在医院做护士 told the workplace too: none of the sentence stands.
                texts = {
                    known.text
                    for known in self._facts
                    if known.kind == "fact" and normalise(known.value) == denied
                }
                self._facts = [
                    known
                    for known in self._facts
                    if known.kind != "fact" or known.text not in texts
                ]


def _is_favourite(fact: CandidateFact) -> bool:
    is_taste = fact.kind == "preference" and fact.subject == USER
    return is_taste and fact.polarity > 0 and fact.key.startswith(FAVOURITE)


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
        only_ends=draft.only_ends,
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
