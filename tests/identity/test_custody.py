"""Custody: the window, the moves, and who wins when two things happen at once."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import transaction

from identity.custody import move_custody, move_expired
from identity.custody import note_creator_message as note
from identity.errors import RelationshipNotFound
from identity.models import CustodyTransfer, Relationship
from identity.resolution import get_relationship
from identity.types import RelationshipRef
from tests.factories.identity import make_relationship
from tests.identity.audit import list_deeds
from tests.parallel import run_parallel

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)


def silent(hours: float, **fields: Any) -> RelationshipRef:
    """Make a relationship that is so old, and whose creator has not written yet."""
    return make_relationship(created_at=NOW - hours * HOUR, **fields)


def custody_of(relationship: RelationshipRef) -> str:
    return get_relationship(relationship.id).custody


def moves_of(relationship: RelationshipRef) -> list[tuple[str, str, str]]:
    rows = CustodyTransfer.objects.filter(relationship=relationship.id)
    return list(
        rows.order_by("moved_at", "id").values_list(
            "from_custody", "to_custody", "reason_code"
        )
    )


@pytest.mark.django_db
class TestTheWindow:
    @pytest.mark.parametrize(
        ("hours", "custody"), [(71.9, "creator_pool"), (72.1, "proxy_pool")]
    )
    def test_it_ends_after_three_silent_days(self, hours: float, custody: str) -> None:
        ann = silent(hours)

        move_expired(now=NOW)

        assert custody_of(ann) == custody

    @pytest.mark.parametrize(
        ("hours", "custody"), [(71.9, "creator_pool"), (72.1, "proxy_pool")]
    )
    def test_a_message_of_the_creator_restarts_it(
        self, hours: float, custody: str
    ) -> None:
        ann = silent(200)
        note(ann, sent_at=NOW - hours * HOUR, now=NOW - hours * HOUR)

        move_expired(now=NOW)

        assert custody_of(ann) == custody

    def test_it_moves_each_once(self) -> None:
        ann = silent(100)

        moved = [move_expired(now=NOW) for _ in range(2)]

        assert moved == [1, 0]
        assert moves_of(ann) == [("creator_pool", "proxy_pool", "window")]

    def test_an_older_message_does_not_take_it_back(self) -> None:
        ann = silent(200)
        note(ann, sent_at=NOW - HOUR, now=NOW)
        note(ann, sent_at=NOW - 100 * HOUR, now=NOW)

        move_expired(now=NOW)

        assert custody_of(ann) == "creator_pool"

    def test_a_clock_that_runs_ahead_does_not_lengthen_it(self) -> None:
        ann = silent(200)
        note(ann, sent_at=NOW + 500 * HOUR, now=NOW)

        move_expired(now=NOW + 73 * HOUR)

        assert custody_of(ann) == "proxy_pool"

    def test_what_was_given_back_by_hand_stays_for_a_window(self) -> None:
        ann = silent(100)
        move_expired(now=NOW)
        move_custody(
            ann.id, to="creator_pool", by="service:t", reason_code="asked", now=NOW
        )

        custodies = []
        for hours in (1, 71, 73):
            move_expired(now=NOW + hours * HOUR)
            custodies.append(custody_of(ann))

        assert custodies == ["creator_pool", "creator_pool", "proxy_pool"]


@pytest.mark.django_db
class TestMoves:
    def test_a_move_says_who_when_why_and_what_is_inherited(self) -> None:
        ann = make_relationship()

        is_moved = move_custody(
            ann.id, to="proxy_pool", by="service:ab12", reason_code="holiday", now=NOW
        )

        move = CustodyTransfer.objects.get(relationship=ann.id)
        assert is_moved
        assert (move.actor, move.reason_code, move.moved_at) == (
            "service:ab12", "holiday", NOW,
        )  # fmt: skip
        assert move.inherited == ["persona_profile", "memories_normal"]

    def test_a_move_has_its_audit_entry(self) -> None:
        ann = make_relationship()

        move_custody(
            ann.id, to="proxy_pool", by="service:ab12", reason_code="holiday", now=NOW
        )

        (deed,) = list_deeds("relationship", ann.id)
        assert (deed.action, deed.actor) == ("custody.moved", "service:ab12")
        assert (deed.field_names, deed.reason_code) == (["custody"], "holiday")

    def test_a_move_to_where_it_is_changes_nothing(self) -> None:
        ann = make_relationship()

        is_moved = move_custody(
            ann.id, to="creator_pool", by="service:t", reason_code="x", now=NOW
        )

        assert not is_moved
        assert moves_of(ann) == []
        assert list_deeds("relationship", ann.id) == []

    def test_the_id_and_the_memory_version_stay(self) -> None:
        ann = make_relationship()

        move_custody(ann.id, to="proxy_pool", by="service:t", reason_code="x", now=NOW)

        moved = get_relationship(ann.id)
        assert (moved.id, moved.memory_version) == (ann.id, ann.memory_version)

    def test_an_unknown_relationship_is_not_found(self) -> None:
        with pytest.raises(RelationshipNotFound):
            move_custody(
                uuid4(), to="proxy_pool", by="service:t", reason_code="x", now=NOW
            )


@pytest.mark.django_db
class TestMessagesOfTheCreator:
    def test_one_of_now_moves_it_back(self) -> None:
        ann = make_relationship(custody="proxy_pool")

        note(ann, sent_at=NOW - HOUR, now=NOW)

        assert custody_of(ann) == "creator_pool"
        assert moves_of(ann) == [("proxy_pool", "creator_pool", "creator-message")]
        assert [d.actor for d in list_deeds("relationship", ann.id)] == [
            "system:custody"
        ]

    def test_one_imported_from_last_year_does_not(self) -> None:
        ann = make_relationship(custody="proxy_pool")

        note(ann, sent_at=NOW - 9000 * HOUR, now=NOW)

        assert custody_of(ann) == "proxy_pool"
        assert moves_of(ann) == []

    def test_one_counts_that_arrives_just_after_the_window_was_swept(self) -> None:
        before_the_sweep = silent(100)
        move_expired(now=NOW)

        note(before_the_sweep, sent_at=NOW, now=NOW)

        assert custody_of(before_the_sweep) == "creator_pool"


@pytest.mark.usefixtures("real_commits")
class TestAtOnce:
    def test_parallel_moves_make_one_transfer(self) -> None:
        ann = make_relationship()

        moved = run_parallel(
            10,
            lambda _: move_custody(
                ann.id, to="proxy_pool", by="service:t", reason_code="x", now=NOW
            ),
        )

        assert sorted(moved) == [False] * 9 + [True]
        assert len(moves_of(ann)) == 1

    def test_a_creator_who_writes_while_the_window_is_swept_has_it(self) -> None:
        refs = [silent(100) for _ in range(10)]

        def write_or_sweep(thread: int) -> None:
            if thread == 0:
                move_expired(now=NOW)
                return
            for ref in refs:
                with transaction.atomic():
                    note(ref, sent_at=NOW, now=NOW)

        run_parallel(3, write_or_sweep)

        assert {custody_of(ref) for ref in refs} == {"creator_pool"}
        Relationship.objects.filter(pk__in=[ref.id for ref in refs]).update(
            custody="proxy_pool"
        )
