"""From what was said to a question: masked, embedded in time, kept."""

import time
from datetime import UTC, datetime
from typing import Any

import pytest

from memories import embedding
from memories.embedding import HashEmbedder, Vector
from recall import queries
from recall.queries import Vectors, clean_query, embed_query, make_question

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


class SlowEmbedder(HashEmbedder):
    """Answers late, and counts what it was asked."""

    asked: list[str] = []

    def embed_query(self, text: str) -> Vector:
        self.asked.append(text)
        time.sleep(0.3)
        return super().embed_query(text)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> SlowEmbedder:
    made = SlowEmbedder()
    made.asked = []
    monkeypatch.setattr(queries, "get_embedder", lambda: made)
    return made


def test_it_answers_without_a_vector_after_the_deadline(
    slow: SlowEmbedder, settings: Any
) -> None:
    settings.EMBEDDING_DEADLINE_MS = 50

    assert embed_query("迟到的问题") is None


def test_it_asks_once_for_the_same_words(slow: SlowEmbedder, settings: Any) -> None:
    settings.EMBEDDING_DEADLINE_MS = 5000

    first, again = embed_query("同一个问题"), embed_query("同一个问题")

    assert first is not None
    assert again is first
    assert slow.asked == ["同一个问题"]


def test_it_sends_no_personal_data_to_the_embedder(
    slow: SlowEmbedder, settings: Any
) -> None:
    settings.EMBEDDING_DEADLINE_MS = 5000

    embed_query("打我电话13800138000吧")

    assert slow.asked == ["打我电话[手机号]吧"]


def test_it_embeds_the_end_of_a_long_query(slow: SlowEmbedder, settings: Any) -> None:
    settings.EMBEDDING_DEADLINE_MS = 5000

    embed_query("前面说了很多。" * 100 + "猫呢")

    assert len(slow.asked[0]) == queries.MAX_EMBEDDED_CHARS
    assert slow.asked[0].endswith("猫呢")


@pytest.mark.parametrize("text", ["", "  ", "\x00", "\ud83d"])
def test_it_asks_nothing_for_an_empty_query(text: str) -> None:
    assert embed_query(text) is None
    assert make_question(text, None, names=(), now=NOW).is_blank


def test_it_cleans_a_query_as_it_cleans_messages() -> None:
    assert clean_query("我\x00爱\ud83d猫") == "我爱猫"


def test_it_drops_the_vector_used_longest_ago() -> None:
    kept = Vectors(2)
    vector = HashEmbedder().embed_query("猫")
    for key in (b"a", b"b"):
        kept.keep(key, vector)
    kept.find(b"a")

    kept.keep(b"c", vector)

    assert kept.find(b"b") is None
    assert kept.find(b"a") is vector


def test_the_real_embedder_is_the_one_of_the_settings() -> None:
    assert embedding.get_embedder().name == "hash-1"
