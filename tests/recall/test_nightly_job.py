"""What is recalled is the same however often the nightly job has run.

Relationships of one user that remember the same live through the same months; what
differs is when the job runs in each.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from identity.resolution import get_relationship
from identity.scopes import job_scope, service_scope
from identity.types import RelationshipRef
from identity.versions import note_consolidation
from memories.consolidation import consolidate
from memories.decay import stability_days
from memories.embedding import get_embedder
from memories.models import Memory
from memories.reading import MemoryView, Slice, list_memories, list_timeline
from memories.types import SLOTTED_KINDS, Dimension, Kind
from memories.versions import unite_evidence
from memsys.kernel.scope import Purpose, access_scope
from memsys.kernel.sharding.ids import bucket_of, new_id
from memsys.kernel.valkey import get_valkey
from recall import cache
from recall.services import Context, ContextRequest, build_context, search
from recall.types import Hit
from tests.factories.identity import make_relationship, new_name
from tests.factories.memories import make_memory

START = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)
MONTHS = (0, 45, 120, 121, 400)  # days after the start at which they are asked
CAP = 9
COUNT = 18
QUERY = "去看海的小事"


@dataclass(frozen=True)
class Answers:
    """All that the read routes say at one moment, but for the ids of versions."""

    context: tuple[Any, ...]
    then: tuple[Any, ...]
    found: list[Hit]
    known: list[Hit]
    memories: list[MemoryView]
    timeline: list[MemoryView]


def remember(all_of_them: list[RelationshipRef], chance: random.Random) -> None:
    """Give each relationship the same memories, of all kinds and ages."""
    for number in range(COUNT):
        text = f"第{number}件去看海的小事"
        kind = chance.choice([*Kind.values, "note", "event"])
        at = START - timedelta(days=chance.uniform(0, 700))
        due = START + timedelta(days=chance.randrange(-100, 300))
        ended = at + timedelta(days=chance.uniform(1, 400))
        is_over = chance.random() < 0.3
        importance, uses = chance.random(), chance.choice([0, 0, 1, 30])
        said_at = sorted(at + timedelta(days=chance.uniform(0, 90)) for _ in range(2))
        fields = {
            "lineage": new_id(bucket=bucket_of(all_of_them[0].user_id)),
            "kind": kind,
            "key": text if kind in SLOTTED_KINDS else "",
            "dimension": chance.choice([*Dimension.values, "other", "life"]),
            "occurred_at": at,
            "recorded_at": at + timedelta(seconds=number),
            "due_at": due if kind == "commitment" else None,
            "valid_to": ended if is_over else None,
            "status": "superseded" if is_over else "active",
            "importance": importance,
            "stability_days": stability_days(importance=importance, uses=uses) / 3,
            "evidence": [uuid4(), uuid4()],
            "evidence_at": said_at,
        }
        for one in all_of_them:
            if number % 4 == 0:
                correct(one, text, fields)
            make_memory(one, text, **fields)


def correct(relationship: RelationshipRef, text: str, fields: dict[str, Any]) -> None:
    """Add what was known before the memory was corrected."""
    known_at = fields["recorded_at"] - timedelta(days=20)
    closed = {"recorded_at": known_at, "recorded_to": fields["recorded_at"]}
    make_memory(relationship, f"{text}，记错了", **fields | closed)


def ask(relationship: RelationshipRef, now: datetime) -> Answers:
    fresh = get_relationship(relationship.id)
    vector = get_embedder().embed_query(QUERY)
    request = ContextRequest(query=QUERY, query_vector=vector, token_budget=3000)
    before = now - timedelta(days=100)
    with service_scope(fresh):
        return Answers(
            context=said(build_context(fresh, request, now=now)),
            then=said(build_context(fresh, replace(request, valid_at=before), now=now)),
            found=search(fresh, request, now=now, limit=50),
            known=search(fresh, replace(request, known_at=before), now=now, limit=50),
            memories=views(list_memories(fresh.id, Slice(), now=now)),
            timeline=views(list_timeline(fresh.id, Slice())),
        )


def said(context: Context) -> tuple[Any, ...]:
    return context.assembled, context.used, context.memory_version


def views(rows: list[MemoryView]) -> list[MemoryView]:
    return [replace(row, version_id=UUID(int=1)) for row in rows]


def live_on(all_of_them: list[RelationshipRef], chance: random.Random) -> None:
    """Let the same happen in each: one is gone, another was said again."""
    with access_scope(Purpose.JOB, relationship=all_of_them[0].id):
        rows = Memory.objects.of(all_of_them[0].id).current()
        lineages = sorted(rows.values_list("lineage", flat=True))
    gone, again = chance.sample(lineages, 2)
    now = START + timedelta(days=chance.uniform(0, 120))
    evidence = [(now, uuid4())]
    for one in all_of_them:
        with job_scope(one):
            Memory.objects.of(one.id).filter(lineage=gone).delete()
            unite_evidence(one.id, again, evidence)
            note_consolidation(one.id, at=now)


def run_never(relationship: RelationshipRef, now: datetime) -> None:
    pass


def run_once(relationship: RelationshipRef, now: datetime) -> None:
    if now == START:
        consolidate(relationship.id, now=now)


def run_each_time(relationship: RelationshipRef, now: datetime) -> None:
    consolidate(relationship.id, now=now)


def run_fifty_times(relationship: RelationshipRef, now: datetime) -> None:
    for number in range(50 // len(MONTHS) + 1):
        consolidate(relationship.id, now=now - timedelta(hours=number))


JOBS: tuple[Callable[[RelationshipRef, datetime], None], ...] = (
    run_never,
    run_once,
    run_each_time,
    run_fifty_times,
)


def list_answers(
    all_of_them: list[RelationshipRef], now: datetime
) -> Iterator[Answers]:
    """Yield what each answers, cold and hot."""
    for relationship, job in zip(all_of_them, JOBS, strict=True):
        job(relationship, now)
        get_valkey().delete(cache.key_of(relationship.id))
        yield ask(relationship, now)
        yield ask(relationship, now)


@pytest.mark.django_db
@pytest.mark.parametrize("seed", range(4))
def test_it_answers_the_same_whether_it_ran_or_not(seed: int, settings: Any) -> None:
    """Acceptance rows 41 and 88: never, once, before each question, fifty times.

    The cap binds, memories are erased and said again, and packs are cold and hot.
    """
    settings.MEMORY_CAP = CAP
    chance = random.Random(seed)
    user = new_name("user")
    all_of_them = [make_relationship(user=user) for _ in JOBS]
    remember(all_of_them, chance)

    for days in MONTHS:
        now = START + timedelta(days=days)
        first, *others = list_answers(all_of_them, now)
        assert all(other == first for other in others), f"after {days} days"
        live_on(all_of_them, chance)

    assert archived(all_of_them[0]) == 0
    assert archived(all_of_them[-1]) > 0


def archived(relationship: RelationshipRef) -> int:
    with job_scope(relationship):
        rows = Memory.objects.of(relationship.id).filter(status="archived")
        return rows.count()
