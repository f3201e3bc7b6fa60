"""Who may do what: the table of routes and scopes, and sweeps over all of them."""

from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, get_resolver

from identity.types import RelationshipRef
from memsys.api.scopes import Scope
from tests.api.routes import ABOUT_ONES_OWN, OPEN_TO_ANY_KEY, ROUTES, Names, Route
from tests.factories.api import PREFIX, SERVICE_SCOPES, Bot, make_bot
from tests.factories.identity import make_relationship
from tests.factories.memories import make_memory


def name_of(route: Route) -> str:
    return f"{route.method} {route.path} {route.scope}"


each_route = pytest.mark.parametrize("route", ROUTES, ids=name_of)


@pytest.fixture
def anns(ann: RelationshipRef) -> Names:
    return Names.of(ann, make_memory(ann, "生日是3月7日").lineage)


@pytest.fixture
def chloes(chloe: RelationshipRef) -> Names:
    return Names.of(chloe, make_memory(chloe, "生日是3月7日").lineage)


def without_trace(response: Any) -> dict[str, Any]:
    body: dict[str, Any] = response.json()
    return {name: value for name, value in body.items() if name != "trace_id"}


def list_addresses() -> set[tuple[str, str]]:
    """Return each method and address that the API has."""
    (api,) = [
        one
        for one in get_resolver().url_patterns
        if str(one.pattern) == PREFIX.strip("/") + "/"
    ]
    found = set()
    for pattern in api.url_patterns:
        assert isinstance(pattern, URLPattern)
        view = pattern.callback.view_class
        found |= {
            (method.upper(), str(pattern.pattern))
            for method in view.http_method_names
            if hasattr(view, method) and method != "head"
        }
    return found


def test_every_route_is_in_the_table() -> None:
    table = {
        (
            one.method,
            one.path.partition("?")[0]
            .strip("/")
            .replace("{relationship}", "<str:relationship_id>")
            .replace("{persona}", "<str:persona_id>")
            .replace("{memory}", "<str:memory_id>")
            .replace("{webhook}", "<str:webhook_id>")
            .replace("{delivery}", "<str:delivery_id>")
            .replace("{erasure}", "<str:erasure_id>")
            .replace("{export}", "<str:export_id>"),
        )
        for one in ROUTES
    }

    assert list_addresses() == table | OPEN_TO_ANY_KEY


@each_route
def test_it_refuses_a_request_without_a_key(
    anns: Names, client: Client, route: Route
) -> None:
    method, path, body = route.fill(anns)

    response = client.generic(method, PREFIX + path, str(body))

    assert response.status_code == 401


@each_route
def test_it_refuses_a_key_that_lacks_only_this_scope(anns: Names, route: Route) -> None:
    bot = make_bot(set(SERVICE_SCOPES) - {route.scope})

    response = bot.send(*route.fill(anns))

    assert response.status_code == 403
    assert response.json()["type"] == "urn:memsys:problem:missing-scope"


@each_route
def test_it_lets_a_key_with_just_this_scope_in(anns: Names, route: Route) -> None:
    bot = make_bot([route.scope])

    response = bot.send(*route.fill(anns))

    assert response.status_code == route.status


@each_route
def test_what_is_another_tenants_is_answered_like_what_does_not_exist(
    bot: Bot, creator: str, chloes: Names, route: Route
) -> None:
    """Acceptance row C16."""
    if (route.method, route.path) in ABOUT_ONES_OWN:
        return
    if route.scope == Scope.CONSENT_WRITE:
        bot = make_bot([route.scope], creators=[creator])
    foreign = bot.send(*route.fill(chloes))

    unknown = bot.send(*route.fill(Names.of_nobody(creator)))

    assert foreign.status_code == 404
    if route.path != "/personas":
        assert unknown.status_code == 404
        assert without_trace(foreign) == without_trace(unknown)


@each_route
def test_what_is_no_id_is_answered_like_what_does_not_exist(
    bot: Bot, creator: str, route: Route
) -> None:
    if "{" not in route.path.partition("?")[0]:
        return
    nobody = Names.of_nobody(creator)
    method, path, body = route.fill(nobody)
    unknown = bot.send(method, path, body)

    for broken in ("x", "0", "%00", "..%2f", str(nobody.relationship) + "0"):
        response = bot.send(
            method, route.path.split("{")[0] + broken + tail_of(route), body
        )
        assert response.status_code == 404
        assert without_trace(response) == without_trace(unknown)


def tail_of(route: Route) -> str:
    """Return what follows the first id in an address, with an id where one is due."""
    tail = route.path.split("}", 1)[1]
    return tail.replace("{memory}", "0192f0c1-2f6b-7c3e-9d4a-5b6c7d8e9f01")


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_a_memory_of_another_relationship_is_not_found_in_this_one(
    bot: Bot, creator: str, anns: Names, method: str
) -> None:
    """Acceptance row 4."""
    other = make_relationship(user=anns.user, creator=creator)
    body = {"text": "改了"} if method == "PUT" else None

    response = bot.send(
        method, f"/relationships/{other.id}/memories/{anns.memory}", body
    )

    assert response.status_code == 404
    kept = bot.get(f"/relationships/{anns.relationship}/memories/{anns.memory}").json()
    assert kept["text"] == "生日是3月7日"


def test_any_key_may_read_the_schema(db: None) -> None:
    bot = make_bot([Scope.HOLD_READ])

    response = bot.get("/schema")

    assert response.status_code == 200
    assert response.json()["openapi"] == "3.1.0"


def test_head_needs_the_scope_of_get(ann: RelationshipRef, db: None) -> None:
    with_it = make_bot([Scope.RELATIONSHIP_ROUTE])
    without = make_bot([Scope.HOLD_READ])

    statuses = [
        one.send("HEAD", f"/relationships/{ann.id}").status_code
        for one in (with_it, without)
    ]

    assert statuses == [200, 403]
