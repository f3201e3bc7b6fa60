"""The request over the network, and what its failures mean.

Owns the limits of a call: one try, no redirect, no proxy of the environment, a deadline
for all of it and a cap on the bytes. A refusal's body is never read: it may be endless,
and it often repeats what was asked. Imported by `client` alone, with the first question.

>>> post(prompt).model  # doctest: +SKIP
'qwen3-14b'
"""

import asyncio
import json
import logging
import re
from collections.abc import Mapping
from typing import Annotated, Any

import httpx2
from django.conf import settings
from openai import (
    APIConnectionError,
    APIStatusError,
    APITimeoutError,
    AsyncOpenAI,
)
from pydantic import BaseModel, Field, ValidationError

from memories.errors import ModelAnswerUnusable, ModelUnreachable
from memories.language_model.client import Reply
from memories.language_model.prompts import Prompt
from memories.language_model.schema import json_schema
from memsys.kernel.text.budget import count_tokens
from memsys.log_config import CLIENTS

MAX_ANSWER_BYTES = 1024 * 1024
MAX_CONNECT_SECONDS = 10
MAX_RETRY_AFTER_SECONDS = 3600
_MODEL_NAME = re.compile(r"[\w.:/@+-]{1,100}")
# What the request itself is to blame for; all else is about the service.
_REQUEST_REFUSED = frozenset((400, 413, 422))
_STATUS_CODES = {
    401: "access-refused", 403: "access-refused", 404: "not-found",
    408: "timeout", 429: "rate-limited",
}  # fmt: skip

# An environment variable of the library's own would have it log every request.
for _client_name in CLIENTS:
    logging.getLogger(_client_name).setLevel(logging.WARNING)

Tokens = Annotated[int, Field(ge=0, le=100_000_000, strict=True)]


class _Usage(BaseModel):
    prompt_tokens: Tokens
    completion_tokens: Tokens


class _Message(BaseModel):
    content: str | None = None
    refusal: str | None = None


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None


class _Envelope(BaseModel):
    """The parts of a chat completion that are looked at."""

    choices: Annotated[list[_Choice], Field(min_length=1)]
    model: Any = None
    usage: Any = None


