"""Settings come from the environment, character for character."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from memsys.settings import bounded, database, secret

SECRETS = [
    "$HOME",
    "abc#x",
    "p#w",
    "a # b",
    '"quoted"',
    "'quoted'",
    "50%%20",
    "user@host:1/db?x=y",
    "back\\slash",
    "密钥 with spaces ",
]


@pytest.mark.parametrize("value", SECRETS)
def test_it_takes_a_secret_as_it_is(monkeypatch: pytest.MonkeyPatch, value: str):
    """Acceptance row C36."""
    monkeypatch.setenv("A_SECRET", value)

    assert secret("A_SECRET") == value


@pytest.mark.parametrize("value", SECRETS)
def test_it_takes_a_secret_from_a_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, value: str
):
    """Acceptance row C36."""
    (tmp_path / "secret").write_text(f"{value}\n", encoding="utf-8")
    monkeypatch.setenv("A_SECRET_FILE", str(tmp_path / "secret"))

    assert secret("A_SECRET") == value


@pytest.mark.parametrize("value", SECRETS)
def test_it_takes_the_password_of_a_database(
    monkeypatch: pytest.MonkeyPatch, value: str
):
    """Acceptance row C36."""
    url = f"postgres://memsys_app:{quote(value, safe='')}@db:6432/memsys"
    monkeypatch.setenv("A_DATABASE_URL", url)

    config = database("A_DATABASE_URL")

    assert (config["PASSWORD"], config["HOST"], config["NAME"]) == (
        value,
        "db",
        "memsys",
    )


def test_it_boots_with_any_character_in_its_secrets(tmp_path: Path):
    """Acceptance row C36."""
    value = "".join(SECRETS)
    url = f"postgres://memsys_app:{quote(value, safe='')}@db/memsys"
    (tmp_path / "url").write_text(url, encoding="utf-8")
    environment = {
        name: text
        for name, text in os.environ.items()
        if not name.startswith(("DATABASE_", "SECRET_KEY"))
    }
    program = (
        "import hashlib, django; django.setup()\n"
        "from django.conf import settings as s\n"
        "for one in (s.SECRET_KEY, s.DATABASES['default']['PASSWORD']):\n"
        "    print(hashlib.sha256(one.encode()).hexdigest())"
    )

    ended = subprocess.run(
        [sys.executable, "-c", program],
        cwd=settings.BASE_DIR,
        env=environment
        | {"SECRET_KEY": value, "DATABASE_URL_FILE": str(tmp_path / "url")},
        capture_output=True,
        text=True,
    )

    digest = hashlib.sha256(value.encode()).hexdigest()
    assert ended.stdout.split() == [digest, digest], ended.stderr


@pytest.mark.parametrize("value", [None, ""])
def test_it_refuses_a_missing_secret(
    monkeypatch: pytest.MonkeyPatch, value: str | None
):
    if value is not None:
        monkeypatch.setenv("A_SECRET", value)

    with pytest.raises(ImproperlyConfigured, match="A_SECRET"):
        secret("A_SECRET")


def test_it_refuses_a_secret_that_is_given_twice(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("A_SECRET", "x")
    monkeypatch.setenv("A_SECRET_FILE", "/nowhere")

    with pytest.raises(ImproperlyConfigured, match="not both"):
        secret("A_SECRET")


@pytest.mark.parametrize("value", ["", "x", "-1", "0", "11", "1.5", "٣x", "1e1"])
def test_it_refuses_a_number_out_of_its_range(
    monkeypatch: pytest.MonkeyPatch, value: str
):
    monkeypatch.setenv("A_NUMBER", value)

    with pytest.raises(ImproperlyConfigured, match=r"whole number 1\.\.10"):
        bounded("A_NUMBER", 5, low=1, high=10)


def test_it_has_a_number_that_is_not_given():
    assert bounded("A_NUMBER", 5, low=1, high=10) == 5
