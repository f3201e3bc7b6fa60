"""The start page: few numbers, each bounded, each for those who may see it."""

from datetime import UTC, datetime, timedelta

from django.contrib.auth.models import Permission
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memsys.desk.start import Card, list_cards
from tests.desk.conftest import Person
from tests.factories.identity import make_relationship
from tests.factories.memories import make_session, settle_sessions

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def test_it_tells_of_relationships_and_sessions(officer: Person, ann):
    settle_sessions()
    before = read_numbers(officer)
    make_relationship()
    make_session(ann, at=NOW)
    for hours in (2, 5):
        ended = NOW - timedelta(hours=hours)
        make_session(ann, at=ended, status="pending", ended_at=ended)
    make_session(ann, at=NOW, status="dead", ended_at=NOW)

    cards = read_cards(officer)

    after = read_numbers(officer)
    assert after["Relationships"] == before["Relationships"] + 1
    assert after["Open sessions"] == before["Open sessions"] + 1
    assert after["Sessions waiting to be processed"] == 2
    assert "5" in cards["Sessions waiting to be processed"].note
    assert after["Sessions given up"] == 1
    assert cards["Sessions given up"].is_alarm


def test_it_alarms_when_reminders_are_not_confirmed(officer: Person):
    """Compliance, Order 21, article 18: a missing confirmation is an alarm."""
    name = "Reminders about AI not confirmed"
    before = read_numbers(officer)[name]
    due = make_relationship(disclosed_at=NOW - timedelta(hours=5))
    at = {"last_message_at": NOW, "last_received_at": NOW}
    make_session(due, first_message_at=NOW - timedelta(hours=3), **at)

    card = read_cards(officer)[name]

    assert (int(card.value), card.is_alarm) == (before + 1, True)


def test_it_counts_audit_entries(officer: Person, ann):
    before = read_numbers(officer)["Audit entries"]

    officer.browser.get(f"/desk/identity/relationship/{ann.id}/change/")

    assert read_numbers(officer)["Audit entries"] == before + 1


def test_it_counts_no_further_than_the_limit(officer: Person):
    for _ in range(4):
        make_relationship()

    with CaptureQueriesContext(connection) as captured:
        cards = list_cards(officer.user, now=NOW, count_limit=2)

    assert cards[0].value == "more than 2"
    counts = [one["sql"] for one in captured if "COUNT(" in one["sql"]]
    assert all("LIMIT 3" in one for one in counts)


def test_it_opens_for_staff_without_rights_and_tells_them_nothing(clerk: Person):
    response = clerk.browser.get("/desk/")

    assert response.status_code == 200
    assert list_cards(clerk.user, now=timezone.now()) == []


def test_it_tells_each_what_they_may_see(clerk: Person):
    right = Permission.objects.get(codename="view_relationship")
    clerk.user.user_permissions.add(right)

    labels = [one.label for one in list_cards(clerk.user, now=NOW)]

    assert labels == ["Relationships"]


def test_it_leads_to_what_it_tells_of(officer: Person, ann):
    for card in list_cards(officer.user, now=NOW):
        assert officer.browser.get(card.url).status_code == 200


def read_cards(officer: Person) -> dict[str, Card]:
    """Return the numbers by their labels, however many rows other tests left."""
    cards = list_cards(officer.user, now=NOW, count_limit=1_000_000)
    return {one.label: one for one in cards}


def read_numbers(officer: Person) -> dict[str, int]:
    """Return the numbers as numbers; they are written with separators."""
    cards = read_cards(officer)
    return {label: int(one.value.replace(",", "")) for label, one in cards.items()}
