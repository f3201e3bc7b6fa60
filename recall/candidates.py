"""Which memories may be recalled, which are pinned, and one whole recall over a pack.

Owns rights, validity and forgetting at read time, and the pins. Does not own scores
(`fusion`), the choice of the few (`choice`) nor the prompt (`assemble`).

Taboos, open commitments and what identifies the user are pinned outside the ranked
pool: among a thousand memories ranking alone finds only half of them.

>>> recall(pack, Question(words=["猫"]), view=View(now=now))  # doctest: +SKIP
"""

from collections.abc import Iterator, Sequence
from datetime import datetime, time
from itertools import islice

import numpy as np

from memories.decay import MICROSECONDS_PER_DAY, is_lasting, lifetimes
from recall.choice import Said, choose
from recall.fusion import Ranked, fuse
from recall.pack import NEVER, Mask, Pack, to_microseconds
from recall.scoring import find_words, measure
from recall.types import Hit, Pins, Policy, Question, Reason, Recalled, View

CREATOR_POOL = "creator_pool"

Pick = tuple[int, Reason | None]  # a place in the ranking, and why if it is pinned


def recall(
    pack: Pack, question: Question, *, view: View, policy: Policy | None = None
) -> Recalled:
    """Return the ranked few and the pins, best first. Pins take no place of the few.

    Raises:
        VectorSizeMismatch: the question's vector has another size than the pack's.
    """
    policy = policy or Policy()
    ranked = rank(pack, question, view=view, policy=policy)
    pinned = find_pinned(pack, ranked, view=view, policy=policy)
    rows = [int(ranked.legs.rows[place]) for place, _ in pinned]
    chosen = choose(pack, ranked, policy=policy, pinned=rows)
    hits = make_hits(
        pack, ranked, question, [*pinned, *((place, None) for place in chosen)]
    )
    pins = hits[: len(pinned)]
    return Recalled(
        hits=hits[len(pinned) :],
        pins=Pins(
            taboos=tuple(hit for hit in pins if hit.reason is Reason.TABOO),
            commitments=tuple(hit for hit in pins if hit.reason is Reason.COMMITMENT),
            identity=tuple(hit for hit in pins if hit.reason is Reason.IDENTITY),
        ),
        eligible=len(ranked.legs.rows),
    )


def rank(pack: Pack, question: Question, *, view: View, policy: Policy) -> Ranked:
    """Return all eligible rows in their order, before any cap, choice or pin."""
    eligible = find_eligible(pack, view=view)
    legs = measure(pack, question, view=view, policy=policy, eligible=eligible)
    return fuse(legs, policy=policy, embedding_model=pack.embedding_model)


def find_eligible(pack: Pack, *, view: View) -> Mask:
    """Return (n,) which rows may be recalled from a view.

    Superseded and archived rows are not left out as such: the times decide.
    """
    true_at, learned_by = map(to_microseconds, (view.true_at, view.learned_by))
    seen = ["normal"]
    if view.custody == CREATOR_POOL:
        seen.append("creator_private")
    is_plain = pack.is_in("visibility", *seen) & pack.is_in("sensitive_category", "")
    is_granted = pack.is_in("visibility", *seen, "sensitive") & pack.is_in(
        "sensitive_category", *view.categories
    )
    eligible: Mask = (
        ~pack.is_in("status", "restricted")
        & (is_plain | is_granted)
        & (pack.valid_from <= true_at)
        & (true_at < pack.valid_to)
        & (pack.recorded_at <= learned_by)
        & (learned_by < pack.recorded_to)
        & ~_is_forgotten(pack, view)
    )
    return eligible


def has_ungranted(pack: Pack, *, view: View) -> bool:
    """Say whether something sensitive stays out for want of the user's grant."""
    kept_back: Mask = ~pack.is_in("sensitive_category", "", *view.categories)
    return bool((kept_back & ~pack.is_in("status", "restricted")).any())


