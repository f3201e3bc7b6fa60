"""The call of the model, through a real server that misbehaves on demand."""

import logging
import os
import socket
import subprocess
import sys
import time
from typing import Any

import pytest
from django.conf import settings as project
from django.core.exceptions import ImproperlyConfigured

from memories.errors import ModelAnswerUnusable, ModelUnreachable
from memories.language_model.answers import parse_answer
from memories.language_model.client import Reply, ask
from memories.language_model.prompts import Prompt, instructions
from memsys.chaos.model_server import ModelServer
from memsys.chaos.troubles import Trouble
from memsys.kernel.text.budget import count_tokens

SECRET_WORDS = "我对花生过敏"
PROMPT = Prompt(
    version="extraction_1",
    system=instructions("extraction_1"),
    user=f"<chat>\n</chat>\n<candidates>\n</candidates>\n{SECRET_WORDS} 会话编号：s-1",
)
UNREACHABLE = {
    Trouble.BUSY: "rate-limited",
    Trouble.BROKEN: "server-error",
    Trouble.UNAUTHORIZED: "access-refused",
    Trouble.NOT_FOUND: "not-found",
    Trouble.PAYMENT: "service-refused",
    Trouble.REDIRECT: "redirected",
    Trouble.CLOSED: "connection-lost",
    Trouble.CLOSED_HALFWAY: "connection-lost",
}
UNUSABLE = {
    Trouble.REFUSED: "request-refused",
    Trouble.HTML: "not-json",
    Trouble.HALF_ENVELOPE: "not-json",
    Trouble.EMPTY: "empty",
    Trouble.NO_WORDS: "empty",
    Trouble.ERROR_OBJECT: "wrong-envelope",
    Trouble.CUT_OFF: "cut-off",
    Trouble.MODEL_REFUSES: "refused",
    Trouble.HUGE: "too-big",
    Trouble.PACKED: "encoded",
}
UNUSABLE_WORDS = {
    Trouble.ERROR_TEXT: "not-json",
    Trouble.HALF_JSON: "not-json",
    Trouble.PROMPT_ECHO: "not-json",
    Trouble.WRONG_SCHEMA: "wrong-schema",
}


def closed_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


class TestAnswers:
    def test_it_gives_the_words_and_what_they_cost(self, model: ModelServer) -> None:
        model.answer = lambda asked: {"facts": [], "rejected": [3]}

        reply = ask(PROMPT)

        words = '{"facts": [], "rejected": [3]}'
        assert reply == Reply(words, len(PROMPT.user), len(words), "tester-1")

    def test_it_asks_once_for_each_question(self, model: ModelServer) -> None:
        ask(PROMPT)
        ask(PROMPT)

        assert (model.received, model.answered) == (2, 2)
        assert model.answered_by_label == {"s-1": 2}

    def test_it_sends_instructions_data_schema_and_bounds(
        self, model: ModelServer
    ) -> None:
        ask(PROMPT)

        [asked] = model.asked
        sent = asked.body
        assert (asked.system, asked.user) == (PROMPT.system, PROMPT.user)
        assert (sent["temperature"], sent["max_tokens"]) == (0, 2000)
        assert sent["response_format"]["json_schema"]["strict"] is True
        assert asked.headers["authorization"] == "Bearer key-of-the-tests"

    def test_it_leaves_the_schema_to_endpoints_that_know_it(
        self, model: ModelServer, settings: Any
    ) -> None:
        settings.LLM_RESPONSE_FORMAT = "json_object"

        ask(PROMPT)

        assert model.asked[0].body["response_format"] == {"type": "json_object"}

    @pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": -1}, "many"])
    def test_it_counts_for_itself_where_the_service_does_not(
        self, model: ModelServer, usage: Any
    ) -> None:
        model.usage = lambda asked, words: usage

        reply = ask(PROMPT)

        assert reply.input_tokens == count_tokens(PROMPT.system + PROMPT.user)
        assert reply.output_tokens == count_tokens(reply.text)

    def test_an_answer_that_ends_at_its_bound_may_be_whole(
        self, model: ModelServer
    ) -> None:
        model.finish_reason = "length"

        assert parse_answer(ask(PROMPT).text).facts == ()


