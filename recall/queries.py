"""Turns what was said last into a question: words, a vector, windows of time.

Owns the deadline of the query's vector: when it is late, words and time answer.

>>> vector = embed_query("周末有什么安排")  # doctest: +SKIP
"""

import logging
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as Late
from datetime import datetime
from functools import cache

from django.conf import settings

from memories.embedding import Vector, get_embedder
from memories.errors import EmbeddingFailed
from memsys.kernel.text.timewords import Direction, find_windows
from memsys.kernel.text.tokens import query_tokens
from recall.types import Question

logger = logging.getLogger("memsys.recall")

MAX_QUERY_CHARS = 1000


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=4, thread_name_prefix="embed-query")


def embed_query(text: str) -> Vector | None:
    """Return (d,) float32, or None when the embedder is late or fails.

    Called before a scope opens: it may wait for the deadline of the settings.
    """
    if not text.strip():
        return None
    waiting: Future[Vector] = _pool().submit(
        get_embedder().embed_query, text[-MAX_QUERY_CHARS:]
    )
    try:
        return waiting.result(timeout=settings.EMBEDDING_DEADLINE_MS / 1000)
    except Late:
        waiting.cancel()
        logger.warning("query.vector_late")
    except EmbeddingFailed:
        logger.warning("query.vector_failed")
    return None


def make_question(text: str, vector: Vector | None, *, now: datetime) -> Question:
    """Return the question that a text asks; `now` is in the user's zone."""
    return Question(
        words=query_tokens(text[-MAX_QUERY_CHARS:]),
        vector=vector,
        windows=find_windows(text, now=now, direction=Direction.PAST),
    )
