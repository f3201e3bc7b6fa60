"""Replaying chat logs: all or nothing, again without harm, and after a stop."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from consent.gate import GateClosed
from identity.errors import PersonaNotFound
from identity.models import CreatorPersona, GlobalUser, Relationship
from identity.resolution import resolve
from identity.types import RelationshipRef
from memories.intake import receive
from memories.models import ChatSession, Message
from memsys.chat_log import ChatLine
from memsys.kernel.scope import Purpose, access_scope
from memsys.replay import Summary, replay
from tests.factories.identity import make_persona, new_name

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@dataclass(frozen=True)
class Chat:
    """Makes lines of a user's chat with a persona."""

    persona: CreatorPersona
    user: str

    def line(self, text: str, minute: float = 0, **fields: str) -> ChatLine:
        return ChatLine(
            user=self.user,
            creator=self.persona.creator.external_id,
            persona=self.persona.key,
            author_kind=fields.pop("author_kind", "user"),
            text=text,
            sent_at=NOW - timedelta(days=1) + timedelta(minutes=minute),
            **fields,
        )

    @property
    def relationship(self) -> RelationshipRef:
        return resolve(self.line("x").address)

    def texts(self) -> list[str]:
        ref = self.relationship
        with access_scope(Purpose.JOB, relationship=ref.id):
            rows = Message.objects.filter(relationship_id=ref.id)
            return list(rows.order_by("sent_at", "id").values_list("text", flat=True))


def new_chat(persona: CreatorPersona | None = None) -> Chat:
    return Chat(persona or make_persona(), new_name("user"))


def run(*lines: ChatLine) -> Summary:
    return replay(lines, now=NOW, advance=lambda count: None)


@pytest.mark.django_db
class TestReplaying:
    def test_it_stores_each_chat_in_its_relationship_in_order(self) -> None:
        ann, ben = new_chat(), new_chat()

        summary = run(
            ann.line("晚安", 9), ben.line("在吗"), ann.line("早"), ann.line("吃了吗", 5)
        )

        assert ann.texts() == ["早", "吃了吗", "晚安"]
        assert ben.texts() == ["在吗"]
        assert (summary.lines, summary.stored, len(summary.relationships)) == (4, 4, 2)

    def test_it_ends_the_sessions(self) -> None:
        ann = new_chat()

        summary = run(ann.line("早"), ann.line("晚", 300))

        rows = ChatSession.objects.filter(pk__in=summary.sessions)
        assert {row.status for row in rows} == {"pending"}
        assert len(rows) == 2

    def test_it_counts_what_was_masked(self) -> None:
        ann = new_chat()

        summary = run(ann.line("13800138000"), ann.line("或者13900139000", 1))

        assert summary.masked == {"mobile": 2}

    def test_it_takes_more_than_one_batch(self) -> None:
        ann = new_chat()
        told: list[int] = []
        lines = [ann.line(f"第{number}句", number / 60) for number in range(501)]

        summary = replay(lines, now=NOW, advance=told.append)

        assert summary.stored == 501
        assert told == [500, 1]
        assert len(summary.sessions) == 1

    def test_it_stores_nothing_twice(self) -> None:
        ann = new_chat()
        lines = [ann.line("早", id="m-1"), ann.line("吃了吗", 1), ann.line("早", 99)]
        run(*lines)

        again = run(*lines)

        assert (again.stored, again.duplicates) == (0, 3)
        assert len(ann.texts()) == 3

    def test_it_finds_the_sessions_of_a_run_that_was_stopped(self) -> None:
        ann = new_chat()
        lines = [ann.line("早"), ann.line("吃了吗", 1)]
        with access_scope(Purpose.JOB, relationship=ann.relationship.id):
            receive(ann.relationship, [line.filtered for line in lines], now=NOW)

        again = run(*lines)

        (session,) = ChatSession.objects.of(ann.relationship.id)
        assert (again.stored, again.sessions) == (0, {session.pk})
        assert session.status == "pending"

    def test_it_goes_on_after_a_stop_in_the_middle(self) -> None:
        ann, ben = new_chat(), new_chat()
        lines = [
            *(ann.line(f"第{number}句", number / 60) for number in range(501)),
            ben.line("在吗"),
        ]

        with pytest.raises(KeyboardInterrupt):
            replay(lines, now=NOW, advance=stop)
        again = run(*lines)

        assert (again.stored, again.duplicates) == (2, 500)
        assert (len(ann.texts()), len(ben.texts())) == (501, 1)
        assert len(again.sessions) == 2


def stop(count: int) -> None:
    """Do what Ctrl-C does, once a batch is stored."""
    raise KeyboardInterrupt


@pytest.mark.django_db
class TestRefusals:
    def test_one_closed_relationship_refuses_the_whole(self) -> None:
        """Acceptance row 4: not one message of the file is stored."""
        ann, ben = new_chat(), new_chat()
        Relationship.objects.filter(pk=ben.relationship.id).update(status="paused")

        with pytest.raises(GateClosed):
            run(ann.line("早"), ben.line("在吗"))

        assert ann.texts() == []

    def test_one_unknown_persona_refuses_the_whole(self) -> None:
        """Acceptance row 4."""
        ann, ben = new_chat(), new_chat()
        CreatorPersona.objects.filter(pk=ben.persona.pk).update(key="gone")

        with pytest.raises(PersonaNotFound):
            run(ann.line("早"), ben.line("在吗"))

        assert ann.texts() == []
        assert not GlobalUser.objects.filter(external_id=ben.user).exists()

    def test_a_replay_touches_no_relationship_but_its_own(self) -> None:
        """Acceptance rows 4 and 55."""
        ann = new_chat()
        ben = new_chat(ann.persona)
        run(ben.line("晚安"))

        run(ann.line("晚安"), ann.line("换了内容", 1, id="m-1"))

        assert ben.texts() == ["晚安"]
        assert ann.texts() == ["晚安", "换了内容"]
