"""A list costs as many queries with many rows as with one."""

from typing import Any

from django.contrib.auth.models import Group, User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django_celery_beat.models import CrontabSchedule, PeriodicTask

from identity.models import CustodyTransfer
from memsys.api.models import IdempotencyRecord
from memsys.kernel.audit.chain import Deed, record
from recall.models import RecallPolicy
from tests.desk.conftest import Person
from tests.desk.rows import CONTENT, MODELS, READ_ONLY, Shown, label_of, make_governance
from tests.factories.api import make_bot
from tests.factories.content import make_row
from tests.factories.identity import make_relationship, new_name
from tests.factories.memories import make_session

MANY = 50


def make_move(relationship: Any) -> None:
    """Make a move of custody."""
    CustodyTransfer.objects.create(
        relationship_id=relationship.id,
        from_custody="creator_pool",
        to_custody="proxy_pool",
        reason_code="window-passed",
        moved_at=timezone.now(),
    )


def make_more(relationship: Any) -> None:
    """Make another row of nearly every model."""
    other = make_relationship()
    for model in CONTENT:
        make_row(model, relationship)
    make_session(other)
    make_move(relationship)
    RecallPolicy.objects.create(persona_id=other.persona_id)
    record(Deed("tests", "tested", "staff:0", subject=other.user_id, details={"a": 1}))
    IdempotencyRecord.objects.create(
        client=make_bot().key.prefix,
        key=new_name("key"),
        request_digest=b"1",
        status_code=202,
        answer={},
    )
    schedule = CrontabSchedule.objects.create(minute="1")
    PeriodicTask.objects.create(name=new_name("job"), task="t", crontab=schedule)
    make_governance(relationship)
    User.objects.create(username=new_name("person"))
    Group.objects.create(name=new_name("role"))


def count_queries(officer: Person, page: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        response = officer.browser.get(page)
    assert response.status_code == 200
    return len(captured)


def test_it_lists_many_rows_at_the_cost_of_one(
    officer: Person, ann, shown_rows: dict[Any, Shown]
):
    pages = {label_of(model): shown_rows[model].list for model in MODELS}
    for page in pages.values():
        officer.browser.get(page)
    with_one = {name: count_queries(officer, page) for name, page in pages.items()}

    for _ in range(MANY - 1):
        make_more(ann)

    with_many = {name: count_queries(officer, page) for name, page in pages.items()}
    assert with_many == with_one


def test_it_shows_a_relationship_with_many_moves_at_the_cost_of_one(
    officer: Person, ann, shown_rows
):
    page = f"/desk/identity/relationship/{ann.id}/change/"
    officer.browser.get(page)
    with_one = count_queries(officer, page)

    for _ in range(MANY - 1):
        make_move(ann)
        make_session(ann, status="done", ended_at=timezone.now())

    assert count_queries(officer, page) == with_one


def test_it_never_counts_rows(officer: Person, shown_rows):
    with CaptureQueriesContext(connection) as captured:
        for model in READ_ONLY:
            officer.browser.get(shown_rows[model].list)

    assert [one["sql"] for one in captured if "COUNT(" in one["sql"].upper()] == []
