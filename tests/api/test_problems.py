"""How the API says no: one form, stable codes, nothing of the input."""

import re

import pytest
from django.db import OperationalError
from django.test import Client, RequestFactory
from psycopg_pool import PoolTimeout

from identity.types import RelationshipRef
from memories.errors import EmbeddingFailed
from memsys.api import errors
from memsys.api.errors import problem_of
from memsys.api.problems import TITLES
from tests.factories.api import PREFIX, Bot

CANARY = "暗号-7731"


def assert_is_problem(response: object, code: str, status: int) -> None:
    headers = response.headers  # type: ignore[attr-defined]
    body = response.json()  # type: ignore[attr-defined]
    assert headers["Content-Type"] == "application/problem+json"
    assert body["type"] == f"urn:memsys:problem:{code}"
    assert body["status"] == status == response.status_code  # type: ignore[attr-defined]
    assert body["title"]
    assert re.fullmatch("[0-9a-f]{32}", body["trace_id"])
    assert isinstance(body["errors"], list)


@pytest.mark.parametrize(
    ("method", "path", "code", "status"),
    [
        ("GET", "/relationships/not-an-id", "not-found", 404),
        ("GET", "/messages", "method-not-allowed", 405),
        ("PATCH", "/personas", "method-not-allowed", 405),
        ("OPTIONS", "/personas", "method-not-allowed", 405),
        ("TRACE", "/personas", "method-not-allowed", 405),
        ("GET", "/no/such/address", "not-found", 404),
        ("POST", "/messages/", "not-found", 404),
    ],
)
def test_it_answers_a_problem(
    bot: Bot, method: str, path: str, code: str, status: int
) -> None:
    response = bot.send(method, path)

    assert_is_problem(response, code, status)


def test_an_unknown_address_outside_the_api_gets_the_usual_page(
    db: None, client: Client
) -> None:
    response = client.get("/no/such/page")

    assert response.status_code == 404
    assert response.headers["Content-Type"].startswith("text/html")


@pytest.mark.parametrize(
    ("content_type", "code", "status"),
    [
        ("text/plain", "unsupported-media-type", 415),
        ("application/x-www-form-urlencoded", "unsupported-media-type", 415),
        ("multipart/form-data; boundary=x", "unsupported-media-type", 415),
        ("application/json; charset=gbk", "unsupported-media-type", 415),
        ("application/json; charset=utf-8", "invalid-request", 400),
        ("application/json", "invalid-request", 400),
    ],
)
def test_it_takes_json_in_utf8_only(
    bot: Bot, content_type: str, code: str, status: int
) -> None:
    response = bot.client.post(
        f"{PREFIX}/messages",
        b"{}",
        content_type=content_type,
        headers={"authorization": f"Bearer {bot.key.secret}"},
    )

    assert_is_problem(response, code, status)


def test_it_refuses_a_body_over_the_limit(bot: Bot, settings: object) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000  # type: ignore[attr-defined]

    response = bot.post("/messages", {"user": "x" * 2000})

    assert_is_problem(response, "too-large", 413)


def test_it_refuses_a_body_that_comes_in_pieces(bot: Bot) -> None:
    response = bot.post("/context", {"query": "猫"}, transfer_encoding="chunked")

    assert_is_problem(response, "length-required", 411)


def test_it_refuses_a_query_of_a_thousand_names(bot: Bot, ann: RelationshipRef) -> None:
    query = "&".join(f"n{number}=1" for number in range(1001))

    response = bot.send("GET", f"/relationships/{ann.id}/memories?{query}")

    assert_is_problem(response, "invalid-request", 400)


@pytest.mark.parametrize(
    "accept",
    ["text/html", "text/html,application/xhtml+xml,*/*;q=0.8", "application/json"],
)
def test_browsers_get_json_too(bot: Bot, ann: RelationshipRef, accept: str) -> None:
    response = bot.client.get(
        f"{PREFIX}/relationships/{ann.id}?format=api",
        headers={"authorization": f"Bearer {bot.key.secret}", "accept": accept},
    )

    assert response.status_code == 200
    assert response.headers["Content-Type"] == "application/json"


