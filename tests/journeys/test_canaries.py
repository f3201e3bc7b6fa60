"""No answer ever holds a foreign memory: many relationships, many calls at once."""

import random
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import httpx
import pytest
from django.utils import timezone

from identity.types import RelationshipRef
from memories.services import add_note
from memories.statements import prepare_statement
from memsys.kernel.scope import Purpose, access_scope
from tests.factories.api import Bot
from tests.factories.identity import make_relationship, new_name
from tests.journeys.conftest import WebServer, headers_of

RELATIONSHIPS = 200
CALLS_EACH = 20
THREADS = 20


def plant(number: int, creator: str) -> tuple[RelationshipRef, str]:
    """Make a relationship that alone knows its canary; users share facets' names."""
    ref = make_relationship(
        user=f"{creator}-{number // 4}",
        creator=creator,
        persona=f"persona-{number % 4}",
    )
    canary = f"暗号{number:04d}号"
    statement = prepare_statement(f"我们的{canary}，生日是3月{number % 28 + 1}日")
    with access_scope(Purpose.SERVICE, relationship=ref.id):
        add_note(ref, statement, by="job:t", author="service", now=timezone.now())
    return ref, canary


@pytest.mark.slow
def test_it_never_answers_with_a_foreign_canary(web: WebServer, service: Bot) -> None:
    creator = new_name("creator")
    planted = [plant(number, creator) for number in range(RELATIONSHIPS)]
    calls = [one for one in planted for _ in range(CALLS_EACH)]
    random.Random(7).shuffle(calls)

    def ask(client: httpx.Client, number: int) -> tuple[int, int]:
        ref, canary = calls[number]
        who = {"relationship": str(ref.id)}
        if number % 3 == 0:
            answer = client.post("/context", json=who | {"query": "暗号 生日"})
        elif number % 3 == 1:
            path = f"/relationships/{ref.id}/search"
            answer = client.post(path, json={"query": "暗号 生日"})
        else:
            answer = client.get(f"/relationships/{ref.id}/memories")
        assert answer.status_code == 200, answer.text
        found = answer.text.count("暗号")
        own = answer.text.count(canary)
        return own, found - own - answer.text.count('"暗号"')

    with (
        httpx.Client(
            base_url=f"{web.url}/api/v1", headers=headers_of(service), timeout=60
        ) as client,
        ThreadPoolExecutor(THREADS) as pool,
    ):
        results = list(pool.map(partial(ask, client), range(len(calls))))

    assert min(own for own, _ in results) >= 1
    assert sum(foreign for _, foreign in results) == 0
