"""What a stated fact amounts to in the place where its quote stands, kind by kind.

Owns the slot, the value, the sign and the day of a claim, read from the user's clauses
and not from the model's words. Does not know the rules' candidates; see `judging`.

>>> claim_at(place, stated).draft.key  # doctest: +SKIP
'花生'
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from memories.extraction.appointments import Due
from memories.extraction.drafts import Draft, statement
from memories.extraction.emotions import find as find_emotions
from memories.extraction.lexicon import tastes
from memories.extraction.narration import content
from memories.extraction.stance import Reading
from memories.extraction.types import PERSONA
from memories.language_model import dates
from memories.language_model.attributes import AIM, PET, find_attribute
from memories.language_model.evidence import (
    Thing,
    core_of,
    find_thing,
    narrowed,
    sentence_of,
)
from memories.language_model.refusals import Refused
from memories.language_model.schema import StatedFact
from memories.language_model.session import Place
from memories.language_model.stance import (
    check_called_off,
    check_promise,
    check_stance,
    check_value,
    is_overcome,
    says_something,
)
from memories.slots import favourite_key, normalise, slot_key, species_of
from memories.slots.words import PET_SPECIES

MAX_THING_CHARS = 40
MIN_CONTENT_CHARS = 2
_FAVOURITE = re.compile(
    r"^最(?:喜欢|喜爱|爱|中意|欣赏|崇拜)[吃喝看听玩]?的?(?P<of>.+)$"
)
_DISGUST = re.compile("难吃|难喝|难听|难看|恶心|想吐|受不了|忍不了|讨厌|反感|嫌弃|厌恶")


@dataclass(frozen=True)
class Claim:
    """A draft of a fact, the place that bears it, and what its sentence must name."""

    place: Place
    draft: Draft
    needed: str = ""


def claim_at(place: Place, stated: StatedFact, *, talk: str) -> Claim:
    """Read what a quote really claims; `talk` is the message and the one before it.

    Raises:
        Refused: it claims no such thing.
    """
    if stated.subject == PERSONA:
        return _promise(place, stated, talk)
    return _READERS[stated.kind](place, stated, talk)


def _taste(place: Place, stated: StatedFact, talk: str) -> Claim:
    category = _FAVOURITE.match(normalise(stated.about))
    names = (stated.value,) if category else (stated.about, stated.value)
    place, thing = _about(place, stated.kind, *names)
    reading = place.line.readings[thing.clause]
    folded = reading.clause.folded[thing.begin : thing.finish]
    if tastes.NO_OBJECT.match(folded) or len(folded) > MAX_THING_CHARS:
        raise Refused("no-object")
    check_stance(stated.kind, place.readings)
    check_value(stated.kind, reading, thing.begin, thing.finish)
    key = slot_key(kind=stated.kind, about=folded)
    sign = _sign_of_taste(stated, place.readings)
    if category and sign > 0 and "最" in reading.clause.folded:
        key = favourite_key(category["of"]) or key
    draft = Draft(
        kind=stated.kind, key=key, value=thing.written, polarity=sign, text=""
    )
    return Claim(place, draft, thing.written)


def _about(place: Place, kind: str, *names: str) -> tuple[Place, Thing]:
    """Find the thing, and leave out of the quote what its clause can do without."""
    widened, thing = find_thing(place, *names)
    folded = place.line.readings[thing.clause].clause.folded
    rest = folded[: thing.begin] + folded[thing.finish :]
    is_whole = thing.clause in place.clauses and says_something(kind, rest)
    return (narrowed(widened, thing.clause) if is_whole else widened), thing


def _sign_of_taste(stated: StatedFact, readings: list[Reading]) -> int:
    """Read the sign from the verb; the model's counts where there is none."""
    if stated.kind == "taboo":
        return 1 if any(map(is_overcome, readings)) else -1
    verbs = [tastes.VERB.search(reading.clause.folded) for reading in readings]
    signs = {-1 if verb["no"] else 1 for verb in verbs if verb}
    said = signs.pop() if len(signs) == 1 else 0
    if not said and any(_DISGUST.search(r.clause.folded) for r in readings):
        said = -1
    if stated.polarity and said and stated.polarity != said:
        raise Refused("polarity")
    if not (said or stated.polarity):
        raise Refused("polarity")
    return said or stated.polarity


def _attribute(place: Place, stated: StatedFact, talk: str) -> Claim:
    name, is_many = find_attribute(stated.about)
    place, thing = _about(place, "fact", stated.value)
    reading = place.line.readings[thing.clause]
    if "[" in thing.written or len(thing.written) > MAX_THING_CHARS:
        raise Refused("no-object")
    check_stance("fact", place.readings, is_aim=name == AIM)
    check_value("fact", reading, thing.begin, thing.finish)
    which = _species(place, stated, thing.written) if name == PET else thing.written
    due = _due(place, stated, talk) if name == AIM else None
    draft = Draft(
        kind="fact",
        key=slot_key(kind="fact", about=name, value=which if is_many else ""),
        value=thing.written,
        polarity=1,
        text="",
        due_at=due.at if due else None,
        due_until=due.until if due else None,
    )
    return Claim(place, draft, thing.written)