def find_pinned(
    pack: Pack, ranked: Ranked, *, view: View, policy: Policy
) -> list[tuple[int, Reason]]:
    """Return the places in `ranked` to pin, and why.

    Of each kind at most `pins_per_kind`: those that match the question first, then by
    date when they have one, then the newest. A fear overcome and a plan called off are
    none.
    """
    commitments = pack.is_in("kind", "commitment")
    taboos = pack.is_in("kind", "taboo") | pack.is_in("dimension", "taboo")
    is_off, is_lifted = pack.polarity < 0, pack.polarity > 0
    identity = pack.is_in("dimension", "identity") & pack.is_in("subject", "user")
    kinds = (
        (Reason.TABOO, taboos & ~commitments & ~is_lifted),
        (Reason.COMMITMENT, commitments & ~is_off & _is_open(pack, view)),
        (Reason.IDENTITY, identity & ~commitments & ~taboos),
    )
    return [
        (place, reason)
        for reason, mask in kinds
        for place in islice(_pin(pack, ranked, mask), policy.pins_per_kind)
    ]


def make_hits(
    pack: Pack, ranked: Ranked, question: Question, picks: Sequence[Pick]
) -> tuple[Hit, ...]:
    """Return ranked rows in full, with the reasons for them."""
    rows = [int(ranked.legs.rows[place]) for place, _ in picks]
    words = find_words(pack, question.words, rows=rows)
    windows = [int(ranked.legs.window[place]) for place, _ in picks]
    return tuple(
        Hit(
            **facts,
            score=float(ranked.score[place]),
            parts=ranked.parts(place),
            matched_words=matched,
            window=question.windows[window] if window >= 0 else None,
            reason=reason or find_reason(ranked, place),
        )
        for (place, reason), facts, matched, window in zip(
            picks, pack.values(rows), words, windows, strict=True
        )
    )


def find_reason(ranked: Ranked, place: int) -> Reason:
    """Return the strongest of what speaks for a row."""
    if ranked.legs.window[place] >= 0:
        return Reason.DATE
    if ranked.is_last_time[place]:
        return Reason.LAST_TIME
    if ranked.legs.is_blank or not ranked.is_match[place]:
        return Reason.RECENT
    by_words = ranked.legs.bm25[place] > 0.0
    by_meaning = ranked.vector[place] > ranked.lexical[place]
    return Reason.MEANING if by_meaning or not by_words else Reason.WORDS


def _is_forgotten(pack: Pack, view: View) -> Mask:
    """Return the column form of `memories.decay.is_faded`, equal to the last bit."""
    at = to_microseconds(min(view.true_at, view.now))
    starts = pack.occurred_at
    is_due_until: Mask = pack.due_until != NEVER
    due = np.where(is_due_until, pack.due_until, pack.due_at)
    for waits, until in (
        (pack.last_said_at != NEVER, pack.last_said_at),
        (pack.is_in("kind", "commitment") & (due != NEVER), due),
    ):
        starts = np.where(waits, np.maximum(starts, until), starts)
    age = (at - starts) / MICROSECONDS_PER_DAY
    faded: Mask = age >= pack.stability_days * lifetimes(floor=view.retention_floor)
    return faded & ~_is_lasting(pack)


def _is_lasting(pack: Pack) -> Mask:
    if not len(pack):
        return np.zeros(0, np.bool_)
    table: Mask = np.array(
        [
            [is_lasting(kind=kind, dimension=name) for name in pack.names["dimension"]]
            for kind in pack.names["kind"]
        ]
    )
    lasting: Mask = table[pack.kind, pack.dimension]
    return lasting


def _is_open(pack: Pack, view: View) -> Mask:
    """Return whose date has not passed: the whole of a day, and all of several."""
    zone = view.now.tzinfo
    today = view.true_at.astimezone(zone).date()
    midnight = to_microseconds(datetime.combine(today, time(), zone))
    moment = to_microseconds(view.true_at)
    is_later: Mask = pack.due_at >= moment
    is_under_way: Mask = (pack.due_until != NEVER) & (pack.due_until > moment)
    is_today: Mask = pack.due_at == midnight
    return is_later | is_today | is_under_way


def _pin(pack: Pack, ranked: Ranked, mask: Mask) -> Iterator[int]:
    places = np.flatnonzero(mask[ranked.legs.rows])
    due_at = pack.due_at[ranked.legs.rows[places]]
    said = Said(pack)
    for place in places[np.lexsort((due_at, ~ranked.is_match[places]))].tolist():
        if said.add(int(ranked.legs.rows[place])):
            yield place
