"""The model in a mood: it fails as often as asked, and counts what it served."""

import http.client
import json
from collections import Counter
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from memories.language_model.answers import parse_answer
from memsys.chaos.moods import (
    UNUSABLE,
    MoodyModel,
    chance_of_fallback,
    choose_mood,
)
from memsys.chaos.sayings import say_attribute, say_taste
from memsys.chaos.troubles import Trouble


@pytest.fixture
def model() -> Iterator[MoodyModel]:
    with MoodyModel(seed=1, failing=0.0, late_seconds=0.1) as server:
        yield server


def ask(model: MoodyModel, *said: str, label: str = "waaa") -> bytes:
    """Ask as the client does; return the body of the answer."""
    lines = [
        json.dumps({"n": number, "who": who, "text": text}, ensure_ascii=False)
        for number, (who, text) in enumerate(
            [("角色", f"我在听，会话编号{label}"), *(("用户", one) for one in said)], 1
        )
    ]
    user = "\n".join(["<chat>", *lines, "</chat>"])
    messages = [
        {"role": "system", "content": ""},
        {"role": "user", "content": user},
    ]
    connection = http.client.HTTPConnection(urlsplit(model.url).netloc, timeout=10)
    connection.request(
        "POST", "/v1/chat/completions", json.dumps({"messages": messages}).encode()
    )
    try:
        return connection.getresponse().read()
    finally:
        connection.close()


def words_of(body: bytes) -> str:
    return str(json.loads(body)["choices"][0]["message"]["content"])


def test_it_states_what_the_user_stated(model: MoodyModel) -> None:
    said = say_attribute("city", "成都"), say_taste("火锅", -1)

    findings = parse_answer(words_of(ask(model, *(one.text for one in said))))

    stated = [(one.about, one.value, one.polarity) for one in findings.facts]
    assert stated == [("city", "成都", 1), ("火锅", "火锅", -1)]
    assert [one.messages for one in findings.facts] == [(2,), (3,)]


def test_it_counts_good_answers_by_session(model: MoodyModel) -> None:
    for label in ("waaa", "waab", "waaa"):
        ask(model, "在吗", label=label)

    assert model.answered_by_label == {"waaa": 2, "waab": 1}
    assert model.asked_by_label == {"waaa": 2, "waab": 1}


def test_it_counts_unusable_answers_apart() -> None:
    label, kind = next(
        (f"w{number}", mood)
        for number in range(100)
        if (mood := choose_mood(f"w{number}", 1, seed=1, failing=1.0)) in UNUSABLE
    )

    with MoodyModel(seed=1, failing=1.0, late_seconds=0.1) as model:
        ask(model, "在吗", label=label)

    assert model.unusable_by_label == {label: 1}
    assert model.troubles == {kind: 1}
    assert model.answered == 0


def test_it_is_in_the_same_mood_again() -> None:
    moods = [
        [choose_mood("waaa", one, seed=seed, failing=0.5) for one in range(40)]
        for seed in (1, 1, 2)
    ]

    assert moods[0] == moods[1] != moods[2]


def test_it_fails_in_all_its_ways_as_often_as_asked() -> None:
    moods = Counter(
        choose_mood(f"w{one}", 1, seed=1, failing=0.2) for one in range(4000)
    )

    assert 0.18 < 1 - moods[None] / 4000 < 0.22
    assert len(moods) == 12
    assert moods[Trouble.LATE] < moods[Trouble.DOWN]


def test_it_tells_how_many_sessions_get_no_answer_by_chance() -> None:
    def falls_back(label: str) -> bool:
        unusable = number = 0
        while unusable < 3:
            number += 1
            mood = choose_mood(label, number, seed=3, failing=0.5)
            if mood is None:
                return False
            unusable += mood in UNUSABLE
        return True

    found = sum(falls_back(f"w{one}") for one in range(4000)) / 4000

    expected = chance_of_fallback(0.5, most_unusable=3)
    assert abs(found - expected) < 0.01
    assert expected > 0.03
