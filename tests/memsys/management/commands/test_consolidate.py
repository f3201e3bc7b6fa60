"""`manage.py consolidate`: what an operator sees, and what a dry run leaves."""

from datetime import datetime, timedelta
from io import StringIO
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from identity.models import Relationship
from identity.types import RelationshipRef
from memories.models import Memory
from memsys.kernel.scope import Purpose, access_scope
from tests.factories.identity import make_relationship
from tests.factories.memories import make_memory


@pytest.fixture(autouse=True)
def quiet_night(db: None) -> None:
    """Nobody else's memories wait: what other tests commit stays."""
    Relationship.objects.update(consolidate_at=None)


def run(*flags: str) -> dict[str, int]:
    """Return the table that the command prints."""
    printed = StringIO()
    call_command("consolidate", *flags, stdout=printed)
    cells = [line.strip("│┃ ").split("│") for line in printed.getvalue().splitlines()]
    rows = [row for row in cells if len(row) == 2 and row[1].strip().isdecimal()]
    return {what.strip(): int(count) for what, count in rows}


def make_due(count: int = 1, *, since: datetime | None = None) -> RelationshipRef:
    """Make a relationship with so many forgotten memories, which waits for the night."""
    ann = make_relationship(consolidate_at=since or timezone.now())
    at = timezone.now() - timedelta(days=900)
    for number in range(count):
        make_memory(ann, f"第{number}件小事", occurred_at=at, stability_days=120)
    return ann


def count_archived(ann: RelationshipRef) -> int:
    with access_scope(Purpose.JOB, relationship=ann.id):
        rows = Memory.objects.of(ann.id).filter(status="archived")
        return rows.count()


def test_it_takes_all_that_wait() -> None:
    due = [make_due(2), make_due(3)]
    waiting = make_due(since=timezone.now() + timedelta(days=1))

    told = run()

    assert (told["relationships"], told["memories archived"]) == (2, 5)
    assert [count_archived(ann) for ann in (*due, waiting)] == [2, 3, 0]
    assert run()["relationships"] == 0


def test_a_dry_run_tells_and_does_nothing() -> None:
    ann = make_due(2)

    told = run("--dry-run")

    assert count_archived(ann) == 0
    assert told == run()


def test_it_takes_one_that_is_named_due_or_not() -> None:
    ann, ben = make_due(since=timezone.now() + timedelta(days=1)), make_due()

    told = run("--relationship", str(ann.id))

    assert told["relationships"] == 1
    assert (count_archived(ann), count_archived(ben)) == (1, 0)


def test_one_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(CommandError, match="no such relationship"):
        run("--relationship", str(uuid4()))
