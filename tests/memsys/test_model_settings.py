"""Settings of the language model: where chats may go, and what is refused at start."""

import os
import subprocess
import sys
from decimal import Decimal

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from memsys.settings import outside_service, price

ALLOWED = ["models.example.com", "LOCALHOST", "127.0.0.1", "::1", "127.9.9.9"]
MODEL = {
    "LLM_BASE_URL": "https://models.example.com/v1",
    "LLM_ALLOWED_HOSTS": "models.example.com,localhost",
    "LLM_API_KEY": "key-of-the-tests",
    "LLM_MODEL": "tester",
}


def boot(environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Load the settings in a process that has these and no others of the model."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("LLM_")}
    program = (
        "from django.conf import settings as s\n"
        "print(s.LLM_BASE_URL, s.LLM_API_KEY, s.LLM_TIMEOUT_SECONDS)"
    )
    return subprocess.run(
        [sys.executable, "-c", program],
        cwd=settings.BASE_DIR,
        env=kept | environment,
        capture_output=True,
        text=True,
        check=False,
    )


class TestPlaces:
    @pytest.mark.parametrize(
        "url",
        [
            "https://models.example.com/v1",
            "https://MODELS.example.com:8443/v1",
            "http://localhost:11434/v1",
            "http://127.0.0.1:8000",
            "http://127.9.9.9/v1",
            "http://[::1]:8000/v1",
        ],
    )
    def test_an_allowed_host_is_taken_as_it_is(self, url: str) -> None:
        assert outside_service("A_URL", url, allowed=ALLOWED) == url

    @pytest.mark.parametrize(
        ("url", "reason"),
        [
            ("https://evil.example.org/v1", "not among those allowed"),
            ("https://models.example.com.evil.org/v1", "not among those allowed"),
            ("https://evil.org/models.example.com", "not among those allowed"),
            ("https://sub.models.example.com/v1", "not among those allowed"),
            ("http://models.example.com/v1", "must begin with https"),
            ("https://models.example.com@evil.org/v1", "no sign-in"),
            ("https://user:pass@models.example.com/v1", "no sign-in"),
            ("https://models.example.com/v1?key=secret", "no sign-in, query"),
            ("https://models.example.com/v1#x", "no sign-in, query"),
            ("ftp://models.example.com/v1", "must be a URL"),
            ("models.example.com/v1", "must be a URL"),
            ("https:///v1", "must be a URL"),
            ("https://models.example.com:99999/v1", "must be a URL"),
            ("https://[::1/v1", "must be a URL"),
        ],
    )
    def test_any_other_place_is_refused(self, url: str, reason: str) -> None:
        with pytest.raises(ImproperlyConfigured, match=reason) as caught:
            outside_service("A_URL", url, allowed=ALLOWED)

        assert "pass" not in str(caught.value)
        assert "secret" not in str(caught.value)


class TestPrices:
    @pytest.mark.parametrize("text", ["0", "0.15", "2", "1000000"])
    def test_they_are_exact(self, text: str) -> None:
        assert price("A_PRICE", text) == Decimal(text)

    @pytest.mark.parametrize("text", ["", "-1", "free", "NaN", "Infinity", "1000001"])
    def test_others_are_refused(self, text: str) -> None:
        with pytest.raises(ImproperlyConfigured, match="A_PRICE"):
            price("A_PRICE", text)


class TestStart:
    def test_without_a_url_there_is_no_model(self) -> None:
        assert boot({}).stdout == "  60\n"

    def test_with_all_of_them_there_is_one(self) -> None:
        ended = boot(MODEL)

        assert ended.stdout == f"{MODEL['LLM_BASE_URL']} key-of-the-tests 60\n"

    @pytest.mark.parametrize(
        "change",
        [
            {"LLM_ALLOWED_HOSTS": ""},
            {"LLM_ALLOWED_HOSTS": "other.example.com"},
            {"LLM_BASE_URL": "http://models.example.com/v1"},
            {"LLM_API_KEY": ""},
            {"LLM_MODEL": ""},
            {"LLM_TIMEOUT_SECONDS": "240"},
            {"LLM_MAX_INPUT_TOKENS": "100"},
            {"LLM_RESPONSE_FORMAT": "xml"},
            {"LLM_PROMPT_VERSION": "extraction_0"},
            {"LLM_PRICE_INPUT": "-1"},
        ],
        ids=lambda change: next(iter(change)),
    )
    def test_a_faulty_one_stops_the_start(self, change: dict[str, str]) -> None:
        ended = boot(MODEL | change)

        [name] = change
        assert ended.returncode != 0
        assert "ImproperlyConfigured" in ended.stderr
        assert name in ended.stderr or "LLM_BASE_URL" in ended.stderr
        assert "key-of-the-tests" not in ended.stderr
