"""What people said never reaches a page of the desk: not even the server reads it."""

from typing import Any

from django.contrib import admin
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memories.models import Memory, Message
from tests.desk.conftest import Person
from tests.desk.rows import CONTENT, READ_ONLY
from tests.factories.memories import make_memory, make_message

CANARY = "金丝雀"
NAMES = ("message", "memory")


def page_of(model: Any) -> Any:
    return admin.site._registry[model]


def make_canaries(relationship: Any) -> dict[Any, str]:
    """Make a message and a memory full of canaries; return their pages."""
    message = make_message(relationship, f"我养了{CANARY}", external_id=f"m-{CANARY}")
    memory = make_memory(
        relationship,
        f"养了{CANARY}",
        kind="fact",
        key=f"宠物-{CANARY}",
        value=CANARY,
        polarity=1,
        tokens=["养", CANARY],
        embedding=[0.25] * 384,
        evidence=[message.pk],
    )
    choice = f"?relationship={relationship.id}"
    return {
        row: f"/desk/memories/{row._meta.model_name}/{row.pk}/change/{choice}"
        for row in (message, memory)
    }


def test_it_masks_every_sensitive_field():
    fields = {
        model._meta.label: set(model.Privacy.sensitive) - set(page.masked_fields)
        for model, page in ((one, page_of(one)) for one in CONTENT)
    }

    assert {label: left for label, left in fields.items() if left} == {}


def test_it_shows_no_words_of_a_person(officer: Person, ann):
    pages = make_canaries(ann)
    lists = [f"/desk/memories/{one}/?relationship={ann.id}" for one in NAMES]

    texts = [officer.browser.get(one).text for one in [*pages.values(), *lists]]

    assert all(CANARY not in text for text in texts)
    assert all("••••" in text for text in texts)


def test_it_shows_how_much_there_is(officer: Person, ann):
    pages = make_canaries(ann).values()

    message, memory = (officer.browser.get(page).text for page in pages)

    assert "6 characters" in message
    assert "2 entries" in memory


def test_it_reads_no_masked_value_from_the_database(officer: Person, ann):
    pages = make_canaries(ann)

    with CaptureQueriesContext(connection) as captured:
        for page in pages.values():
            officer.browser.get(page)

    selected = [one["sql"] for one in captured if one["sql"].startswith("SELECT")]
    for model in (Message, Memory):
        columns = [
            f'{model._meta.db_table}"."{one}"' for one in page_of(model).masked_fields
        ]
        plain = [
            one
            for one in columns
            for sql in selected
            if f', "{one},' in sql or f', "{one} FROM' in sql
        ]
        assert plain == []


def test_it_searches_content_by_no_text():
    assert [one for one in CONTENT if page_of(one).search_fields] == []


def test_it_has_a_page_for_each_row_and_no_form(officer: Person, shown_rows):
    texts = {one: officer.browser.get(shown_rows[one].page).text for one in READ_ONLY}

    with_fields = [one for one, text in texts.items() if 'name="_save"' in text]
    assert with_fields == []
