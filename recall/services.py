"""Recall and context of one relationship, inside an access scope.

Owns the whole of an answer: the pack, the question, the choice, the prompt, and why.

>>> build_context(relationship, ContextRequest(query="猫"), now=now)  # doctest: +SKIP
"""

import time
import zoneinfo
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.conf import settings

from consent.disclosures import reminder_after
from consent.gate import Releases, list_released
from identity.services import get_profile
from identity.types import RelationshipRef
from memories import working_memory
from memories.embedding import Vector
from memories.reading import list_granted
from memories.uses import note_uses
from memsys.kernel.scope import require_scope
from recall.assemble import assemble
from recall.candidates import Pick, has_ungranted, make_hits, rank, recall
from recall.context_types import (
    Assembled,
    Form,
    Material,
    Persona,
    Quotas,
    ReleasedField,
    Turn,
)
from recall.loading import load, load_pack
from recall.pack import Pack
from recall.policies import policies
from recall.queries import clean_query, make_question
from recall.types import Hit, Policy, Question, Recalled, View

NEVER_TOLD, TWO_HOURS, NO_REASON = "never-told", "two-hours", "none"
SENSITIVE_WITHHELD = "sensitive-without-grant"


@dataclass(frozen=True, kw_only=True)
class ContextRequest:
    """What the chat service asks before the next reply.

    `query_vector` comes from `queries.embed_query`; None means words and time alone.
    """

    query: str
    query_vector: Vector | None = field(default=None, compare=False)
    scenario: str = ""
    token_budget: int = 2000
    valid_at: datetime | None = None
    known_at: datetime | None = None
    form: Form = Form.TEXT


@dataclass(frozen=True, kw_only=True)
class Disclosure:
    """What must be told about AI; a reminder is due after two hours without pause.

    `reason` says why it is due: never-told, two-hours, or none. `continuous_seconds`
    are those of use since it began or the last reminder was shown; a session that is
    ended and followed by another at once is no pause.
    """

    is_ai_involved: bool
    disclosed_at: datetime | None
    must_remind: bool
    reason: str
    continuous_seconds: int


@dataclass(frozen=True, kw_only=True)
class Context:
    """The answer: what to inject, which memories are in it and why.

    `released` are all fields that policy and consent release into this relationship
    now; `withheld` says by code why something that is kept is not in the answer.
    """

    assembled: Assembled
    used: tuple[Hit, ...]
    released: Releases
    withheld: tuple[str, ...]
    degraded: tuple[str, ...]
    disclosure: Disclosure
    memory_version: int
    timing_ms: dict[str, float]


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A request made ready: what is asked, of which pack, from where, by which rules."""

    pack: Pack
    policy: Policy
    view: View
    question: Question


def build_context(
    relationship: RelationshipRef, request: ContextRequest, *, now: datetime
) -> Context:
    """Return the context of the next reply. Hot: two statements, one Valkey call.

    The profile of the persona and the policy are remembered by the process.
    """
    clock = Clock()
    require_scope(relationship=relationship.id, user=relationship.user_id)
    released = list_released(relationship, now=now)
    view = make_view(relationship, now, request.valid_at, request.known_at)
    loaded = load(relationship, view)
    asked = _ask(relationship, request, view, loaded.pack)
    clock.lap("pack")
    recalled = recall(asked.pack, asked.question, view=asked.view, policy=asked.policy)
    clock.lap("score")
    material = Material(
        persona=_find_persona(relationship),
        pins=recalled.pins,
        hits=recalled.hits,
        turns=list(map(_to_turn, loaded.working.turns)),
        released=list(_to_spoken(released)),
    )
    clock.lap("sections")
    assembled = _assemble(material, request, view)
    clock.lap("assemble")
    if not view.is_as_of:
        # What answers a question about the past is not used for the next reply.
        note_uses(relationship.id, assembled.used)
    return Context(
        assembled=assembled,
        used=_used(recalled, assembled),
        released=released,
        withheld=_withheld(released, asked, view),
        degraded=_degraded(request),
        disclosure=_disclose(relationship, loaded.in_use_since, now=now),
        memory_version=asked.pack.version,
        timing_ms=clock.laps,
    )


def _assemble(material: Material, request: ContextRequest, view: View) -> Assembled:
    return assemble(
        material,
        budget=request.token_budget,
        # "三天前" is told from the moment that is asked about.
        now=view.true_at,
        quotas=Quotas(**settings.CONTEXT_QUOTAS),
        form=request.form,
    )


def search(
    relationship: RelationshipRef, request: ContextRequest, *, now: datetime, limit: int
) -> list[Hit]:
    """Return the best matches of a query, without pins or caps."""
    require_scope(relationship=relationship.id)
    view = make_view(relationship, now, request.valid_at, request.known_at)
    asked = _ask(relationship, request, view, load_pack(relationship, view))
    ranked = rank(asked.pack, asked.question, view=asked.view, policy=asked.policy)
    places = [int(place) for place in ranked.order if ranked.is_match[place]]
    picks: list[Pick] = [(place, None) for place in places[:limit]]
    return list(make_hits(asked.pack, ranked, asked.question, picks))


def _ask(
    relationship: RelationshipRef, request: ContextRequest, view: View, pack: Pack
) -> Asked:
    return Asked(
        pack=pack,
        policy=policies.get(relationship.persona_id, scenario=request.scenario),
        view=view,
        question=make_question(
            request.query,
            request.query_vector,
            names=relationship.names,
            now=view.true_at,
        ),
    )


def make_view(
    relationship: RelationshipRef,
    now: datetime,
    valid_at: datetime | None,
    known_at: datetime | None,
) -> View:
    """Return from where the relationship is looked at, in the user's zone."""
    zone = zoneinfo.ZoneInfo(relationship.time_zone)
    return View(
        now=now.astimezone(zone),
        valid_at=valid_at.astimezone(zone) if valid_at else None,
        known_at=known_at.astimezone(zone) if known_at else None,
        custody=relationship.custody,
        categories=list_granted(relationship),
    )


