"""Asks the model: one request, one reply, or a named reason why there is none.

Owns what a reply is and what is logged: codes, counts and durations. The network is the
business of `call`, which is loaded with the first question only, since the library it
stands on is large and most processes never ask.

>>> ask(prompt).output_tokens  # doctest: +SKIP
212
"""

import logging
import time
from dataclasses import dataclass

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from memories.errors import ModelAnswerUnusable, ModelUnreachable
from memories.language_model.prompts import Prompt

logger = logging.getLogger("memsys.model")


@dataclass(frozen=True)
class Reply:
    """The model's words, not yet believed; what they cost; who answered."""

    text: str
    input_tokens: int
    output_tokens: int
    model: str


def is_configured() -> bool:
    """Tell whether there is a model to ask."""
    return bool(settings.LLM_BASE_URL)


def ask(prompt: Prompt) -> Reply:
    """Ask the model once. Network; at most `LLM_TIMEOUT_SECONDS` in all, no retry.

    Raises:
        ModelUnreachable: the service gave no answer to this or to any request.
        ModelAnswerUnusable: there was an answer, and it is none.
        ImproperlyConfigured: no model is set.
    """
    if not is_configured():
        raise ImproperlyConfigured("LLM_BASE_URL is not set; there is no model to ask.")
    from memories.language_model.call import post

    begun = time.monotonic()
    try:
        reply = post(prompt)
    except (ModelUnreachable, ModelAnswerUnusable) as exc:
        logger.warning(
            "model.failed",
            extra={"code": exc.code, "milliseconds": _milliseconds_since(begun)},
        )
        raise
    logger.info(
        "model.answered",
        extra={
            "input_tokens": reply.input_tokens,
            "output_tokens": reply.output_tokens,
            "milliseconds": _milliseconds_since(begun),
        },
    )
    return reply


def _milliseconds_since(begun: float) -> int:
    return round((time.monotonic() - begun) * 1000)
