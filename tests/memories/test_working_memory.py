"""Working memory: copies of the open session that may go, lag or lie."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any
from uuid import UUID

import pytest

from identity.resolution import get_relationship
from identity.scopes import service_scope
from identity.types import RelationshipRef
from memories import personal_data, working_memory
from memories.evidence import mask_messages
from memories.intake import IncomingMessage, Receipt, filter_messages, receive
from memories.models import ChatSession, Message
from memories.services import add_note, erase_memory
from memories.sessions import end_sessions
from memories.statements import prepare_statement
from memories.types import EndReason
from memories.working_memory import MAX_LINES, TURNS, key_of, rebuild
from memsys.kernel.valkey import get_valkey
from recall.services import Context, ContextRequest, build_context
from tests.factories.api import CountedQueries
from tests.factories.identity import make_relationship
from tests.factories.memories import make_memory
from tests.parallel import run_parallel
from tests.round_trips import CountedTrips

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
ALL = 100_000  # tokens: room for every message

pytestmark = pytest.mark.usefixtures("real_commits")


def post(
    ann: RelationshipRef, *texts: str, at: datetime = NOW, step: int = 1
) -> list[Receipt]:
    """Post messages as a request does that resolved the relationship just now."""
    fresh = get_relationship(ann.id)
    messages = [
        IncomingMessage("user", text, at + timedelta(seconds=step * number))
        for number, text in enumerate(texts)
    ]
    with service_scope(ann):
        return receive(fresh, filter_messages(messages), now=at)


def ask(ann: RelationshipRef) -> Context:
    fresh = get_relationship(ann.id)
    request = ContextRequest(query="在吗", token_budget=ALL)
    with service_scope(fresh):
        return build_context(fresh, request, now=NOW + timedelta(hours=1))


def shown(context: Context) -> list[str]:
    """Return the messages of the session in a context, oldest first."""
    (section,) = [
        one for one in context.assembled.sections if one.name.value == "session"
    ]
    return [line.spoken for line in section.lines]


def said(ann: RelationshipRef) -> list[str]:
    """Return what the tables say that a context must show."""
    with service_scope(ann):
        rows = Message.objects.filter(
            relationship_id=ann.id, session__status="open", no_extract=False
        )
        newest = list(rows.order_by("-sent_at", "-id")[:TURNS])
    return [row.text for row in reversed(newest)]


def copy_of(ann: RelationshipRef) -> dict[bytes, bytes]:
    kept: dict[bytes, bytes] = get_valkey().hgetall(key_of(ann.id))
    return kept


def in_valkey(ann: RelationshipRef, text: str) -> bool:
    return text.encode() in b"".join(copy_of(ann).values())


def number_posts() -> Iterator[datetime]:
    """Yield moments a minute apart."""
    return (NOW + timedelta(minutes=minute) for minute in count())


class TestHot:
    def test_a_context_after_a_post_reads_no_message(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ann = make_relationship()
        post(ann, "我刚下飞机")
        ask(ann)
        post(ann, "好累", at=NOW + timedelta(minutes=1))
        fresh = get_relationship(ann.id)
        request = ContextRequest(query="在吗")

        with (
            service_scope(ann),
            CountedQueries() as queries,
            CountedTrips(monkeypatch) as trips,
        ):
            context = build_context(fresh, request, now=NOW)

        assert shown(context) == ["我刚下飞机", "好累"]
        assert "memories_message" not in " ".join(queries.statements)
        assert len(queries.statements) == 2
        assert trips.count == 1

    def test_a_post_makes_one_call(self, monkeypatch: pytest.MonkeyPatch) -> None:
        ann = make_relationship()

        with CountedTrips(monkeypatch) as trips:
            post(ann, "一", "二", "三")

        assert trips.count == 1

    def test_a_post_that_spans_two_sessions_follows_the_open_one(self) -> None:
        ann = make_relationship()
        post(ann, "前面", at=NOW - timedelta(minutes=80))

        post(ann, "早", "晚", at=NOW - timedelta(minutes=79), step=79 * 60)

        assert in_valkey(ann, "晚")
        assert shown(ask(ann)) == said(ann) == ["晚"]

    def test_it_puts_a_copy_back_that_is_then_used(self) -> None:
        ann = make_relationship()
        post(ann, "我刚下飞机")
        get_valkey().delete(key_of(ann.id))
        ask(ann)

        with CountedQueries() as queries:
            context = ask(ann)

        assert shown(context) == ["我刚下飞机"]
        assert "memories_message" not in " ".join(queries.statements)

    def test_it_leaves_valkey_when_nobody_talks(self) -> None:
        ann = make_relationship()

        post(ann, "我刚下飞机")

        assert 0 < get_valkey().ttl(key_of(ann.id)) <= 1800


class TestTruth:
    @pytest.mark.parametrize("seed", range(6))
    def test_it_is_the_same_whatever_becomes_of_the_copy(self, seed: int) -> None:
        """Acceptance row 88: wiped, put back old, broken, at any moment."""
        chance = random.Random(seed)
        ann = make_relationship()
        kept: list[bytes] = []
        expected, contexts = [], []

        for number, at in zip(range(40), number_posts(), strict=False):
            late = timedelta(minutes=chance.choice([0, 0, 0, 3]))
            texts = [f"第{number}句{n}" for n in range(chance.choice([1, 1, 3]))]
            post(ann, *texts, at=at - late)
            if chance.random() < 0.15:
                note(ann, f"记{number}")
            tamper(ann, kept, chance)
            if chance.random() < 0.7:
                expected.append(said(ann))
                contexts.append(shown(ask(ann)))

        assert contexts == expected

    def test_it_keeps_the_newest_of_a_long_session(self) -> None:
        ann = make_relationship()
        for number, at in zip(range(MAX_LINES + 30), number_posts(), strict=False):
            post(ann, f"第{number}句", at=at)
            if number % 7 == 0:
                assert shown(ask(ann)) == said(ann)

        assert shown(ask(ann)) == [
            f"第{number}句" for number in range(MAX_LINES + 10, MAX_LINES + 30)
        ]
        assert int(copy_of(ann)[b"size"]) <= MAX_LINES

    def test_it_begins_anew_with_a_new_session(self) -> None:
        ann = make_relationship()
        post(ann, "上一场")
        ask(ann)
        with service_scope(ann):
            end_sessions(ann.id, now=NOW, reason=EndReason.CALLER)

        between = shown(ask(ann))
        post(ann, "这一场", at=NOW + timedelta(minutes=1))

        assert between == []
        assert shown(ask(ann)) == ["这一场"]

    def test_it_never_takes_the_copy_of_another_relationship(self) -> None:
        ann, chloe = make_relationship(), make_relationship()
        post(ann, "我是安")
        post(chloe, "我是克")
        get_valkey().restore(
            key_of(ann.id), 0, get_valkey().dump(key_of(chloe.id)), replace=True
        )

        assert shown(ask(ann)) == ["我是安"]

    def test_a_post_does_not_build_on_a_copy_that_lags(self) -> None:
        ann = make_relationship()
        post(ann, "一")
        old = get_valkey().dump(key_of(ann.id))
        post(ann, "二", at=NOW + timedelta(minutes=1))
        get_valkey().restore(key_of(ann.id), 0, old, replace=True)

        post(ann, "三", at=NOW + timedelta(minutes=2))

        assert shown(ask(ann)) == ["一", "二", "三"]

    def test_it_answers_without_valkey(self, settings: Any) -> None:
        ann = make_relationship()
        post(ann, "我刚下飞机")
        hot = ask(ann)
        settings.VALKEY_URL = "redis://127.0.0.1:1"
        get_valkey.cache_clear()

        try:
            cold = ask(ann)
            post(ann, "好累", at=NOW + timedelta(minutes=1))
            later = shown(ask(ann))
        finally:
            get_valkey.cache_clear()

        assert (cold.assembled, cold.disclosure) == (hot.assembled, hot.disclosure)
        assert later == ["我刚下飞机", "好累"]


def tamper(ann: RelationshipRef, kept: list[bytes], chance: random.Random) -> None:
    """Do to the copy what may happen to it, or nothing."""
    key, valkey = key_of(ann.id), get_valkey()
    if (dump := valkey.dump(key)) is not None:
        kept.append(dump)
    match chance.randrange(8):
        case 0:
            valkey.delete(key)
        case 1 if kept:
            valkey.restore(key, 0, chance.choice(kept), replace=True)
        case 2:
            valkey.delete(key)
            valkey.set(key, b"not a hash")
        case 3 if valkey.type(key) == b"hash":
            valkey.hset(key, "turns", b'["half a li')


def note(ann: RelationshipRef, text: str) -> None:
    """Write something, so that the memory version grows."""
    with service_scope(ann):
        add_note(ann, prepare_statement(text), by="job:t", author="service", now=NOW)


class TestMeetings:
    def test_two_writers_and_a_reader_miss_nothing(self) -> None:
        ann = make_relationship()
        stored: list[str] = []
        faults: list[Sequence[str]] = []

        def talk_or_ask(thread: int) -> None:
            for number in range(9):
                if thread < 2:
                    text = f"{thread}说第{number}句"
                    post(ann, text, at=NOW + timedelta(seconds=number))
                    stored.append(text)
                    continue
                for _ in range(4):
                    before = set(stored)
                    texts = shown(ask(ann))
                    if not before <= set(texts) or len(texts) != len(set(texts)):
                        faults.append(texts)

        run_parallel(4, talk_or_ask)

        assert faults == []
        assert shown(ask(ann)) == said(ann)
        assert len(said(ann)) == 18

    @pytest.mark.parametrize("erased", ["memory", "relationship"])
    def test_none_that_begins_after_an_erasure_shows_what_was_erased(
        self, erased: str
    ) -> None:
        """Acceptance rows 16, 21 and C6, with readers that put copies back."""
        ann = make_relationship()
        (receipt,) = post(ann, "暗号-7731")
        memory = make_memory(
            ann, "暗号-7731", evidence=[receipt.message_id], evidence_at=[NOW]
        )

        def ask_or_erase(thread: int) -> list[str]:
            if thread == 0:
                erase(ann, memory.lineage if erased == "memory" else None)
                return shown(ask(ann))
            for number in range(10):
                ask(ann)
                post(ann, f"{thread}说第{number}句", at=NOW + timedelta(seconds=number))
            return []

        after = run_parallel(4, ask_or_erase)[0]

        assert "暗号" not in "".join([*after, *shown(ask(ann))])
        assert not in_valkey(ann, "暗号")


def erase(ann: RelationshipRef, lineage: UUID | None) -> None:
    with service_scope(ann):
        if lineage is None:
            personal_data.erase(ann, by="job:t", reason_code="test", now=NOW)
        else:
            erase_memory(ann, lineage, by="job:t", reason_code="test", now=NOW)


class TestWhatMustNotShow:
    def test_a_message_masked_while_they_talk_is_gone_at_once(self) -> None:
        ann = make_relationship()
        first, _ = post(ann, "暗号-7731", "好累")
        ask(ann)

        with service_scope(ann):
            mask_messages(ann.id, [first.message_id])

        assert not in_valkey(ann, "暗号")
        assert shown(ask(ann)) == ["好累"]

    def test_masking_nothing_leaves_the_copy(self) -> None:
        ann = make_relationship()
        post(ann, "好累")

        with service_scope(ann):
            mask_messages(ann.id, [])

        assert in_valkey(ann, "好累")

    def test_a_slow_reader_cannot_put_erased_words_back(self) -> None:
        """Acceptance row C6."""
        ann = make_relationship()
        post(ann, "暗号-7731")
        with service_scope(ann):
            old = rebuild(ann.id)
        erase(ann, None)

        working_memory.keep(ann.id, old)
        working_memory.append(ann.id, old.standing, old.turns)

        assert not in_valkey(ann, "暗号")

    def test_a_floor_outlives_a_copy_of_no_use(self) -> None:
        ann = make_relationship()
        post(ann, "暗号-7731")
        with service_scope(ann):
            old = rebuild(ann.id)
        erase(ann, None)
        post(ann, "好累", at=NOW + timedelta(minutes=1))
        behind = replace(old.standing, message_count=9)

        working_memory.append(ann.id, behind, old.turns)
        working_memory.keep(ann.id, old)

        assert not in_valkey(ann, "暗号")

    def test_an_old_copy_is_not_used_after_a_masking(self) -> None:
        """Acceptance row C6: Valkey was away when it should have been told."""
        ann = make_relationship()
        first, _ = post(ann, "暗号-7731", "好累")
        old = get_valkey().dump(key_of(ann.id))
        with service_scope(ann):
            mask_messages(ann.id, [first.message_id])
        get_valkey().restore(key_of(ann.id), 0, old, replace=True)

        assert shown(ask(ann)) == ["好累"]

    def test_a_session_of_masked_messages_goes_on(self) -> None:
        ann = make_relationship()
        post(ann, "暗号-7731")
        with service_scope(ann):
            ids = Message.objects.filter(relationship_id=ann.id)
            mask_messages(ann.id, ids.values_list("id", flat=True))

        context = ask(ann)

        assert shown(context) == []
        assert context.disclosure.continuous_seconds == 3600
        assert ChatSession.objects.of(ann.id).open().count() == 1
