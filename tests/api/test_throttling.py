"""Rate limits: one bucket per key, whatever else the caller writes."""

import logging
import random
from uuid import uuid4

import pytest
import redis

from identity.types import RelationshipRef
from memsys.api.throttling import Limit, TokenBuckets
from memsys.kernel.valkey import get_valkey
from tests.factories.api import Bot, make_bot

SLOW = Limit(per_second=1, burst=3)


@pytest.fixture
def slow(settings: object) -> None:
    """A limit that a test reaches: three at once, then one a second."""
    settings.API_RATE_PER_SECOND = SLOW.per_second  # type: ignore[attr-defined]
    settings.API_RATE_BURST = SLOW.burst  # type: ignore[attr-defined]


@pytest.fixture
def buckets(valkey_server: object) -> TokenBuckets:
    return TokenBuckets(get_valkey())


def test_it_lets_a_burst_through_and_then_says_when(buckets: TokenBuckets) -> None:
    name = str(uuid4())

    taken = [buckets.take(name, SLOW) for _ in range(4)]

    assert [one.is_allowed for one in taken if one] == [True, True, True, False]
    assert [one.remaining for one in taken if one] == [2, 1, 0, 0]
    assert taken[3] is not None
    assert 0 < taken[3].wait_seconds <= 1


def test_the_bucket_fills_again(buckets: TokenBuckets) -> None:
    name, quick = str(uuid4()), Limit(per_second=1000, burst=1)
    buckets.take(name, quick)

    allowed = 0
    for _ in range(200):
        taken = buckets.take(name, quick)
        allowed += taken is not None and taken.is_allowed

    assert allowed > 1


def test_a_bucket_goes_away_when_it_is_full_again(buckets: TokenBuckets) -> None:
    name = str(uuid4())

    buckets.take(name, SLOW)

    assert 0 < get_valkey().pttl(f"memsys:rate:{name}") <= 4000


def test_each_key_has_a_bucket_of_its_own(
    slow: None, bot: Bot, ann: RelationshipRef
) -> None:
    other = make_bot()
    for _ in range(5):
        bot.get(f"/relationships/{ann.id}")

    statuses = [one.get(f"/relationships/{ann.id}").status_code for one in (bot, other)]

    assert statuses == [429, 200]


def test_it_tells_the_limit_with_each_answer(
    slow: None, bot: Bot, ann: RelationshipRef
) -> None:
    first = bot.get(f"/relationships/{ann.id}")
    missed = bot.get("/relationships/x")

    assert first.headers["RateLimit-Policy"] == '"default";q=3;w=3'
    assert first.headers["RateLimit"] == '"default";r=2;t=0'
    assert missed.headers["RateLimit"] == '"default";r=1;t=0'


def test_it_answers_429_with_the_time_to_wait(
    slow: None, bot: Bot, ann: RelationshipRef
) -> None:
    for _ in range(3):
        bot.get(f"/relationships/{ann.id}")

    response = bot.get(f"/relationships/{ann.id}")

    assert response.status_code == 429
    assert response.json()["type"] == "urn:memsys:problem:rate-limited"
    assert response.headers["Retry-After"] == "1"
    assert response.headers["RateLimit"] == '"default";r=0;t=1'


def test_no_header_of_the_caller_changes_whose_bucket_it_is(
    slow: None, bot: Bot, ann: RelationshipRef
) -> None:
    """Acceptance row C38."""
    statuses = []
    for _ in range(1000):
        address = ".".join(str(random.randrange(256)) for _ in range(4))
        response = bot.client.get(
            f"/api/v1/relationships/{ann.id}",
            REMOTE_ADDR=address,
            headers={
                "authorization": f"Bearer {bot.key.secret}",
                "x-forwarded-for": address,
                "x-real-ip": address,
                "forwarded": f"for={address}",
            },
        )
        statuses.append(response.status_code)

    assert statuses.count(429) > 900


def test_nobody_is_limited_while_valkey_is_away(
    caplog: pytest.LogCaptureFixture,
) -> None:
    nowhere = redis.Redis.from_url("redis://127.0.0.1:1")
    buckets = TokenBuckets(nowhere)

    with caplog.at_level(logging.WARNING, logger="memsys.api"):
        taken = [buckets.take("somebody", SLOW) for _ in range(10)]

    assert taken == [None] * 10
    assert [one.message for one in caplog.records] == ["api.rate_limit_unavailable"]
