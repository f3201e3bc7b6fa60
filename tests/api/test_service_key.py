"""`manage.py service_key`: making and revoking keys."""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connections
from django.test import Client
from django.utils import timezone

from memsys.api.errors import ForbiddenScopes, InvalidExpiry, KeyNotFound, UnknownScope
from memsys.api.keys import KeyForm, make_key, revoke_key
from memsys.api.models import ServiceKey
from memsys.kernel.text.clean import InvalidIdentifier
from tests.factories.api import make_bot

NOW = timezone.now()


def make_form(**changes: object) -> KeyForm:
    form = {
        "name": "chat",
        "scopes": ("context:read",),
        "expires_at": NOW + timedelta(days=1),
    }
    return KeyForm(**form | changes)  # type: ignore[arg-type]


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("service_key", *arguments, stdout=out, stderr=StringIO())
    return out.getvalue().strip()


def test_it_prints_a_key_that_works(db: None) -> None:
    secret = run("make", "chat", "--scope", "relationship:route")

    response = Client().get(
        "/api/v1/relationships/x", headers={"authorization": f"Bearer {secret}"}
    )

    assert response.status_code == 404


def test_it_limits_a_key_to_creators_and_days(db: None) -> None:
    scopes = ["--scope", "context:read", "--scope", "message:write"]

    secret = run("make", "chat", *scopes, "--creator", "c-1", "--days", "7")

    row = ServiceKey.objects.get(prefix=secret.partition(".")[0])
    assert (row.scopes, row.creators) == (["context:read", "message:write"], ["c-1"])
    assert row.expiry_date is not None
    assert timedelta(days=6) < row.expiry_date - timezone.now() <= timedelta(days=7)


def test_it_revokes_a_key(db: None) -> None:
    secret = run("make", "chat", "--scope", "relationship:route")

    run("revoke", secret.partition(".")[0])

    response = Client().get(
        "/api/v1/relationships/x", headers={"authorization": f"Bearer {secret}"}
    )
    assert response.status_code == 401


@pytest.mark.parametrize(
    "arguments",
    [
        ["make", "chat", "--scope", "everything"],
        ["make", "chat", "--scope", "*"],
        ["make", "chat"],
        ["make", "chat", "--scope", "context:read", "--days", "181"],
        ["make", "chat", "--scope", "context:read", "--days", "0"],
        ["make", "chat", "--scope", "context:read", "--days", "-99999999999999"],
        ["make", "chat", "--scope", "context:read", "--creator", " "],
        ["make", "x" * 51, "--scope", "context:read"],
        [
            *["make", "chat", "--scope", "consent:write"],
            *["--scope", "profile:read:released"],
        ],
        ["revoke", "nobody"],
    ],
)
def test_it_refuses_what_no_key_may_be(db: None, arguments: list[str]) -> None:
    with pytest.raises(CommandError):
        run(*arguments)


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"scopes": ("*",)}, UnknownScope),
        ({"scopes": ("context:*",)}, UnknownScope),
        ({"scopes": ()}, UnknownScope),
        ({"scopes": ("consent:write", "profile:read:released")}, ForbiddenScopes),
        ({"name": ""}, InvalidIdentifier),
        ({"creators": ("a\x00b",)}, InvalidIdentifier),
    ],
)
def test_no_key_is_made_from_a_bad_form(
    db: None, changes: dict[str, object], error: type[Exception]
) -> None:
    with pytest.raises(error):
        make_key(make_form(**changes), by="command:tests", now=NOW)

    assert not ServiceKey.objects.filter(name="chat").exists()


@pytest.mark.parametrize("lives", [timedelta(days=180, seconds=1), timedelta()])
def test_no_key_lives_too_long_or_not_at_all(db: None, lives: timedelta) -> None:
    with pytest.raises(InvalidExpiry):
        make_key(make_form(expires_at=NOW + lives), by="command:tests", now=NOW)


def test_a_key_may_live_for_180_days(db: None) -> None:
    form = make_form(expires_at=NOW + timedelta(days=180))

    key = make_key(form, by="command:tests", now=NOW)

    assert key.expires_at == NOW + timedelta(days=180)


def test_revoking_twice_says_that_there_is_nothing_to_revoke(db: None) -> None:
    bot = make_bot()
    revoke_key(bot.key.prefix, by="command:tests")

    with pytest.raises(KeyNotFound):
        revoke_key(bot.key.prefix, by="command:tests")


def test_making_and_revoking_are_recorded_without_the_secret(
    real_commits: None,
) -> None:
    bot = make_bot()
    revoke_key(bot.key.prefix, by="command:tests")

    with connections["maintenance"].cursor() as cursor:
        cursor.execute(
            "SELECT action, actor FROM kernel_auditentry WHERE object_ref = %s "
            "ORDER BY seq",
            [f"service_key:{bot.key.prefix}"],
        )
        recorded = cursor.fetchall()

    assert recorded == [
        ("service_key.made", "command:tests"),
        ("service_key.revoked", "command:tests"),
    ]
