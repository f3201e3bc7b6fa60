"""Likes and dislikes in the user's own words.

Owns where the object of a taste stands. A favourite has one slot per kind of thing
(最喜欢的球星), any other taste one per object. The verbs are in `lexicon.tastes`.

>>> from datetime import datetime
>>> from memories.extraction.clauses import cut
>>> from memories.extraction.stance import read
>>> now = datetime.fromisoformat("2026-03-15T20:00:00+08:00")
>>> [(d.value, d.polarity) for d in find(read(cut("我不爱吃羊肉，我爱猪蹄", now=now)))]
[('羊肉', -1), ('猪蹄', 1)]
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from memories.extraction.drafts import Draft, statement, thing_said, without_particles
from memories.extraction.lexicon import people, speech, tastes
from memories.extraction.stance import FIRST, Reading, speaks_for_user, subject_of
from memories.slots import favourite_key, find_category, normalise, slot_key

MAX_OBJECT_CHARS = 24


@dataclass(frozen=True)
class _Taste:
    """Where in a clause the object of a taste stands; a key if it has its own slot."""

    begin: int
    finish: int
    polarity: int
    key: str = ""


def find(readings: Sequence[Reading]) -> Iterator[Draft]:
    """Find the tastes that a message states."""
    for place, reading in enumerate(readings):
        if reading.states_own and not reading.is_wished:
            yield from _in_clause(readings, place)


def _of_before(readings: Sequence[Reading], place: int) -> Draft | None:
    """Read a taste of the thing the clause before names: 吃的是螺蛳粉，我最爱这个."""
    if place == 0:
        return None
    before, here = readings[place - 1 : place + 1]
    if before.clause.sentence != here.clause.sentence or not before.states_own:
        return None
    folded = without_particles(here.clause.folded.rstrip(" ,"))
    polarity = _sign_of_before(folded)
    named = tastes.AGAIN if polarity < 0 else tastes.NAMED_BEFORE
    said = before.clause.folded.rstrip(" ,")
    match = named.search(said)
    if match is None and tastes.IS_MINE.search(folded):
        match = tastes.BARE_NAME.match(said)
    if not polarity or match is None or not _is_object(match["what"]):
        return None
    return Draft(
        kind="preference",
        key=slot_key(kind="preference", about=match["what"]),
        value=thing_said(before.clause, *match.span("what")),
        polarity=polarity,
        text=statement(before, here),
        place=place,
    )


def _sign_of_before(folded: str) -> int:
    if tastes.IS_MINE.search(folded):
        return 1
    sick = tastes.SICK_OF.search(folded)
    if sick and not sick["what"]:
        return -1
    for match in tastes.VERB.finditer(folded):
        is_pronoun = tastes.STANDS_FOR.match(folded[match.end() :])
        if is_pronoun and not match["no"] and _is_own(folded[: match.start()]):
            return 1
    return 0


def _in_clause(readings: Sequence[Reading], place: int) -> Iterator[Draft]:
    reading = readings[place]
    said = reading.clause.folded.rstrip(" ,")
    folded = without_particles(said)
    if draft := _of_before(readings, place):
        yield draft
        return
    found = (form(folded) for form in _FORMS)
    taste = next((one for one in found if one), None)
    if taste is None or _is_sarcastic(folded, taste):
        return
    if taste.polarity < 0 and tastes.NO_MORE.search(said):
        taste = replace(taste, key=_favourite_of(folded[taste.begin : taste.finish]))
    tail = _more_closely(readings, place)
    for begin, finish in _objects(folded, taste):
        about = folded[begin:finish]
        yield Draft(
            kind="preference",
            key=taste.key or slot_key(kind="preference", about=about),
            value=thing_said(reading.clause, begin, finish),
            polarity=taste.polarity,
            text=statement(reading, *tail),
            place=place,
        )


def _more_closely(readings: Sequence[Reading], place: int) -> Sequence[Reading]:
    """Give the next clause where it says what most of all: 尤其是爵士乐."""
    following = readings[place + 1 : place + 2]
    return [
        reading
        for reading in following
        if reading.clause.sentence == readings[place].clause.sentence
        and reading.is_plain
        and tastes.MORE_CLOSELY.match(reading.clause.folded)
    ]


def _favourite(folded: str) -> _Taste | None:
    """Read 我最喜欢的球星是梅西 and 梅西是我最喜欢的球星."""
    for pattern, polarity in ((tastes.FAVOURITE_IS, 1), (tastes.LOATHED_IS, -1)):
        match = pattern.search(folded)
        if match and speaks_for_user(folded[: match.start()]) is not False:
            key = _category_key(match["of"]) if polarity > 0 else ""
            return _Taste(*match.span("what"), polarity, key)
    match = tastes.IS_FAVOURITE.search(folded)
    if match:
        return _Taste(*match.span("what"), 1, _category_key(match["of"] or ""))
    return None


def _category_key(category: str) -> str:
    return favourite_key(category) if normalise(category) else ""


def _beloved(folded: str) -> _Taste | None:
    match = tastes.BELOVED_IS.search(folded)
    return _Taste(*match.span("what"), 1) if match else None


def _topic_first(folded: str) -> _Taste | None:
    match = tastes.TOPIC.match(folded)
    if not match:
        return None
    opening = speech.OPENERS.match(folded)
    begin = min(opening.end() if opening else 0, match.end("what") - 1)
    return _Taste(begin, match.end("what"), -1 if match["no"] else 1)


def _thing_first(folded: str) -> _Taste | None:
    match = tastes.THING_FIRST.match(folded)
    return _Taste(*match.span("what"), 1) if match else None


def _lives_on(folded: str) -> _Taste | None:
    match = tastes.LIVES_ON.search(folded)
    if match is None:
        return None
    group = next(name for name in match.re.groupindex if match[name])
    return _Taste(*match.span(group), 1)


def _sick_of(folded: str) -> _Taste | None:
    match = tastes.SICK_OF.match(folded + ("" if folded.endswith("了") else "了"))
    return _Taste(*match.span("what"), -1) if match and match["what"] else None


def _towards(folded: str) -> _Taste | None:
    match = tastes.TOWARDS.search(folded)
    if not match or speaks_for_user(folded[: match.start()]) is False:
        return None
    return _Taste(*match.span("what"), -1 if match["no"] else 1)


def _fan(folded: str) -> _Taste | None:
    match = tastes.FAN.search(folded)
    if match and _is_own(folded[: match.start()]):
        return _Taste(*match.span("what"), 1)
    match = tastes.CRAVES.match(folded)
    return _Taste(*match.span("what"), 1) if match else None


def _by_verb(folded: str) -> _Taste | None:
    for match in tastes.VERB.finditer(folded):
        if not _is_own(folded[: match.start()]):
            continue
        begin = match.start("mouth") if match["mouth"] else match.end()
        if match["only"]:
            category = find_category(folded[begin:])
            key = favourite_key(category) if category else ""
            return _Taste(begin, len(folded), 1, key)
        return _Taste(begin, len(folded), -1 if match["no"] else 1)
    return None


def _favourite_of(about: str) -> str:
    """Give the slot of the favourite that a known thing may hold: 不喜欢梅西了."""
    category = find_category(about)
    return favourite_key(category) if category else ""


def _is_own(head: str) -> bool:
    """Tell whether 我 rules the verb, right before it or from the start: 我在家也爱…."""
    if speaks_for_user(head) is not False:
        return True
    with_others = people.WITH_OTHERS.match(head)
    if with_others and head[with_others.end() :] in ("都", "也都", "都很", "都特别"):
        return True
    return subject_of(head) == FIRST and not tastes.NOT_MY_VERB.search(head)


_FORMS: tuple[Callable[[str], _Taste | None], ...] = (
    _favourite, _beloved, _topic_first, _lives_on, _thing_first, _sick_of, _towards,
    _fan, _by_verb,
)  # fmt: skip


def _objects(folded: str, taste: _Taste) -> Iterator[tuple[int, int]]:
    """Yield the places of the objects; a short list of nouns is several."""
    begin, finish = taste.begin, taste.finish
    lead = tastes.LEAD_IN.match(folded[begin:finish])
    begin += lead.end() if lead else 0
    words = tastes.TAIL.sub("", without_particles(folded[begin:finish])).rstrip(" ,")
    if not _is_object(words):
        return
    parts = tastes.LISTED.split(words)
    is_list = all(1 <= len(part) <= 6 for part in parts)
    if taste.key or not is_list or tastes.ONE_THING.search(words):
        yield begin, begin + len(words)
        return
    place = begin
    for part in parts:
        place = folded.index(part, place)
        yield place, place + len(part)
        place += len(part)


def _is_object(words: str) -> bool:
    if not words or len(words) > MAX_OBJECT_CHARS or not normalise(words):
        return False
    return not (tastes.NO_OBJECT.match(words) or tastes.NO_OBJECT_START.match(words))


def _is_sarcastic(folded: str, taste: _Taste) -> bool:
    """Tell whether praise is meant the other way round: 呵呵我可太爱加班了."""
    if taste.polarity < 0:
        return False
    if speech.SARCASM.search(folded):
        return True
    gushes = tastes.GUSHING.search(folded[: taste.begin]) is not None
    return gushes and speech.UNLOVED.search(folded[taste.begin :]) is not None
