"""Answers: their form, and what the merge makes of them."""

import json
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.errors import ModelAnswerUnusable
from memories.extraction.types import CandidateFact
from memories.language_model.answers import MAX_FACTS, parse_answer
from memories.language_model.schema import MAX_WORDS
from tests.memories.language_model.chats import (
    chat,
    found,
    merged,
    rules_of,
    stated,
)

WHOLE = {"facts": [stated("taboo", "花生", "我对花生过敏")], "rejected": [1, 2]}


def written(answer: Any) -> str:
    return json.dumps(answer, ensure_ascii=False)


def changed(**fields: Any) -> str:
    return written({"facts": [stated("taboo", "花生", "花生") | fields]})


def brief(facts: tuple[CandidateFact, ...]) -> list[tuple[str, str, str, int]]:
    return [(fact.author, fact.kind, fact.value, fact.polarity) for fact in facts]


class TestForm:
    @pytest.mark.parametrize(
        "text",
        [
            written(WHOLE),
            f"  \n{written(WHOLE)}\n",
            f"```json\n{written(WHOLE)}\n```",
            f"```\n{written(WHOLE)}\n```\n",
        ],
    )
    def test_a_whole_answer_is_read(self, text: str) -> None:
        findings = parse_answer(text)

        assert findings.rejected == (1, 2)
        assert findings.facts[0].quote == "我对花生过敏"

    @pytest.mark.parametrize(
        ("text", "code"),
        [
            ("", "empty"),
            ("  \n ", "empty"),
            ("Error: rate limit", "not-json"),
            ("<html><body>busy</body></html>", "not-json"),
            (written(WHOLE)[:60], "not-json"),
            (f"好的，这是结果：{written(WHOLE)}", "not-json"),
            (f"{written(WHOLE)}{written(WHOLE)}", "not-json"),
            ("[" * 100_000, "not-json"),
            ('{"facts": [], "rejected": [NaN]}', "wrong-schema"),
            ("[]", "wrong-schema"),
            ("null", "wrong-schema"),
            ('{"error": "rate limit"}', "wrong-schema"),
            ('{"facts": {}}', "wrong-schema"),
            ('{"facts": [], "rejected": ["1"]}', "wrong-schema"),
            ('{"facts": [], "rejected": [], "note": "x"}', "wrong-schema"),
            (changed(kind="note"), "wrong-schema"),
            (changed(subject="friend"), "wrong-schema"),
            (changed(polarity=2), "wrong-schema"),
            (changed(polarity="-1"), "wrong-schema"),
            (changed(importance=1.5), "wrong-schema"),
            (changed(messages="1"), "wrong-schema"),
            (changed(messages=[True]), "wrong-schema"),
            (changed(quote=None), "wrong-schema"),
            (changed(text="长" * (MAX_WORDS + 1)), "wrong-schema"),
            (changed(extra=1), "wrong-schema"),
            (written({"facts": [WHOLE["facts"][0]] * 201}), "wrong-schema"),
            (f'{{"facts": [], "rejected": [{"1," * 300_000}1]}}', "too-big"),
        ],
    )
    def test_anything_else_is_unusable(self, text: str, code: str) -> None:
        """Acceptance row 65."""
        with pytest.raises(ModelAnswerUnusable) as caught:
            parse_answer(text)

        assert caught.value.code == code
        assert caught.value.__cause__ is None

    @given(st.text() | st.binary().map(lambda data: data.decode("utf-8", "replace")))
    def test_no_text_does_worse_than_unusable(self, text: str) -> None:
        with pytest.raises(ModelAnswerUnusable):
            parse_answer(text)

    def test_what_is_stored_of_it_holds_no_personal_data(self) -> None:
        answer = changed(
            text="我手机13800138000", quote="微信wx_abc12345", about="\x00猫"
        )

        kept = parse_answer(answer).filtered()

        again = parse_answer(kept.model_dump_json())
        assert again == kept
        assert (kept.facts[0].text, kept.facts[0].about) == ("我手机[手机号]", "猫")
        assert "wx_abc12345" not in kept.model_dump_json()

    def test_filtering_keeps_an_answer_readable(self) -> None:
        answer = changed(text="a@b.cn " * 85, due_on="13800138000 " * 3)

        kept = parse_answer(answer).filtered()

        assert parse_answer(kept.model_dump_json()) == kept


