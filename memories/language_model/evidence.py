"""Where the words of a stated fact were really said, and by whom.

Owns finding a quote in the lines of its speaker, and the thing that it is about in the
clauses around it. A quote that nobody wrote is no evidence, whatever it says.

>>> find_places(session, stated)[0].quote  # doctest: +SKIP
'我对花生过敏'
"""

from dataclasses import dataclass, replace

from memories.extraction.stance import Reading
from memories.extraction.types import USER
from memories.language_model.refusals import Refused
from memories.language_model.schema import StatedFact
from memories.language_model.session import Line, Place, Session
from memories.language_model.stance import denies
from memories.language_model.words import Said, letters
from memories.slots import core_span, normalise

MIN_QUOTE_LETTERS = 2


@dataclass(frozen=True)
class Thing:
    """What a fact is about, as written; where it stands in which clause of its line."""

    written: str
    clause: int
    begin: int

    @property
    def finish(self) -> int:
        return self.begin + len(self.written)


def find_places(session: Session, stated: StatedFact) -> list[Place]:
    """Find where a quote stands in its speaker's lines, those that are listed first.

    Raises:
        Refused: it is too short, nobody said it, somebody else did, or it is what the
            speaker quotes.
    """
    wanted = letters(stated.quote)
    if len(wanted) < MIN_QUOTE_LETTERS:
        raise Refused("quote-too-short")
    listed = session.listed(stated.messages, speaker=stated.subject)
    own = [line for line in session.lines if line.speaker == stated.subject]
    others = [line for line in own if line not in listed]
    found = [span for line in (*listed, *others) for span in _spans(line, wanted)]
    if not found:
        is_said = any(wanted in line.said.letters for line in session.lines)
        raise Refused("not-own-words" if is_said else "not-said")
    places = [
        Place(line, line.said.written(begin, finish), tuple(clauses))
        for line, begin, finish in found
        if (clauses := line.clauses(begin, finish))
    ]
    if not places:
        raise Refused("quoted")
    return places


def _spans(line: Line, wanted: str) -> list[tuple[Line, int, int]]:
    return [(line, begin, finish) for begin, finish in line.said.find(wanted)]


def find_thing(place: Place, *names: str) -> tuple[Place, Thing]:
    """Find the first of some names in the quoted clauses, else elsewhere in the line.

    The place that is given back takes in the clause in which it was found.

    Raises:
        Refused: the line names none of them.
    """
    every = range(len(place.line.readings))
    for clauses in (place.clauses, every):
        for name in names:
            for clause in clauses:
                found = _in_clause(place.line.readings[clause], name)
                if found:
                    widened = tuple(sorted({*place.clauses, clause}))
                    begin, written = found
                    thing = Thing(written=written, clause=clause, begin=begin)
                    return replace(place, clauses=widened), thing
    raise Refused("value-not-said")


def _in_clause(reading: Reading, name: str) -> tuple[int, str] | None:
    """Find a name in a clause, without 吃 or 一只 around it."""
    said = Said.of(reading.clause.text)
    for begin, finish in said.find(letters(name), most=1):
        start, end = said.places[begin], said.places[finish - 1] + 1
        left, right = core_span(reading.clause.folded[start:end])
        if normalise(reading.clause.folded[start + left : start + right]):
            return start + left, reading.clause.text[start + left : start + right]
    return None


def sentence_of(place: Place) -> list[Reading]:
    """Give all clauses of the sentences in which a place's clauses stand."""
    readings = place.line.readings
    sentences = {readings[clause].clause.sentence for clause in place.clauses}
    return [one for one in readings if one.clause.sentence in sentences]


def narrowed(place: Place, clause: int) -> Place:
    """Keep of a quote one clause that speaks for itself, and what goes on from it."""
    readings = place.line.readings
    sentence = readings[clause].clause.sentence
    kept = (
        one
        for one in place.clauses
        if one == clause
        or (
            readings[one].clause.sentence == sentence
            and readings[one].states_own
            and not readings[one].is_wished
            and not denies(readings[one])
        )
    )
    return replace(place, clauses=tuple(kept))


def core_of(place: Place, *names: str) -> Place:
    """Keep of a quote the clause that names what it is about, if one does.

    A quoted question in a sentence of its own is left out in any case.
    """
    for name in names:
        for clause in place.clauses:
            is_named = len(letters(name)) > 1
            if is_named and _in_clause(place.line.readings[clause], name):
                return narrowed(place, clause)
    told = tuple(c for c in place.clauses if not place.line.readings[c].is_asked)
    return replace(place, clauses=told or place.clauses)


def supporting(session: Session, stated: StatedFact, *, thing: str) -> list[Line]:
    """Give the listed lines of the user that name the thing too, and state it.

    What the user only asks or says of others raises no count.
    """
    name = letters(thing)
    return [
        line
        for line in session.listed(stated.messages, speaker=USER)
        if name
        and any(
            one.states_own and not one.is_wished and name in letters(one.clause.text)
            for one in line.readings
        )
    ]
