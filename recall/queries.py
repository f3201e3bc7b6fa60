"""Turns what was said last into a question: words, a vector, windows of time.

Owns the deadline of the query's vector: when it is late, words and time answer.

>>> vector = embed_query("周末有什么安排")  # doctest: +SKIP
"""

import hashlib
import logging
import re
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as Late
from datetime import datetime
from functools import cache
from threading import Lock

from django.conf import settings

from memories.embedding import Vector, get_embedder
from memories.errors import EmbeddingFailed
from memsys.kernel.text.clean import clean_text, fold
from memsys.kernel.text.privacy import mask
from memsys.kernel.text.timewords import Direction, find_windows
from memsys.kernel.text.tokens import Names, query_tokens, tokenize
from recall.types import Question

logger = logging.getLogger("memsys.recall")

MAX_QUERY_CHARS = 1000
MAX_EMBEDDED_CHARS = 120  # the end of a query; more would always miss the deadline
KEPT_VECTORS = 2000
_LAST_TIME = re.compile(r"上一[次回]|(?<![马早晚])上回(?![家来去复消])")
_ABOUT_TALK = re.compile(
    r"上(?:一)?[次回]|我们?|你|咱们?|聊|说|讲|谈|到|哪里?|什么|啥|了|的|天|过|来着|是|在|呢|吗|啊|[，。？！?!,. ]"
)


class Vectors:
    """The vectors of the last questions, the one used longest ago dropped first."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept: OrderedDict[bytes, Vector] = OrderedDict()
        self._lock = Lock()

    def find(self, key: bytes) -> Vector | None:
        """Return a kept vector, or None."""
        with self._lock:
            vector = self._kept.get(key)
            if vector is not None:
                self._kept.move_to_end(key)
            return vector

    def keep(self, key: bytes, vector: Vector) -> None:
        """Keep a vector under its key."""
        with self._lock:
            self._kept[key] = vector
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)


_vectors = Vectors(KEPT_VECTORS)


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=4, thread_name_prefix="embed-query")


def embed_query(text: str) -> Vector | None:
    """Return (d,) float32, or None when the embedder is late or fails.

    Called before a scope opens: it may wait for the deadline of the settings. What
    was asked lately is kept in this process, under a hash of the text.
    """
    asked = clean_query(text)[-MAX_EMBEDDED_CHARS:]
    if not asked:
        return None
    embedder = get_embedder()
    key = hashlib.sha256(f"{embedder.name}\x1f{asked}".encode()).digest()
    if (known := _vectors.find(key)) is not None:
        return known
    waiting: Future[Vector] = _pool().submit(embedder.embed_query, asked)
    try:
        vector = waiting.result(timeout=settings.EMBEDDING_DEADLINE_MS / 1000)
        _vectors.keep(key, vector)
        return vector
    except Late:
        waiting.cancel()
        logger.warning("query.vector_late")
    except EmbeddingFailed:
        logger.warning("query.vector_failed")
    return None


def clean_query(text: str) -> str:
    """Return a query as everything that comes in is kept: cleaned and masked."""
    return mask(clean_text(text[-MAX_QUERY_CHARS:])).text


def make_question(
    text: str, vector: Vector | None, *, names: Sequence[str], now: datetime
) -> Question:
    """Return the question that a text asks; `now` is in the user's zone.

    `names` are the relationship's own, each a word of the question.
    """
    asked = clean_query(text)
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