def test_it_tells_who_takes_no_json_that_there_is_nothing_else(bot: Bot) -> None:
    response = bot.client.get(
        f"{PREFIX}/relationships/x",
        headers={
            "authorization": f"Bearer {bot.key.secret}",
            "accept": "application/xml",
        },
    )

    assert_is_problem(response, "not-acceptable", 406)


def test_it_keeps_the_trace_of_the_caller(bot: Bot) -> None:
    trace = "4bf92f3577b34da6a3ce929d0e0e4736"

    response = bot.post("/messages", {}, traceparent=f"00-{trace}-00f067aa0ba902b7-01")

    assert response.json()["trace_id"] == trace


@pytest.mark.parametrize("parent", [CANARY, "00-" + "0" * 32 + "-00f067aa0ba902b7-01"])
def test_it_makes_a_trace_of_its_own_when_the_callers_is_none(
    bot: Bot, parent: str
) -> None:
    response = bot.post("/messages", {}, traceparent=parent)

    trace_id = response.json()["trace_id"]
    assert re.fullmatch("[0-9a-f]{32}", trace_id)
    assert set(trace_id) != {"0"}


@pytest.mark.parametrize(
    "body",
    [
        {CANARY: 1},
        {"user": f"{CANARY}\x00", "creator": CANARY, "persona": CANARY},
        {"relationship": CANARY, "messages": [{"text": CANARY, CANARY: CANARY}]},
        {"relationship": CANARY, "messages": [CANARY]},
        {"relationship": CANARY, "messages": [{"author_kind": CANARY, "id": " "}]},
        f'{{"{CANARY}": 1, "{CANARY}": 2}}'.encode(),
        f"{CANARY}".encode(),
    ],
)
def test_it_never_repeats_what_was_sent(bot: Bot, body: object) -> None:
    response = bot.post("/messages", body)

    assert response.status_code == 400
    assert "号-7731" not in response.content.decode()
    assert "号-7731" not in response.json().__repr__()


def test_it_lists_a_bounded_number_of_faults(bot: Bot, ann: RelationshipRef) -> None:
    body = {"relationship": str(ann.id), "messages": [{}] * 500}

    response = bot.post("/messages", body)

    assert response.status_code == 400
    assert len(response.json()["errors"]) == 100


@pytest.mark.parametrize(
    ("error", "code", "status"),
    [
        (OperationalError("server closed the connection"), "unavailable", 503),
        (ZeroDivisionError(CANARY), "internal-error", 500),
        (ValueError(CANARY), "internal-error", 500),
    ],
)
def test_it_keeps_the_details_of_a_failure_to_itself(
    error: Exception, code: str, status: int
) -> None:
    problem = problem_of(error)

    body = problem.body(trace_id="0" * 32)
    assert (problem.code, problem.status) == (code, status)
    assert CANARY not in str(body)


def test_it_says_when_to_try_again_when_something_is_away() -> None:
    error = OperationalError("no connection in time")
    error.__cause__ = PoolTimeout("couldn't get a connection after 5.00 sec")

    problems = [problem_of(error), problem_of(EmbeddingFailed("no usable vector"))]

    assert {one.status for one in problems} == {503}
    assert all(one.headers["Retry-After"].isdecimal() for one in problems)


def test_every_code_has_a_title() -> None:
    codes = {*errors.STATUSES, *(code for _, code, _ in errors._FRAMEWORK)}

    assert codes <= TITLES.keys()


def test_a_failure_outside_of_a_view_is_a_problem_too() -> None:
    request = RequestFactory().get("/api/v1/context")

    response = errors.server_error(request)

    assert response.status_code == 500
    assert response.headers["Content-Type"] == "application/problem+json"