def _to_turn(turn: working_memory.Turn) -> Turn:
    return Turn(author_kind=turn.author_kind, text=turn.text, sent_at=turn.sent_at)


def _to_spoken(released: Releases) -> Iterator[ReleasedField]:
    """Yield what may enter a prompt; the rest is data for the caller."""
    for one in released.fields:
        if one.in_prompt:
            yield ReleasedField(label=one.label_zh, value=one.value)


def _withheld(released: Releases, asked: Asked, view: View) -> tuple[str, ...]:
    """Return why something that is kept is not in the answer, each code once."""
    sensitive = (SENSITIVE_WITHHELD,) if has_ungranted(asked.pack, view=view) else ()
    return (*released.withheld, *sensitive)


def _find_persona(relationship: RelationshipRef) -> Persona:
    profile = get_profile(relationship.persona_id, version=relationship.profile_version)
    if profile is None:
        return Persona(name=relationship.persona_name)
    return Persona(
        name=relationship.persona_name,
        background=profile.background,
        voice=profile.voice,
        taboos=tuple(profile.taboos),
        standard_lines=tuple(profile.standard_lines),
    )


def _used(recalled: Recalled, assembled: Assembled) -> tuple[Hit, ...]:
    """Return the hits that are in the prompt, in its order."""
    hits = {hit.id: hit for hit in (*recalled.pins.hits, *recalled.hits)}
    return tuple(hits[memory] for memory in assembled.used)


def _degraded(request: ContextRequest) -> tuple[str, ...]:
    is_asked = bool(clean_query(request.query))
    return ("vector",) if is_asked and request.query_vector is None else ()


def _disclose(
    relationship: RelationshipRef, in_use_since: datetime | None, *, now: datetime
) -> Disclosure:
    """Say what must be told about AI.

    Source: Order 21, article 18: a reminder every two hours of continuous use.
    """
    # What counts is this relationship's own: how long the user was with others is not
    # for it to know.
    begins = [at for at in (in_use_since, relationship.reminded_at) if at is not None]
    continuous = timedelta()
    if in_use_since is not None:
        continuous = max(now - max(begins), timedelta())
    reason = TWO_HOURS if continuous >= reminder_after() else NO_REASON
    if relationship.disclosed_at is None:
        reason = NEVER_TOLD
    return Disclosure(
        is_ai_involved=True,
        disclosed_at=relationship.disclosed_at,
        must_remind=reason != NO_REASON,
        reason=reason,
        continuous_seconds=int(continuous.total_seconds()),
    )


class Clock:
    """Measures the parts of one answer in milliseconds."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        """Note the time since the last lap under a name."""
        now = time.perf_counter()
        self.laps[name] = round((now - self._last) * 1000, 2)
        self._last = now