def _species(place: Place, stated: StatedFact, name: str) -> str:
    """Give the kind of an animal, as the model or the line names it."""
    named = stated.about.replace("：", ":").partition(":")[2]
    if named and (species := species_of(named)) in PET_SPECIES:
        return species
    said = "".join(reading.clause.folded for reading in place.line.readings)
    known = sorted(PET_SPECIES, key=len, reverse=True)
    return next((PET_SPECIES[word] for word in known if word in said), name)


def _plan(place: Place, stated: StatedFact, talk: str) -> Claim:
    place = core_of(place, stated.value, stated.about)
    check_stance("commitment", place.readings)
    rest = [r for r in sentence_of(place) if r not in place.readings]
    check_called_off(rest)
    return _agreed(place, stated, talk)


def _promise(place: Place, stated: StatedFact, talk: str) -> Claim:
    if stated.kind != "commitment":
        raise Refused("not-own-words")
    check_promise(place.readings)
    claim = _agreed(place, stated, talk)
    return replace(claim, draft=replace(claim.draft, subject=PERSONA))


def _agreed(place: Place, stated: StatedFact, talk: str) -> Claim:
    """Give a commitment in the words in which it was made."""
    place = _with_day(place)
    what = "".join(map(content, place.readings))
    if len(what) < MIN_CONTENT_CHARS:
        raise Refused("no-object")
    due = _due(place, stated, talk)
    due_date = due.at.date() if due else None
    key = slot_key(kind="commitment", about=what, due_date=due_date)
    value = key.partition("|")[0]
    return Claim(
        place,
        Draft(
            kind="commitment",
            key=key,
            value=value,
            polarity=1,
            text="",
            due_at=due.at if due else None,
            due_until=due.until if due else None,
        ),
    )


def _with_day(place: Place) -> Place:
    """Take in the clause of the sentence that names the day, if the quote names none."""
    if any(reading.clause.windows for reading in place.readings):
        return place
    sentence = sentence_of(place)
    dated = (
        number
        for number, reading in enumerate(place.line.readings)
        if reading in sentence and reading.clause.windows and reading.is_plain
    )
    found = next(dated, None)
    if found is None:
        return place
    return replace(place, clauses=tuple(sorted({*place.clauses, found})))


def _due(place: Place, stated: StatedFact, talk: str) -> Due | None:
    return dates.find_due(
        stated.due_on,
        readings=place.readings,
        sent_at=place.line.sent_at,
        talk=talk,
    )


def _event(place: Place, stated: StatedFact, talk: str) -> Claim:
    place = core_of(place, stated.value, stated.about)
    check_stance("event", place.readings)
    if dates.is_only_ahead(place.readings, place.line.sent_at):
        raise Refused("not-happened")
    occurred_at = dates.find_happened(
        stated.happened_on,
        readings=place.readings,
        sent_at=place.line.sent_at,
        talk=talk,
    )
    draft = Draft(
        kind="event",
        key="",
        value="".join(map(content, place.readings)),
        polarity=0,
        text="",
        occurred_at=occurred_at,
    )
    return Claim(place, draft)


def _topic(place: Place, stated: StatedFact, talk: str) -> Claim:
    place = core_of(place)
    check_stance("topic", place.readings)
    value = "".join(map(content, place.readings))
    return Claim(place, Draft(kind="topic", key="", value=value, polarity=0, text=""))


def _emotion(place: Place, stated: StatedFact, talk: str) -> Claim:
    place = core_of(place, stated.value)
    try:
        place, thing = find_thing(place, stated.value)
    except Refused:
        value = statement(*place.readings)
        check_stance("emotion", place.readings)
    else:
        value = thing.written
        check_stance("emotion", place.readings)
        reading = place.line.readings[thing.clause]
        check_value("emotion", reading, thing.begin, thing.finish)
    # Where the rules know the word, they know its sign.
    signs = {draft.polarity for draft in find_emotions(place.readings)}
    sign = signs.pop() if len(signs) == 1 else stated.polarity
    if not sign:
        raise Refused("polarity")
    return Claim(
        place, Draft(kind="emotion", key="", value=value, polarity=sign, text="")
    )


_READERS: Mapping[str, Callable[[Place, StatedFact, str], Claim]] = {
    "preference": _taste,
    "taboo": _taste,
    "fact": _attribute,
    "commitment": _plan,
    "event": _event,
    "topic": _topic,
    "emotion": _emotion,
}
