"""Who is let in: keys, their end, and how long a checked key is remembered."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import IntegrityError
from django.test import Client
from django.utils import timezone

from identity.types import RelationshipRef
from memsys.api.authentication import Caller, CallerCache, callers
from memsys.api.keys import revoke_key
from memsys.api.models import ServiceKey
from tests.factories.api import Bot, CountedQueries, make_bot

NEVER = datetime(9999, 1, 1, tzinfo=UTC)


class FakeClock:
    """A clock that only moves when it is told to."""

    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


def make_caller(prefix: str = "ab12cd34") -> Caller:
    return Caller(prefix, frozenset(), frozenset(), NEVER)


def test_it_lets_a_valid_key_in(bot: Bot, ann: RelationshipRef) -> None:
    response = bot.get(f"/relationships/{ann.id}")

    assert response.status_code == 200


def test_it_says_how_to_sign_in_when_there_is_no_key(
    client: Client, ann: RelationshipRef
) -> None:
    response = client.get(f"/api/v1/relationships/{ann.id}")

    assert response.status_code == 401
    assert response.headers["WWW-Authenticate"].startswith("Bearer")
    assert response.json()["type"] == "urn:memsys:problem:missing-key"


@pytest.mark.parametrize(
    "header",
    [
        "Bearer",
        "Bearer ",
        "Bearer nobody.knows",
        "Bearer a\u00e9.b",
        "Bearer " + "x" * 5000,
        "Basic dTpw",
        "Api-Key ab12.cd34",
    ],
)
def test_it_refuses_what_is_no_key(db: None, client: Client, header: str) -> None:
    response = client.get(
        "/api/v1/relationships/x",
        headers={"authorization": header},
    )

    assert response.status_code == 401
    assert response.json()["type"] == "urn:memsys:problem:invalid-key"


def test_it_refuses_the_prefix_of_a_key_with_another_secret(bot: Bot) -> None:
    response = Client().get(
        "/api/v1/relationships/x",
        headers={"authorization": f"Bearer {bot.key.prefix}.{'x' * 32}"},
    )

    assert response.status_code == 401


def test_it_refuses_a_revoked_key(bot: Bot) -> None:
    revoke_key(bot.key.prefix, by="command:tests")

    response = bot.get("/relationships/x")

    assert response.status_code == 401


def test_it_refuses_an_expired_key_even_while_it_is_remembered(bot: Bot) -> None:
    bot.get("/relationships/x")
    expired = Caller(
        bot.key.prefix, frozenset(), frozenset(), timezone.now() - timedelta(seconds=1)
    )
    callers.put(bot.key.secret, expired)

    response = bot.get("/relationships/x")

    assert response.status_code == 401


def test_it_asks_the_database_once_for_a_key_in_use(
    bot: Bot, ann: RelationshipRef
) -> None:
    bot.get(f"/relationships/{ann.id}")

    with CountedQueries() as counted:
        bot.get(f"/relationships/{ann.id}")

    assert len(counted.statements) == 1
    assert "servicekey" not in counted.statements[0]


def test_it_keeps_the_hash_of_a_key_and_not_the_key(bot: Bot) -> None:
    row = ServiceKey.objects.get(prefix=bot.key.prefix)

    assert bot.key.secret.partition(".")[2] not in row.hashed_key
    assert row.is_valid(bot.key.secret)


def test_two_live_keys_of_a_service_both_work(db: None, ann: RelationshipRef) -> None:
    old, new = make_bot(), make_bot()

    statuses = [one.get(f"/relationships/{ann.id}").status_code for one in (old, new)]

    assert statuses == [200, 200]


def test_a_checked_key_is_remembered_for_less_than_five_seconds() -> None:
    clock = FakeClock()
    cache = CallerCache(clock=clock)
    cache.put("ab12cd34.secret", make_caller())

    clock.seconds += 4.9
    before = cache.find("ab12cd34.secret")
    clock.seconds += 0.1
    after = cache.find("ab12cd34.secret")

    assert before is not None
    assert after is None


def test_being_used_does_not_make_a_key_be_remembered_longer() -> None:
    clock = FakeClock()
    cache = CallerCache(clock=clock)
    cache.put("ab12cd34.secret", make_caller())

    for _ in range(6):
        clock.seconds += 1
        last = cache.find("ab12cd34.secret")

    assert last is None


def test_the_memory_for_keys_is_bounded() -> None:
    cache = CallerCache(max_entries=3)

    for number in range(10):
        cache.put(f"key-{number}", make_caller())

    kept = [number for number in range(10) if cache.find(f"key-{number}")]
    assert kept == [7, 8, 9]


def test_the_database_refuses_a_key_that_never_expires(db: None) -> None:
    with pytest.raises(IntegrityError, match="service_key_ends_in_time"):
        ServiceKey.objects.create_key(name="for ever", scopes=["context:read"])


def test_the_database_refuses_a_key_that_lives_too_long(db: None) -> None:
    with pytest.raises(IntegrityError, match="service_key_ends_in_time"):
        ServiceKey.objects.create_key(
            name="long",
            scopes=["context:read"],
            expiry_date=timezone.now() + timedelta(days=181),
        )


def test_the_database_refuses_a_key_that_records_and_uses_consent(db: None) -> None:
    with pytest.raises(IntegrityError, match="service_key_consent_apart"):
        ServiceKey.objects.create_key(
            name="both",
            scopes=["profile:read:released", "consent:write"],
            expiry_date=timezone.now() + timedelta(days=1),
        )