class TestFailures:
    @pytest.mark.parametrize(("trouble", "code"), UNREACHABLE.items())
    def test_a_service_that_is_away_is_named(
        self, model: ModelServer, trouble: Trouble, code: str
    ) -> None:
        model.redirect_to = model.url
        model.misbehave(trouble)

        with pytest.raises(ModelUnreachable) as caught:
            ask(PROMPT)

        assert caught.value.code == code
        assert (model.received, model.answered) == (1, 0)

    @pytest.mark.parametrize(("trouble", "code"), UNUSABLE.items())
    def test_an_answer_that_is_none_is_named(
        self, model: ModelServer, trouble: Trouble, code: str
    ) -> None:
        """Acceptance row 65."""
        model.misbehave(trouble)

        with pytest.raises(ModelAnswerUnusable) as caught:
            ask(PROMPT)

        assert caught.value.code == code
        assert (model.received, model.answered) == (1, 0)

    @pytest.mark.parametrize(("trouble", "code"), UNUSABLE_WORDS.items())
    def test_words_that_are_no_answer_are_named(
        self, model: ModelServer, trouble: Trouble, code: str
    ) -> None:
        """Acceptance row 65."""
        model.misbehave(trouble)
        reply = ask(PROMPT)

        with pytest.raises(ModelAnswerUnusable) as caught:
            parse_answer(reply.text)

        assert caught.value.code == code

    @pytest.mark.parametrize(
        "trouble", [*UNREACHABLE, *UNUSABLE], ids=lambda trouble: str(trouble)
    )
    def test_no_message_holds_what_was_said(
        self, model: ModelServer, trouble: Trouble
    ) -> None:
        model.misbehave(trouble)

        with pytest.raises((ModelUnreachable, ModelAnswerUnusable)) as caught:
            ask(PROMPT)

        assert SECRET_WORDS not in f"{caught.value!r} {caught.value.args}"
        assert caught.value.code in str(caught.value)

    def test_a_busy_service_says_when_to_come_back(self, model: ModelServer) -> None:
        model.misbehave(Trouble.BUSY)

        with pytest.raises(ModelUnreachable) as caught:
            ask(PROMPT)

        assert caught.value.retry_after_seconds == 7

    def test_an_answer_cut_off_has_its_cost(self, model: ModelServer) -> None:
        model.misbehave(Trouble.CUT_OFF)

        with pytest.raises(ModelAnswerUnusable) as caught:
            ask(PROMPT)

        assert caught.value.input_tokens == len(PROMPT.user)
        assert caught.value.output_tokens > 0

    def test_nobody_at_the_address_is_named(self, settings: Any) -> None:
        settings.LLM_BASE_URL = f"http://127.0.0.1:{closed_port()}/v1"
        settings.LLM_API_KEY, settings.LLM_MODEL = "k", "m"

        with pytest.raises(ModelUnreachable) as caught:
            ask(PROMPT)

        assert caught.value.code == "connect"

    def test_without_a_model_it_refuses(self, settings: Any) -> None:
        settings.LLM_BASE_URL = ""

        with pytest.raises(ImproperlyConfigured):
            ask(PROMPT)

    def test_it_is_well_again_after_each_trouble(self, model: ModelServer) -> None:
        model.misbehave(Trouble.CLOSED)
        model.misbehave(Trouble.HTML)
        for _ in range(2):
            with pytest.raises((ModelUnreachable, ModelAnswerUnusable)):
                ask(PROMPT)

        assert parse_answer(ask(PROMPT).text).facts == ()


class TestLimits:
    @pytest.mark.parametrize(
        "trouble", [Trouble.HANG, Trouble.DRIP, Trouble.DRIP_HEADERS, Trouble.SLOW]
    )
    def test_it_waits_no_longer_than_the_deadline(
        self, model: ModelServer, settings: Any, trouble: Trouble
    ) -> None:
        ask(PROMPT)  # the library is loaded by now
        settings.LLM_TIMEOUT_SECONDS = 1
        model.delay_seconds = 30
        model.misbehave(trouble)
        begun = time.monotonic()

        with pytest.raises(ModelUnreachable) as caught:
            ask(PROMPT)

        assert caught.value.code == "timeout"
        assert time.monotonic() - begun < 5

    def test_a_slow_answer_within_the_deadline_counts(self, model: ModelServer) -> None:
        model.misbehave(Trouble.SLOW)

        assert parse_answer(ask(PROMPT).text).facts == ()

    def test_it_follows_nobody_to_another_host(self, model: ModelServer) -> None:
        with ModelServer() as elsewhere:
            model.redirect_to = elsewhere.url
            model.misbehave(Trouble.REDIRECT)

            with pytest.raises(ModelUnreachable):
                ask(PROMPT)

            assert elsewhere.received == 0

    def test_it_passes_by_a_proxy_of_the_environment(
        self, model: ModelServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{closed_port()}")

        ask(PROMPT)

        assert model.answered == 1


class TestLogs:
    def test_they_hold_counts_and_no_text(
        self, model: ModelServer, caplog: pytest.LogCaptureFixture
    ) -> None:
        model.answer = lambda asked: {"facts": [], "rejected": []}
        with caplog.at_level(logging.DEBUG):
            ask(PROMPT)
            model.misbehave(Trouble.REFUSED)
            with pytest.raises(ModelAnswerUnusable):
                ask(PROMPT)

        logged = "\n".join(f"{r.getMessage()} {vars(r)}" for r in caplog.records)
        assert "model.answered" in logged
        assert "model.failed" in logged
        assert SECRET_WORDS not in logged
        assert "key-of-the-tests" not in logged
        assert model.url not in logged

    def test_the_library_cannot_be_made_to_log_requests(
        self, model: ModelServer
    ) -> None:
        program = (
            "import logging, django; django.setup()\n"
            "logging.getLogger().setLevel(logging.DEBUG)\n"
            "from django.conf import settings as s\n"
            f"s.LLM_BASE_URL, s.LLM_API_KEY, s.LLM_MODEL = {model.url!r}, 'k', 'm'\n"
            "from memories.language_model.client import ask\n"
            "from memories.language_model.prompts import Prompt\n"
            f"ask(Prompt('extraction_1', 'x', {SECRET_WORDS!r}))\n"
        )

        ended = run(program, OPENAI_LOG="debug", LOG_LEVEL="DEBUG")

        assert model.answered == 1
        assert "model.answered" in ended.stderr
        assert SECRET_WORDS not in ended.stderr
        assert model.url not in ended.stderr


class TestImports:
    def test_a_web_process_does_not_load_the_library(self) -> None:
        program = (
            "import sys, django; django.setup()\n"
            "import memsys.urls, memsys.celery, memories.tasks\n"
            "import memories.language_model.client, memories.language_model.answers\n"
            "import memories.language_model.transcript\n"
            "print([n for n in ('openai', 'httpx2') if n in sys.modules])"
        )

        ended = run(program)

        assert ended.stdout.splitlines()[-1:] == ["[]"], ended.stderr


def run(program: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a process of its own, with the settings of the tests."""
    return subprocess.run(
        [sys.executable, "-c", program],
        cwd=project.BASE_DIR,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
