"""Every page of the desk: who sees it, and that nothing is written through it.

Each test goes over all models at once: `{label: status}` says which one failed.
"""

from collections.abc import Callable, Iterable
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from identity.models import Creator
from memories.models import Memory
from memsys.kernel.scope import find_scope
from tests.desk.conftest import Person
from tests.desk.rows import (
    CONTENT,
    MODELS,
    READ_ONLY,
    Shown,
    label_of,
    list_address,
    list_audit,
)

# Signing in and out; signing out sends a stranger to the start page.
OPEN_ADDRESSES = ("desk/login/", "desk/logout/")


def answers(
    send: Callable[[Any], HttpResponse], models: Iterable[Any]
) -> dict[str, int]:
    """Return the status of the answer for each model, by label."""
    return {label_of(model): send(model).status_code for model in models}


def all_answer(status: int, models: Iterable[Any]) -> dict[str, int]:
    return {label_of(model): status for model in models}


def list_addresses(entries: list[Any], before: str = "") -> list[str]:
    """Return every address of the desk, with 1 for each key in it."""
    found: list[str] = []
    for entry in entries:
        here = before + str(entry.pattern)
        if isinstance(entry, URLResolver):
            found += list_addresses(entry.url_patterns, here)
        elif isinstance(entry, URLPattern) and here.startswith("desk/"):
            found.append(here.replace("<path:object_id>", "1").replace("<id>", "1"))
    return [one for one in found if not one.startswith(OPEN_ADDRESSES)]


def test_it_has_a_row_to_show_for_each_model(shown_rows: dict[Any, Shown]):
    assert set(shown_rows) == set(MODELS)


def test_it_lists_rows_for_the_officer(officer: Person, shown_rows):
    statuses = answers(lambda one: officer.browser.get(shown_rows[one].list), MODELS)

    assert statuses == all_answer(200, MODELS)
    assert find_scope() is None


def test_it_shows_one_row_to_the_officer(officer: Person, shown_rows):
    statuses = answers(lambda one: officer.browser.get(shown_rows[one].page), MODELS)

    assert statuses == all_answer(200, MODELS)
    assert find_scope() is None


def is_listed(officer: Person, row: Shown) -> bool:
    """Say whether a list names a row on one of its pages; others made rows too."""
    address = row.list + ("&" if row.choice else "?")
    texts = (officer.browser.get(f"{address}p={page}").text for page in range(1, 40))
    return any(row.path in text for text in texts)


def test_it_names_the_row_in_its_list(officer: Person, shown_rows):
    unnamed = [one for one in MODELS if not is_listed(officer, shown_rows[one])]

    assert unnamed == []


def test_it_asks_for_a_relationship_before_it_lists_content(
    officer: Person, shown_rows
):
    responses = {one: officer.browser.get(list_address(one)) for one in CONTENT}

    assert {one.status_code for one in responses.values()} == {200}
    for model, response in responses.items():
        assert 'name="relationship"' in response.text
        assert str(shown_rows[model].key) not in response.text


def test_it_asks_for_a_relationship_before_it_shows_content(
    officer: Person, shown_rows
):
    responses = [officer.browser.get(shown_rows[one].path) for one in CONTENT]

    assert {one.status_code for one in responses} == {200}
    assert all('name="relationship"' in one.text for one in responses)


def test_it_shows_nothing_to_staff_without_rights(clerk: Person, shown_rows):
    lists = answers(lambda one: clerk.browser.get(shown_rows[one].list), MODELS)
    pages = answers(lambda one: clerk.browser.get(shown_rows[one].page), MODELS)

    assert lists == pages == all_answer(403, MODELS)


def test_it_sends_people_who_are_no_staff_to_the_sign_in(chloe: Person, shown_rows):
    responses = [chloe.browser.get(shown_rows[one].page) for one in MODELS]

    assert {one.status_code for one in responses} == {302}
    assert all(one.url.startswith("/desk/login/") for one in responses)