class _Transport(httpx2.AsyncHTTPTransport):
    """Hands on the body of a good answer only."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        response = await super().handle_async_request(request)
        if response.is_success:
            return response
        await response.aclose()
        wait = response.headers.get("retry-after", "")
        return httpx2.Response(response.status_code, headers={"retry-after": wait})


def post(prompt: Prompt) -> Reply:
    """Send a prompt and read the reply; raises as `client.ask` says.

    The deadline cannot end a look-up of the host's name, which the resolver bounds.
    """
    return _read(asyncio.run(_post(prompt)), prompt)


async def _post(prompt: Prompt) -> bytes:
    try:
        async with asyncio.timeout(settings.LLM_TIMEOUT_SECONDS), _client() as client:
            return await _body(client, prompt)
    except (TimeoutError, APITimeoutError, httpx2.TimeoutException) as exc:
        raise ModelUnreachable("timeout") from exc
    except APIStatusError as exc:
        raise _refusal(exc) from None
    except (APIConnectionError, httpx2.TransportError, OSError) as exc:
        is_refused = isinstance(exc.__cause__, httpx2.ConnectError)
        code = "connect" if is_refused else "connection-lost"
        raise ModelUnreachable(code) from exc


def _client() -> AsyncOpenAI:
    seconds = settings.LLM_TIMEOUT_SECONDS
    timeout = httpx2.Timeout(seconds, connect=min(seconds, MAX_CONNECT_SECONDS))
    return AsyncOpenAI(
        base_url=settings.LLM_BASE_URL,
        api_key=settings.LLM_API_KEY,
        max_retries=0,
        timeout=timeout,
        http_client=httpx2.AsyncClient(
            transport=_Transport(trust_env=False),
            trust_env=False,
            follow_redirects=False,
            timeout=timeout,
        ),
    )


async def _body(client: AsyncOpenAI, prompt: Prompt) -> bytes:
    """Return the bytes of the answer, read as they come."""
    calls = client.chat.completions.with_streaming_response
    async with calls.create(
        model=settings.LLM_MODEL,
        messages=[
            {"role": "system", "content": prompt.system},
            {"role": "user", "content": prompt.user},
        ],
        temperature=0,
        max_tokens=settings.LLM_MAX_OUTPUT_TOKENS,
        response_format=_response_format(),
        # What is packed could unpack to any size.
        extra_headers={"Accept-Encoding": "identity"},
    ) as response:
        if response.headers.get("content-encoding", "identity") != "identity":
            raise ModelAnswerUnusable("encoded")
        read = bytearray()
        async for chunk in response.iter_bytes():
            read += chunk
            if len(read) > MAX_ANSWER_BYTES:
                raise ModelAnswerUnusable("too-big")
        return bytes(read)


def _response_format() -> Any:
    if settings.LLM_RESPONSE_FORMAT == "json_object":
        return {"type": "json_object"}
    form = {"name": "findings", "strict": True, "schema": json_schema()}
    return {"type": "json_schema", "json_schema": form}


def _refusal(exc: APIStatusError) -> ModelUnreachable | ModelAnswerUnusable:
    """Say what a status other than 200 means."""
    status = exc.status_code
    if status in _REQUEST_REFUSED:
        return ModelAnswerUnusable("request-refused")
    if status < 400:
        return ModelUnreachable("redirected")
    code = "server-error" if status >= 500 else "service-refused"
    return ModelUnreachable(
        _STATUS_CODES.get(status, code),
        retry_after_seconds=_seconds(exc.response.headers),
    )


def _seconds(headers: Mapping[str, str]) -> int | None:
    """Read how long to wait; the form with a date is passed over."""
    text = headers.get("retry-after", "").strip()
    if not text.isascii() or not text.isdecimal() or len(text) > 9:
        return None
    return min(int(text), MAX_RETRY_AFTER_SECONDS)


def _read(body: bytes, prompt: Prompt) -> Reply:
    if not body.strip():
        raise ModelAnswerUnusable("empty")
    try:
        envelope = _Envelope.model_validate_json(body)
    except ValidationError as exc:
        # The error quotes the answer: it is not handed on.
        is_json = all(one["type"] != "json_invalid" for one in exc.errors())
        code = "wrong-envelope" if is_json else "not-json"
        raise ModelAnswerUnusable(code) from None
    choice = envelope.choices[0]
    text = (choice.message.content or "").strip()
    reply = Reply(text, *_tokens(envelope, prompt, text), _name(envelope))
    if code := _fault(choice, text):
        raise ModelAnswerUnusable(
            code, input_tokens=reply.input_tokens, output_tokens=reply.output_tokens
        )
    return reply


def _fault(choice: _Choice, text: str) -> str:
    """Name what makes a choice useless, or give ""."""
    if choice.message.refusal or choice.finish_reason == "content_filter":
        return "refused"
    if not text:
        return "empty"
    if choice.finish_reason == "length" and not _is_json(text):
        return "cut-off"
    return ""


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _tokens(envelope: _Envelope, prompt: Prompt, text: str) -> tuple[int, int]:
    """Give the tokens as the service counted them, or by our own count."""
    try:
        usage = _Usage.model_validate(envelope.usage)
    except ValidationError:
        return count_tokens(prompt.system + prompt.user), count_tokens(text)
    return usage.prompt_tokens, usage.completion_tokens


def _name(envelope: _Envelope) -> str:
    """Give the name under which the model answered, if it is one."""
    named = envelope.model
    is_name = isinstance(named, str) and _MODEL_NAME.fullmatch(named)
    return str(named) if is_name else str(settings.LLM_MODEL)
