"""The charts of the start page: for whom, of what, and at what cost."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from consent.models import SubjectRequest
from memsys.desk.charts import list_charts
from memsys.desk.models import Reveal
from memsys.kernel.outbox import emit
from tests.desk.conftest import Person, make_colleague
from tests.factories.content import make_row
from tests.factories.identity import make_relationship, new_name


def make_request(relationship: Any, *, days: int) -> None:
    """Make an open request that is due in so many days."""
    SubjectRequest.objects.create(
        global_user_id=relationship.user_id, number=new_name("R")[:20], kind="access",
        received_at=timezone.now(), received_by="service:ab",
        due_date=timezone.localdate() + timedelta(days=days),
    )  # fmt: skip


def make_all(person: Person) -> None:
    """Make something to chart for each of the charts."""
    from memories.models import ModelAttempt
    from tests.desk.rows import make_governance

    ann = make_relationship()
    make_governance(ann)
    for days in (-1, 2, 9):
        make_request(ann, days=days)
    Reveal.objects.create(
        staff=person.user.pk, subject=ann.user_id, relationship=ann.id,
        item="memory:1", reason_code="legal", revealed_at=timezone.now(),
        until=timezone.now(),
    )  # fmt: skip
    emit("consent.changed", user_id=ann.user_id)
    make_row(
        ModelAttempt, ann, sent_at=timezone.now(), status="unusable",
        finished_at=timezone.now(), cost_micros=1_500_000,
    )  # fmt: skip


def charts_of(person: Person) -> dict[str, dict[str, str]]:
    charts = list_charts(person.user, now=timezone.now())
    return {one.title: {bar.label: bar.value for bar in one.bars} for one in charts}


def test_it_charts_what_is_due_and_who_opened_what(officer: Person):
    before = charts_of(officer)
    make_all(officer)

    charts = charts_of(officer)

    def grown(title: str, bar: str) -> float:
        # What tests of real commits have left is counted too.
        return float(charts[title][bar]) - float(before.get(title, {}).get(bar, 0))

    # One more request, due today, comes with the rest of the queues.
    requests = "Open requests by what is left"
    assert [grown(requests, bar) for bar in charts[requests]] == [1, 2, 1]
    assert charts["Memories opened in a week, by person"] == {
        officer.user.username: "1"
    }
    assert grown("Waiting for a second person", "Lifting of a legal hold") == 1
    for title, count in (
        ("Changes of consent in a week", 1),
        ("Cost of the model by day", 1.5),
    ):
        newest = next(iter(charts[title]))
        assert grown(title, newest) == count
    assert grown("Erasures not done yet", "Can still be undone") == 1


@pytest.mark.parametrize(
    ("role", "count"),
    [("compliance_officer", 7), ("legal_reviewer", 6), ("auditor", 7),
     ("support", 1), ("operator_lead", 1)],
)  # fmt: skip
def test_it_charts_for_each_what_they_may_see(role: str, count: int, db: None):
    assert len(charts_of(make_colleague(role))) == count


def test_it_charts_nothing_for_staff_without_a_role(clerk: Person):
    assert charts_of(clerk) == {}


def test_it_costs_the_same_with_many_rows(officer: Person):
    make_all(officer)
    with_few = count_queries(officer)

    for _ in range(12):
        make_all(officer)

    assert count_queries(officer) == with_few


def test_it_draws_bars_without_scripts(officer: Person):
    make_all(officer)

    text = officer.browser.get("/desk/").text

    assert '<rect width="100%" height="8" class="desk-bar-part' in text


def count_queries(officer: Person) -> int:
    with CaptureQueriesContext(connection) as captured:
        assert officer.browser.get("/desk/").status_code == 200
    return len(captured)
