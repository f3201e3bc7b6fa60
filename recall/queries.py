"""Turns what was said last into a question: words, a vector, windows of time.

Owns the deadline of the query's vector: when it is late, words and time answer.

>>> vector = embed_query("周末有什么安排")  # doctest: +SKIP
"""

import logging
import re
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as Late
from datetime import datetime
from functools import cache

from django.conf import settings

from memories.embedding import Vector, get_embedder
from memories.errors import EmbeddingFailed
from memsys.kernel.text.clean import fold
from memsys.kernel.text.timewords import Direction, find_windows
from memsys.kernel.text.tokens import Names, query_tokens, tokenize
from recall.types import Question

logger = logging.getLogger("memsys.recall")

MAX_QUERY_CHARS = 1000
_LAST_TIME = re.compile(r"上一[次回]|(?<![马早晚])上回(?![家来去复消])")
_ABOUT_TALK = re.compile(
    r"上(?:一)?[次回]|我们?|你|咱们?|聊|说|讲|谈|到|哪里?|什么|啥|了|的|天|过|来着|是|在|呢|吗|啊|[，。？！?!,. ]"
)


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


def make_question(
    text: str, vector: Vector | None, *, names: Sequence[str], now: datetime
) -> Question:
    """Return the question that a text asks; `now` is in the user's zone.

    `names` are the relationship's own, each a word of the question.
    """
    asked = text[-MAX_QUERY_CHARS:]
    # As a whole word: 晚上次日 and 马上回家 are no last time.
    is_last_time = "上次" in tokenize(asked) or bool(_LAST_TIME.search(fold(asked)))
    if is_last_time and not query_tokens(_ABOUT_TALK.sub("", fold(asked))):
        # 上次聊到哪了 names no topic: the last session is all that is asked for.
        return Question(is_last_time=True)
    return Question(
        words=query_tokens(asked, names=Names(names)),
        vector=vector,
        windows=find_windows(asked, now=now, direction=Direction.PAST),
        is_last_time=is_last_time,
    )
