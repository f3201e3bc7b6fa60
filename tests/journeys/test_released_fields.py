"""A released field is in the context of its relationship only, many calls at once."""

import random
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import httpx
import pytest
from django.utils import timezone

from consent.reads import seal, verify_batches
from identity.types import RelationshipRef
from tests.factories.api import Bot
from tests.factories.identity import make_relationship, new_name
from tests.factories.releases import allow, keep_value, make_release_policy
from tests.journeys.conftest import WebServer, headers_of

USERS = 20
PERSONAS = 4
CALLS_EACH = 8
THREADS = 12


def plant(number: int, creator: str) -> list[tuple[RelationshipRef, str]]:
    """Make a user who lets one persona of four know the region, a canary."""
    canary = f"地区{number:04d}号"
    relationships = [
        make_relationship(
            user=f"{creator}-{number}", creator=creator, persona=f"persona-{one}"
        )
        for one in range(PERSONAS)
    ]
    chosen = relationships[number % PERSONAS]
    keep_value(chosen, "region", canary)
    allow(chosen, "region", target_kind="persona", target_id=chosen.persona_id)
    return [(one, canary if one is chosen else "") for one in relationships]


@pytest.mark.slow
def test_it_is_where_policy_and_grant_want_it_and_nowhere_else(
    web: WebServer, service: Bot
) -> None:
    creator = new_name("creator")
    planted = [pair for number in range(USERS) for pair in plant(number, creator)]
    make_release_policy(
        "region", recipient_kind="creator", creator_id=planted[0][0].creator_id
    )
    calls = [one for one in planted for _ in range(CALLS_EACH)]
    random.Random(7).shuffle(calls)

    def ask(client: httpx.Client, number: int) -> tuple[bool, int]:
        """Return whether the answer is right about its own, and foreign canaries."""
        ref, canary = calls[number]
        if number % 2:
            answer = client.get(f"/relationships/{ref.id}/profile")
        else:
            body = {"relationship": str(ref.id), "query": "天气"}
            answer = client.post("/context", json=body)
        assert answer.status_code == 200, answer.text
        own = answer.text.count(canary) if canary else 0
        return bool(own) == bool(canary), answer.text.count("地区0") - own

    with (
        httpx.Client(
            base_url=f"{web.url}/api/v1", headers=headers_of(service), timeout=60
        ) as client,
        ThreadPoolExecutor(THREADS) as pool,
    ):
        results = list(pool.map(partial(ask, client), range(len(calls))))

    assert all(is_right for is_right, _ in results)
    assert sum(foreign for _, foreign in results) == 0
    assert seal(timezone.now()) >= len(calls)
    assert [fault for report in verify_batches() for fault in report.faults] == []
