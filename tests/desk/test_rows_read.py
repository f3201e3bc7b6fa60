"""A list reads as many rows of the database as it shows, however many there are."""

import json
import re
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import pytest
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext

from identity.models import Relationship
from identity.types import RelationshipRef
from memories.models import ChatSession
from memsys.kernel.pages.read_only import ReadOnlyAdmin
from memsys.kernel.scope import Purpose, access_scope
from tests.desk.conftest import Person, make_person
from tests.desk.crowds import (
    CONTENT,
    CROWDED,
    QUEUES,
    make_content,
    make_crowd,
    make_queues,
)
from tests.desk.rows import list_address
from tests.factories.identity import make_relationship
from tests.factories.memories import make_memory, make_message, make_session

pytestmark = pytest.mark.slow

MANY = 10_000
# A list reads one row more than a page holds, and of each table that it joins as many.
PAGE = ReadOnlyAdmin.list_per_page + 1
TABLES = 5
OF_A_LIST = re.compile(rf"^SELECT .* LIMIT {PAGE}$", re.DOTALL)


@pytest.fixture
def officer(real_commits: None) -> Person:
    return make_person(is_staff=True, is_superuser=True)


@pytest.fixture
def one(real_commits: None) -> RelationshipRef:
    """A relationship with a row in each of the lists."""
    ann = make_relationship()
    make_session(ann)
    make_memory(ann, "喜欢看海")
    make_message(ann, "嗯")
    make_queues(ann, 0)
    return ann


@dataclass(frozen=True)
class Look:
    """A page of a list, and whether it is of one relationship's content."""

    page: str
    is_content: bool = False


def list_looks(relationship: RelationshipRef) -> Iterator[Look]:
    """Yield the lists, and their filters."""
    for model in (*CROWDED, *QUEUES):
        yield Look(list_address(model))
    relationships, sessions = list_address(Relationship), list_address(ChatSession)
    yield Look(f"{relationships}?status__exact=paused")
    yield Look(f"{relationships}?custody__exact=proxy_pool")
    yield Look(f"{relationships}?q={relationship.user_external_id}")
    yield Look(f"{sessions}?status__exact=dead")
    for model in CONTENT:
        page = f"{list_address(model)}?relationship={relationship.id}"
        yield Look(page, is_content=True)


def count_rows_read(node: dict[str, Any]) -> int:
    """Return how many rows a plan's scans took from tables, those left out too."""
    read = 0
    if node["Node Type"].endswith("Scan"):
        left_out = node.get("Rows Removed by Filter", 0)
        left_out += node.get("Rows Removed by Index Recheck", 0)
        read = round((node["Actual Rows"] + left_out) * node["Actual Loops"])
    return read + sum(count_rows_read(one) for one in node.get("Plans", ()))


def list_statements(officer: Person, page: str) -> list[str]:
    """Return the statements that a list takes."""
    with CaptureQueriesContext(connection) as captured:
        assert officer.browser.get(page).status_code == 200
    return [one["sql"] for one in captured]


def explain(statement: str, scope: Any) -> dict[str, Any]:
    """Run a statement and return its plan."""
    with scope, connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) {statement}")
        (plan,) = cursor.fetchone()
    whole = json.loads(plan) if isinstance(plan, str) else plan
    found: dict[str, Any] = whole[0]["Plan"]
    return found


def keep_statistics() -> None:
    """Let the database know how many rows there are, as it does by itself in time."""
    with connections["owner"].cursor() as cursor:
        cursor.execute("ANALYZE")


def read_rows(officer: Person, look: Look, relationship: RelationshipRef) -> int:
    """Return how many rows the statement of a list reads."""
    statements = list_statements(officer, look.page)
    (statement,) = [sql for sql in statements if OF_A_LIST.match(sql)]
    scope = access_scope(Purpose.DESK, relationship=relationship.id)
    plan = explain(statement, scope if look.is_content else nullcontext())
    return count_rows_read(plan)


def test_a_list_of_ten_thousand_rows_costs_what_one_page_costs(officer: Person, one):
    looks = list(list_looks(one))
    for look in looks:
        list_statements(officer, look.page)
    before = {look.page: len(list_statements(officer, look.page)) for look in looks}

    make_crowd(one, MANY)
    make_content(one, MANY)
    make_queues(one, MANY)
    keep_statistics()

    after = {look.page: len(list_statements(officer, look.page)) for look in looks}
    read = {look.page: read_rows(officer, look, one) for look in looks}
    assert after == before
    assert {page: rows for page, rows in read.items() if rows > PAGE * TABLES} == {}