class TestCandidates:
    def test_they_stay_when_the_model_finds_nothing(self) -> None:
        chats = chat("我对花生过敏", "我喜欢猫")

        result = merged(chats)

        assert list(result.facts) == rules_of(chats)
        assert result.refused == {}

    def test_one_that_is_rejected_goes(self) -> None:
        result = merged(chat("我对花生过敏", "我喜欢猫"), rejected=(1,))

        assert brief(result.facts) == [("rules", "preference", "猫", 1)]

    @pytest.mark.parametrize("number", [0, -1, 3, 10**12])
    def test_a_number_that_is_none_rejects_nothing(self, number: int) -> None:
        result = merged(chat("我对花生过敏", "我喜欢猫"), rejected=(number,))

        assert len(result.facts) == 2

    def test_one_that_was_not_shown_cannot_be_rejected(self) -> None:
        chats = chat("我对花生过敏", "我喜欢猫")

        result = merged(chats, rejected=(1, 2), messages_cut=1)

        assert brief(result.facts) == [("rules", "taboo", "花生", -1)]

    def test_one_that_the_model_tells_too_is_kept_once(self) -> None:
        chats = chat("我对花生过敏", "我前任也喜欢猫，好烦")

        result = merged(chats, stated("taboo", "花生", "我对花生过敏", polarity=-1))

        taboos = [fact for fact in result.facts if fact.kind == "taboo"]
        assert brief(tuple(taboos)) == [("model", "taboo", "花生", -1)]

    def test_an_event_told_in_other_words_is_kept_once(self) -> None:
        chats = chat("前天去看了牙医，拔了两颗智齿")

        fact = stated(
            "event", "拔牙", "拔了两颗智齿", text="用户前天拔了两颗智齿", polarity=0
        )

        result = merged(chats, fact)

        assert [fact.text for fact in result.facts] == ["用户前天拔了两颗智齿"]
        assert result.facts[0].occurred_at.date().isoformat() == "2026-04-13"

    def test_a_plan_told_in_other_words_fills_the_slot_of_the_rules(self) -> None:
        chats = chat("下周六一起看电影吧，说好了")
        [rule] = rules_of(chats)

        result = merged(chats, stated("commitment", "去影院", "下周六一起看电影吧"))

        [fact] = result.facts
        assert (fact.author, fact.key, fact.due_at) == ("model", rule.key, rule.due_at)

    def test_the_more_precise_value_of_one_slot_stands_alone(self) -> None:
        chats = chat("我刚从深圳搬到上海浦东")

        result = merged(chats, stated("fact", "上海", "搬到上海浦东", about="city"))

        assert [fact.key for fact in result.facts] == ["city"]

    def test_one_about_something_else_in_the_same_message_stays(self) -> None:
        chats = chat("我对花生过敏，我喜欢猫")

        result = merged(chats, stated("preference", "猫", "我喜欢猫"))

        assert brief(result.facts) == [
            ("rules", "taboo", "花生", -1),
            ("model", "preference", "猫", 1),
        ]


class TestFacts:
    def test_they_come_in_the_order_told(self) -> None:
        chats = chat("榴莲这东西太上头了", "我喜欢猫", "奶茶简直续命")

        result = merged(
            chats,
            stated("preference", "奶茶", "奶茶简直续命", messages=[3]),
            stated("preference", "榴莲", "榴莲这东西太上头了"),
        )

        assert [fact.value for fact in result.facts] == ["榴莲", "猫", "奶茶"]

    def test_what_is_told_twice_is_one_with_both_as_evidence(self) -> None:
        chats = chat("榴莲这东西太上头了", "榴莲真的太上头了")

        result = merged(
            chats,
            stated("preference", "榴莲", "榴莲这东西太上头了"),
            stated("preference", "榴莲", "榴莲真的太上头了", messages=[2]),
        )

        [fact] = result.facts
        assert fact.evidence == (UUID(int=1), UUID(int=2))

    def test_two_values_of_one_slot_in_one_message_leave_the_first(self) -> None:
        chats = chat("我在鹅厂和猫厂之间反复横跳")

        result = merged(
            chats,
            stated("fact", "鹅厂", "我在鹅厂和猫厂之间", about="workplace"),
            stated("fact", "猫厂", "我在鹅厂和猫厂之间", about="workplace"),
        )

        assert [fact.value for fact in result.facts] == ["鹅厂"]

    def test_one_session_has_only_so_many(self) -> None:
        things = [f"{a}{b}果" for a in "红黄蓝绿紫" for b in "甜酸苦辣咸鲜香脆软"]
        chats = chat(*(f"{thing}太上头了" for thing in things))

        result = merged(
            chats,
            *(
                stated("preference", thing, f"{thing}太上头了", messages=[n])
                for n, thing in enumerate(things, 1)
            ),
        )

        assert len(result.facts) == MAX_FACTS
        assert result.refused == {"too-many": 5}

    def test_the_model_sways_how_much_a_fact_counts_but_does_not_decide(self) -> None:
        chats = chat("榴莲这东西太上头了", "我对花生过敏")

        result = merged(
            chats,
            stated("preference", "榴莲", "榴莲这东西太上头了", importance=1.0),
            stated("taboo", "花生", "我对花生过敏", importance=0.0, messages=[2]),
        )

        assert [fact.importance for fact in result.facts] == [0.75, 0.75]

    def test_the_same_answer_gives_the_same_facts(self) -> None:
        chats = chat("榴莲这东西太上头了", "我对花生过敏")
        fact = stated("preference", "榴莲", "榴莲这东西太上头了")

        assert merged(chats, fact) == merged(chats, fact)

    @given(
        st.lists(
            st.fixed_dictionaries(
                {
                    "kind": st.sampled_from(["preference", "fact", "event", "emotion"]),
                    "value": st.text(max_size=6) | st.sampled_from(["花生", "榴莲"]),
                    "quote": st.text(max_size=6)
                    | st.sampled_from(["我对花生过敏", "讨厌榴莲", "我最爱下雨天"]),
                    "messages": st.lists(st.integers(-5, 9), max_size=3),
                }
            ),
            max_size=4,
        )
    )
    def test_whatever_is_stated_its_words_are_the_users(
        self, facts: list[dict[str, Any]]
    ) -> None:
        """Acceptance rows 73 and 74."""
        chats = chat("我对花生过敏", "ai:我最爱下雨天", "我朋友阿杰讨厌榴莲")
        answer = found(*(stated(f.pop("kind"), f.pop("value"), "x") | f for f in facts))

        result = merged(chats, *(fact.model_dump() for fact in answer.facts))

        assert {fact.subject for fact in result.facts} <= {"user"}
        assert all("花生" in fact.text for fact in result.facts)
        assert {one for fact in result.facts for one in fact.evidence} == {UUID(int=1)}
