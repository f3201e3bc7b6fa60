"""Reminders about AI that were due and that nobody confirmed: found, noted once, told."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from consent.disclosures import ShownReminder, list_reminders, note_shown
from identity.models import GlobalUser
from identity.resolution import get_relationship
from identity.scopes import job_scope, service_scope
from identity.types import RelationshipRef
from memories.intake import IncomingMessage, filter_messages, receive
from memories.presence import list_unreminded, note_unreminded
from memories.sessions import end_sessions
from memories.tasks import note_missed_reminders
from memories.types import EndReason
from memsys.kernel.audit.models import AuditEntry
from memsys.kernel.scope.staff import staff_role
from tests.factories.identity import make_relationship
from tests.factories.memories import make_session

pytestmark = pytest.mark.django_db

MINUTE = timedelta(minutes=1)


@pytest.fixture
def now() -> datetime:
    return timezone.now()


def make_chat(
    now: datetime, *, minutes: int, told: int | None, **fields: Any
) -> RelationshipRef:
    """Make somebody who has chatted for so long, and was told so many minutes ago."""
    at = None if told is None else now - told * MINUTE
    made = make_relationship(disclosed_at=at, reminded_at=at, **fields)
    began = now - minutes * MINUTE
    make_session(
        made, first_message_at=began, last_message_at=now, last_received_at=now
    )
    return made


def store(relationship: RelationshipRef, at: datetime, now: datetime) -> None:
    said = IncomingMessage(author_kind="user", text=f"{at:%H:%M}", sent_at=at)
    with service_scope(relationship):
        receive(relationship, filter_messages([said]), now=now)


def end(relationship: RelationshipRef, now: datetime) -> None:
    with service_scope(relationship):
        end_sessions(relationship.id, now=now, reason=EndReason.CALLER)


def due_of(relationship: RelationshipRef, now: datetime) -> datetime | None:
    found = {one.relationship_id: one.due_at for one in list_unreminded(now=now)}
    return found.get(relationship.id)


def read_kinds(relationship: RelationshipRef) -> list[str]:
    with job_scope(relationship):
        return [one.kind for one in list_reminders(relationship, limit=10)]


def confirm(relationship: RelationshipRef, at: datetime, now: datetime) -> None:
    shown = ShownReminder("periodic", "2026-07", at)
    with job_scope(relationship):
        note_shown(relationship, shown, by="service:t", now=now)


@pytest.mark.parametrize(
    ("minutes", "told", "due"),
    [
        (131, 300, 11),
        (129, 300, None),
        (300, 131, 11),
        (300, 129, None),
        (11, None, 11),
        (9, None, None),
    ],
)
def test_it_finds_what_was_due_and_is_not_confirmed(
    now: datetime, minutes: int, told: int | None, due: int | None
) -> None:
    """Order 21, article 18; ten minutes to show it and to tell so."""
    ann = make_chat(now, minutes=minutes, told=told)

    expected = None if due is None else now - due * MINUTE
    assert due_of(ann, now) == expected


def test_sessions_that_follow_at_once_count_as_one(now: datetime) -> None:
    ann = make_relationship(disclosed_at=now - 300 * MINUTE)
    at = now - 150 * MINUTE
    while at <= now:
        store(ann, at, now)
        end(ann, now)
        at += 25 * MINUTE
    store(ann, now - MINUTE, now)

    assert due_of(ann, now) == now - 30 * MINUTE


def test_who_has_left_is_reminded_no_more(now: datetime) -> None:
    ann = make_relationship(disclosed_at=now - 300 * MINUTE)
    make_session(ann, at=now - 200 * MINUTE)

    assert due_of(ann, now) is None


def test_users_of_the_demo_are_left_out(now: datetime) -> None:
    vera = make_chat(now, minutes=300, told=None)
    GlobalUser.objects.filter(pk=vera.user_id).update(is_synthetic=True)

    assert due_of(vera, now) is None


def test_each_is_noted_once_and_is_a_deed(now: datetime) -> None:
    ann = make_chat(now, minutes=131, told=300)
    note_unreminded(now=now)

    again = note_unreminded(now=now + MINUTE)

    with staff_role():
        deeds = AuditEntry.objects.filter(
            object_ref=f"relationship:{ann.id}", action="disclosure.missed"
        )
        assert len(deeds) == 1
    assert again == 0
    assert read_kinds(ann) == ["missed"]
    assert get_relationship(ann.id).reminded_at == now - 300 * MINUTE


def test_the_next_two_hours_are_another_one(now: datetime) -> None:
    ann = make_chat(now, minutes=300, told=140)
    note_unreminded(now=now)
    confirm(ann, now - 131 * MINUTE, now)

    note_unreminded(now=now)

    assert sorted(read_kinds(ann)) == ["missed", "missed", "periodic"]


def test_a_confirmation_ends_it(now: datetime) -> None:
    ann = make_chat(now, minutes=131, told=300)

    confirm(ann, now, now)

    assert due_of(ann, now) is None


def test_the_job_notes_them(now: datetime) -> None:
    ann = make_chat(now, minutes=131, told=300)

    assert note_missed_reminders() >= 1

    assert read_kinds(ann) == ["missed"]