def test_it_sends_strangers_to_the_sign_in_from_every_address(db, client: Client):
    addresses = list_addresses(get_resolver().url_patterns)

    responses = {one: client.get(f"/{one}") for one in addresses}

    assert len(responses) > 5 * len(MODELS)
    open_to_all = {
        address: response.status_code
        for address, response in responses.items()
        if response.status_code != 404
        and "/desk/login/" not in response.headers.get("Location", "")
    }
    assert open_to_all == {}


@pytest.mark.parametrize("method", ["get", "post", "put", "patch", "delete"])
def test_it_refuses_to_add(method: str, officer: Person):
    send = getattr(officer.browser, method)

    statuses = answers(lambda one: send(f"{list_address(one)}add/"), READ_ONLY)

    assert statuses == all_answer(403, READ_ONLY)


@pytest.mark.parametrize("method", ["get", "post", "put", "patch", "delete"])
def test_it_refuses_to_delete(method: str, officer: Person, shown_rows):
    send = getattr(officer.browser, method)

    statuses = answers(lambda one: send(shown_rows[one].door("delete")), READ_ONLY)

    assert statuses == all_answer(403, READ_ONLY)


def test_it_refuses_to_change(officer: Person, shown_rows):
    form = {"status": "ended", "_save": "1"}

    statuses = answers(
        lambda one: officer.browser.post(shown_rows[one].page, form), READ_ONLY
    )

    assert statuses == all_answer(403, READ_ONLY)


def test_it_refuses_deeds_on_lists(officer: Person, shown_rows):
    def send(model: Any) -> HttpResponse:
        row = shown_rows[model]
        form = {"action": "delete_selected", "_selected_action": row.key}
        return officer.browser.post(row.list, form)

    assert answers(send, READ_ONLY) == all_answer(403, READ_ONLY)


def test_it_records_and_logs_a_refused_change(
    officer: Person, shown_rows, caplog: pytest.LogCaptureFixture
):
    row = shown_rows[Creator]

    officer.browser.post(row.door("delete"), {"post": "yes"})

    (entry,) = list_audit(action="desk.change_refused", actor=officer.actor)
    assert entry.object_ref == f"identity.creator:{row.key}"
    assert "desk.change_refused" in [one.message for one in caplog.records]


def test_it_records_no_free_text_of_a_refused_change(officer: Person):
    officer.browser.post("/desk/identity/creator/我的电话是13800138000/delete/")

    (entry,) = list_audit(action="desk.change_refused", actor=officer.actor)
    assert entry.object_ref == "identity.creator:"


def test_it_keeps_no_history_of_its_own(officer: Person, shown_rows):
    statuses = answers(
        lambda one: officer.browser.get(shown_rows[one].door("history")), READ_ONLY
    )

    assert statuses == all_answer(404, READ_ONLY)


def test_it_has_no_side_doors(officer: Person, shown_rows):
    row = shown_rows[Memory]
    doors = [
        f"/desk/r/1/{row.key}/",
        "/desk/autocomplete/?app_label=memories&model_name=message"
        "&field_name=session&term=",
    ]

    statuses = [officer.browser.get(door).status_code for door in doors]

    assert statuses == [404, 404]


@pytest.mark.parametrize(
    "query", ["text__startswith=a", "value__contains=x", "embedding__isnull=1"]
)
def test_it_filters_by_no_masked_value(query: str, officer: Person, shown_rows):
    response = officer.browser.get(f"{shown_rows[Memory].list}&{query}")

    assert response.status_code == 400


@pytest.mark.parametrize("query", ["p=0", "p=999999999999", "kind__exact=%00"])
def test_it_survives_odd_addresses(query: str, officer: Person, shown_rows):
    response = officer.browser.get(f"{shown_rows[Memory].list}&{query}")

    assert response.status_code in (302, 404)


def test_it_orders_by_no_column_that_is_asked_for(officer: Person, shown_rows):
    response = officer.browser.get(f"{shown_rows[Memory].list}&o=2")

    assert response.status_code == 200
    assert "sortoptions" not in response.text
