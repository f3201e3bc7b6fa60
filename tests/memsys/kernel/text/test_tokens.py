"""Search words."""

import json
import os
import subprocess
import sys
import unicodedata
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memsys.kernel.text.clean import fold
from memsys.kernel.text.tokens import Names, query_tokens, tokenize

HERE = Path(__file__).parent
HANDED_OUT = Path(__file__).resolve().parents[5] / "shared" / "data"
ANY_TEXT = st.text(st.characters(categories=None), max_size=30)
Cut = Callable[[str], list[str]]


@pytest.fixture(scope="module")
def reference_cut(tmp_path_factory: pytest.TempPathFactory) -> Cut:
    """The original jieba, with its cache in a folder of this process alone."""
    private = tmp_path_factory.mktemp("jieba")
    private.chmod(0o700)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import jieba
    jieba.setLogLevel("ERROR")
    tokenizer = jieba.Tokenizer()
    tokenizer.tmp_dir = str(private)
    tokenizer.initialize()
    return lambda text: list(tokenizer.cut_for_search(text, HMM=False))


def corpus() -> Iterator[str]:
    yield from (HERE / "corpus.txt").read_text(encoding="utf-8").splitlines()
    for path in sorted(HANDED_OUT.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            yield from strings_in(json.loads(line))


def strings_in(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings_in(item)


def is_character(text: str) -> bool:
    return len(text) == 1 and not text.isascii() and unicodedata.category(text) == "Lo"


def test_it_cuts_words_exactly_as_jieba_does(reference_cut: Cut) -> None:
    different = []

    for text in corpus():
        folded = fold(text)
        words = [
            word
            for word in reference_cut(folded)
            if any(character.isalnum() for character in word)
            and (len(word) > 1 or word.isascii())
        ]
        characters = [character for character in folded if is_character(character)]
        if Counter(tokenize(text)) != Counter(words + characters):
            different.append(text)

    assert different == []


@pytest.mark.parametrize(
    ("memory", "query"),
    [
        ("我养了猫", "猫"),
        ("爸住院了", "爸"),
        ("我对芒果过敏", "芒果"),
        ("我對芒果過敏", "芒果"),
        ("新手机是 iPhone", "IPHONE"),
        ("屏幕碎了", "iPhone 屏幕"),
        ("手机是 iphone", "iPhone 屏幕"),
        ("在吉野家吃饭", "野家"),
        ("𠮷野家", "𠮷"),
        ("喜欢カラオケ", "カラオケ"),
        ("去 café 坐坐", "cafe\u0301"),
    ],
)
def test_it_lets_a_query_find_the_memory_by_words_alone(
    memory: str, query: str
) -> None:
    """Acceptance rows 44 and 45."""
    assert set(query_tokens(query)) & set(tokenize(memory))


@pytest.mark.parametrize(
    ("query", "tokens"),
    [
        ("猫", ["猫"]),
        ("我的猫呢", ["猫"]),
        ("iPhone 屏幕", ["iphone", "屏幕", "屏", "幕"]),
        ("你是谁", ["你", "是", "谁"]),
        ("什么", ["什么", "什", "么"]),
        ("我对芒果过敏吗", ["芒果", "过敏", "芒", "果", "过", "敏"]),
        ("what is my cat", ["cat"]),
        ("", []),
        ("！？……", []),
    ],
)
def test_it_asks_only_for_what_the_question_is_about(
    query: str, tokens: list[str]
) -> None:
    assert query_tokens(query) == tokens


def test_it_keeps_repeats_and_each_character_once_per_place() -> None:
    assert Counter(tokenize("猫爱猫也爱猫")) == Counter({"猫": 3, "爱": 2, "也": 1})


def test_it_counts_a_name_as_a_word_wherever_it_stands() -> None:
    """Acceptance row 46."""
    names = Names(["俞建禾", "刘三发"])

    assert "俞建禾" in query_tokens("俞建禾", names=names)
    assert "俞建禾" in tokenize("昨天俞建禾来了", names=names)
    assert "刘三发" in tokenize("刘三发了红包", names=names)


def test_it_ranks_the_name_above_rows_that_share_its_characters() -> None:
    """Acceptance row 46."""
    names = Names(["俞建禾"])
    rows = ["俞建禾喜欢爬山", "他在建行上班", "禾苗长高了", "俞伯伯来过"]
    query = set(query_tokens("俞建禾", names=names))

    shared = [len(query & set(tokenize(row, names=names))) for row in rows]

    assert shared[0] > max(shared[1:])


def test_it_leaves_other_words_as_they_were_when_a_name_is_added() -> None:
    texts = ["今天我很好", "喜欢你呀", "南京市长江大桥"]
    before = [tokenize(text) for text in texts]

    names = Names(["天我", "市长江"])

    for text, tokens in zip(texts, before, strict=True):
        assert Counter(tokens) <= Counter(tokenize(text, names=names))


def test_it_takes_a_name_once_in_either_script() -> None:
    names = Names(["沈听澜", "沈聽瀾"])

    assert tokenize("沈听澜的沈听澜", names=names).count("沈听澜") == 2


def test_it_takes_the_letters_out_of_a_decorated_nickname() -> None:
    names = Names(["🌸晚樱子🌸", "", "\ud83d", "的", "长" * 500])

    assert "晚樱子" in tokenize("晚樱子在吗", names=names)
    assert "长" * 500 not in tokenize("长" * 500, names=names)


def test_it_does_not_carry_names_from_one_call_to_the_next() -> None:
    tokenize("裴照野来了", names=Names(["裴照野"]))

    assert "裴照野" not in tokenize("裴照野来了")


@given(ANY_TEXT)
def test_it_takes_any_text(text: str) -> None:
    """Acceptance row 53."""
    tokens = tokenize(text)

    assert all(token.encode("utf-8") for token in tokens)
    assert set(query_tokens(text)) <= set(tokens)


@given(ANY_TEXT)
def test_it_gives_the_same_words_in_either_script_and_width(text: str) -> None:
    assert tokenize(fold(text)) == tokenize(text)


def test_it_gives_every_first_caller_the_same_and_writes_no_file(
    tmp_path: Path,
) -> None:
    """Acceptance row C35."""
    program = (
        "from concurrent.futures import ThreadPoolExecutor\n"
        "from memsys.kernel.text.tokens import tokenize\n"
        "with ThreadPoolExecutor(8) as pool:\n"
        "    found = set(map(tuple, pool.map(tokenize, ['南京市长江大桥'] * 8)))\n"
        "print(len(found), *sorted(found.pop()))\n"
    )
    environment = {"TMPDIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}

    runs = {
        subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            check=True,
            env=environment | {"PYTHONIOENCODING": "utf-8"},
        ).stdout
        for _ in range(2)
    }

    assert len(runs) == 1
    assert runs.pop().startswith("1 ")
    assert list(tmp_path.iterdir()) == []
