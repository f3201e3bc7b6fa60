"""Erasures against all that may happen at the same moment, with real commits."""

import threading
import time
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import pytest
from django.utils import timezone

from consent import erasures, holds, ledger
from consent.errors import ErasureNotUndoable, HeldByLaw
from consent.models import ErasureRun
from identity.resolution import get_relationship
from identity.scopes import service_scope
from identity.types import RelationshipRef
from memories import intake
from memories.claims import claim
from memories.models import ChatSession, Message
from memories.processing import process_claimed
from memsys.kernel.audit.verification import verify_chains
from memsys.kernel.outbox import OutboxEvent
from tests.factories.erasing import (
    BY,
    ask,
    fill_user,
    left,
    lift,
    make_filled,
    of,
    run,
    status_of,
)
from tests.factories.memories import make_message, make_session
from tests.parallel import run_parallel

pytestmark = pytest.mark.usefixtures("real_commits")
SECOND = timedelta(seconds=1)


def lines_of(found: ErasureRun) -> int:
    return sum(line.entry.run == found.pk for line in ledger.read_lines())


def at_once(*deeds: Any) -> list[Any]:
    """Do all of it at the same moment; return what each returned."""
    return run_parallel(len(deeds), lambda number: deeds[number]())


def erase_now(ann: RelationshipRef, now: datetime) -> str:
    fresh = get_relationship(ann.id)
    try:
        with service_scope(fresh):
            done = erasures.erase_now(of(ann), by=BY, reason_code="test", now=now)
    except HeldByLaw:
        return "held"
    return str(done.state)


@pytest.mark.parametrize("number", range(6))
def test_of_an_undo_and_a_run_one_wins_whole(number: int) -> None:
    ann = make_filled()
    asked = timezone.now()
    wish = ask(of(ann), at_once=False, at=asked)
    border = wish.run_from

    def undo() -> str:
        try:
            return erasures.undo(wish.pk, by=BY, now=border - SECOND).state
        except ErasureNotUndoable:
            return "too late"

    undone, _ = at_once(undo, partial(run, wish, border + SECOND))

    ended = ErasureRun.objects.get(pk=wish.pk)
    is_undone = undone == "undone"
    assert ended.state == ("undone" if is_undone else "done")
    assert left(ann) == ((1, 1) if is_undone else (0, 0))
    assert lines_of(wish) == (0 if is_undone else 1)
    assert status_of(ann) == "active"


@pytest.mark.parametrize("number", range(3))
def test_a_user_and_their_relationships_are_erased_at_once(number: int) -> None:
    """Acceptance row C26: no deadlock, and each wish has its own receipt."""
    ann = make_filled()
    other, third = (make_filled(user=ann.user_external_id) for _ in range(2))
    fill_user(ann)
    now = timezone.now()
    wishes = [ask(erasures.Target(ann.user_id), at=now), ask(of(other), at=now)]

    outcomes = at_once(
        *(partial(run, one, now) for one in wishes),
        *(partial(run, one, now) for one in wishes),
        partial(erase_now, ann, now),
        partial(erase_now, third, now),
    )
    for one in wishes:
        run(one, now + timedelta(minutes=7))

    ended = ErasureRun.objects.filter(global_user_id=ann.user_id)
    assert outcomes[-2:] == ["done", "done"]
    assert [one.state for one in ended] == ["done"] * 4
    assert [lines_of(one) for one in ended] == [1] * 4
    assert len({one.receipt_code for one in ended}) == 4
    assert [left(one) for one in (ann, other, third)] == [(0, 0)] * 3
    assert [status_of(one) for one in (ann, other, third)] == ["active"] * 3
    told = OutboxEvent.objects.filter(user_id=ann.user_id, name="erasure.done")
    assert told.count() == 4
    assert [one for one in verify_chains() if one.fault_count] == []


@pytest.mark.parametrize("number", range(4))
def test_a_hold_that_is_placed_meanwhile_keeps_all_that_is_still_there(
    number: int,
) -> None:
    """Acceptance rows C10 and C11."""
    ann = make_filled()
    others = [make_filled(user=ann.user_external_id) for _ in range(3)]
    everyone = [ann, *others]
    now = timezone.now()
    wish = ask(erasures.Target(ann.user_id), at=now)
    place = partial(
        holds.place, ann.user_id, reason_code="x", case_ref="x", by="staff:1", now=now
    )

    hold, _ = at_once(place, partial(run, wish, now))

    ended = ErasureRun.objects.get(pk=wish.pk)
    gone = [one for one in ended.steps if one["step"].startswith("memories.content")]
    assert sorted(left(one) for one in everyone) == sorted(
        [(0, 0)] * len(gone) + [(1, 1)] * (4 - len(gone))
    )
    lift(hold, now + SECOND)
    run(wish, now + timedelta(minutes=16))
    assert ErasureRun.objects.get(pk=wish.pk).state == "done"
    assert [left(one) for one in everyone] == [(0, 0)] * 4


@pytest.mark.parametrize("number", range(4))
def test_the_jobs_of_all_sessions_and_the_erasure_of_their_user_take_turns(
    number: int,
) -> None:
    """Acceptance row 24: nothing is made of what is erased."""
    now = timezone.now()
    everyone = [make_filled()]
    everyone += [make_filled(user=everyone[0].user_external_id) for _ in range(2)]
    claims = []
    for one in everyone:
        session = make_session(one, at=now, status="pending", ended_at=now)
        make_message(one, "我对芒果过敏", session=session, sent_at=now)
        claims.append(claim(session.pk, now=now))
    assert None not in claims
    wish = ask(erasures.Target(everyone[0].user_id), at=now)

    at_once(
        partial(run, wish, now),
        *(partial(process_claimed, one, now=now) for one in claims),
    )

    assert [left(one) for one in everyone] == [(0, 0)] * 3
    for one in everyone:
        unfinished = ChatSession.objects.of(one.id).filter(status="pending")
        assert not unfinished.exists()


def test_what_comes_in_while_it_begins_is_covered_by_the_ledgers_line() -> None:
    """Acceptance row C10: no dump that lacks the line holds more than it covers."""
    ann = make_filled()
    now = timezone.now()
    incoming = intake.filter_messages(
        [intake.IncomingMessage("user", "我对花生过敏", now)]
    )
    is_in = threading.Event()

    def post() -> datetime:
        fresh = get_relationship(ann.id)
        with service_scope(fresh):
            intake.receive(fresh, incoming, now=now)
            rows = Message.objects.filter(relationship_id=ann.id)
            received_at = rows.latest("received_at").received_at
            is_in.set()
            # The erasure comes to wait for it.
            time.sleep(0.3)
        return received_at

    def erase() -> str:
        is_in.wait(10)
        return erase_now(ann, now)

    received_at, done = at_once(post, erase)

    ended = ErasureRun.objects.get(global_user_id=ann.user_id)
    assert done == "done"
    assert left(ann) == (0, 0)
    assert ended.covers_until is not None
    assert now < received_at < ended.covers_until
