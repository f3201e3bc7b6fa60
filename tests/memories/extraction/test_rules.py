"""Extraction by rule: what a session's own words give, and what they do not."""

from datetime import datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.extraction.rules import extract
from memories.extraction.types import CandidateFact, SessionMessage
from tests.memories.extraction.statements import NOT_STATED, STATED

WEDNESDAY = datetime.fromisoformat("2026-04-15T20:00:00+08:00")


def session_of(*lines: str, sent_at: datetime = WEDNESDAY) -> list[SessionMessage]:
    """Make a session of lines, one a minute; `ai:` opens a persona's line."""
    return [
        SessionMessage(
            id=UUID(int=number),
            author_kind=line.partition(":")[0] if ":" in line[:10] else "user",
            text=line.partition(":")[2] if ":" in line[:10] else line,
            sent_at=sent_at + timedelta(minutes=number),
        )
        for number, line in enumerate(lines)
    ]


def facts_of(*lines: str, sent_at: datetime = WEDNESDAY) -> list[CandidateFact]:
    """Extract from lines of a chat."""
    return extract(session_of(*lines, sent_at=sent_at), time_zone="Asia/Shanghai")


def slots_of(facts: list[CandidateFact]) -> list[tuple[str, str, str]]:
    return [(fact.subject, fact.dimension, fact.key) for fact in facts]


def day_of(fact: CandidateFact) -> str:
    undated = None if fact.kind == "commitment" else fact.occurred_at
    moment = fact.due_at or undated
    return moment.date().isoformat() if moment else ""


@pytest.mark.parametrize(("said", "kind", "polarity", "word", "day"), STATED)
def test_it_remembers_a_plain_statement(
    said: str, kind: str, polarity: int, word: str, day: str
) -> None:
    found = [f for f in facts_of(said) if (f.kind, f.polarity) == (kind, polarity)]

    assert any(word in fact.text for fact in found)
    assert not day or day in {day_of(fact) for fact in found}
    assert {fact.subject for fact in found} == {"user"}


@pytest.mark.parametrize("said", NOT_STATED)
def test_it_remembers_nothing_that_is_not_stated(said: str) -> None:
    assert facts_of(said) == []


class TestTruthOverTime:
    def test_it_lets_an_only_love_take_the_place_of_the_favourite(self) -> None:
        """Acceptance row 27."""
        facts = facts_of("我最喜欢的球星是梅西", "我现在只喜欢C罗了")

        assert [fact.value for fact in facts] == ["梅西", "C罗"]
        assert len(set(slots_of(facts))) == 1

    def test_it_turns_a_dislike_into_a_like_of_the_same_slot(self) -> None:
        """Acceptance row 29."""
        facts = facts_of("不喜欢吃香菜", "现在喜欢香菜了")

        assert [fact.polarity for fact in facts] == [-1, 1]
        assert len(set(slots_of(facts))) == 1

    def test_it_keeps_unrelated_facts_in_slots_of_their_own(self) -> None:
        """Acceptance row 30."""
        facts = facts_of("我养了一只猫", "我怕狗", "我爱猫", "我在学吉他")

        assert len(set(slots_of(facts))) == 4

    def test_it_moves_the_user_within_one_slot(self) -> None:
        """Acceptance row 31."""
        facts = facts_of("我住在上海", "我搬到上海浦东了")

        assert [fact.value for fact in facts] == ["上海", "上海浦东"]
        assert len(set(slots_of(facts))) == 1

    @pytest.mark.parametrize("said", ["明天面试", "我明天要去面试", "明天下午面试"])
    def test_it_dates_a_plan_from_the_message(self, said: str) -> None:
        """Acceptance row 39."""
        [fact] = facts_of(
            said, sent_at=datetime.fromisoformat("2026-01-01T12:00+08:00")
        )

        assert (fact.kind, day_of(fact)) == ("commitment", "2026-01-02")

    def test_it_dates_in_the_zone_of_the_user(self) -> None:
        late = datetime.fromisoformat("2026-04-15T17:30:00+00:00")

        [fact] = facts_of("明天面试", sent_at=late)

        assert day_of(fact) == "2026-04-17"

    def test_it_gives_one_fact_for_what_is_said_twice(self) -> None:
        [fact] = facts_of("我对花生过敏", "在吗", "我对花生过敏的")

        assert fact.evidence == (UUID(int=0), UUID(int=2))

    def test_it_gives_one_appointment_for_two_ways_of_telling_it(self) -> None:
        [fact] = facts_of("周六我们一起看电影吧", "别忘了周六看电影")

        assert (len(fact.evidence), fact.key) == (2, "看电影|2026-04-18")


class TestWhoseFactItIs:
    def test_it_takes_no_evidence_from_the_persona(self) -> None:
        """Acceptance row 72."""
        said = ["我对花生过敏", *["ai:记得你对花生过敏"] * 30]

        [fact] = facts_of(*said)

        assert fact.evidence == (UUID(int=0),)

    @pytest.mark.parametrize(
        "said",
        [
            *("我朋友阿杰讨厌榴莲", "我妈不吃香菜", "小李养了一只猫", "他住在上海"),
            *("我室友是护士，在医院上班", "我同桌最喜欢的歌手是周杰伦", "阿杰明天面试"),
            *("听说他喜欢猫", "我知道她怕狗，喜欢猫", "老板说我们明天要开会"),
        ],
    )
    def test_it_leaves_other_people_alone(self, said: str) -> None:
        """Acceptance row 73."""
        assert facts_of(said) == []

    @pytest.mark.parametrize("author", ["ai", "ai_edited", "creator", "operator"])
    def test_it_makes_no_fact_of_what_the_persona_is_like(self, author: str) -> None:
        """Acceptance row 74."""
        assert facts_of(f"{author}:我最爱下雨天") == []

    def test_it_reads_no_system_line(self) -> None:
        assert facts_of("system:我爱猫，明天面试") == []

    @pytest.mark.parametrize(
        ("said", "day"),
        [
            ("ai:明晚九点我给你唱那首歌", "2026-04-16"),
            ("creator:周六我陪你看电影，说好了", "2026-04-18"),
            ("ai:后天我把第三章念给你听", "2026-04-17"),
            ("ai:每天早上七点我叫你起床", ""),
            ("ai:我答应你，下次一定带你去看海", ""),
        ],
    )
    def test_it_keeps_the_promises_of_the_persona(self, said: str, day: str) -> None:
        [fact] = facts_of(said)

        assert (fact.kind, fact.subject, day_of(fact)) == ("commitment", "persona", day)

    @pytest.mark.parametrize(
        "said",
        [
            *(
                "ai:我下周要去云南拍照",
                "ai:你明天要不要早点睡？",
                "ai:加油，明天会更好的",
            ),
            *("ai:如果明天有空我给你唱歌", "ai:记得你明天面试", "ai:我昨天给你写了诗"),
        ],
    )
    def test_it_takes_the_personas_own_life_for_no_promise(self, said: str) -> None:
        assert facts_of(said) == []


class TestCorrections:
    def test_it_takes_the_new_value_of_a_correction(self) -> None:
        facts = facts_of("我是护士", "不是护士，我是兽医")

        assert [(fact.key, fact.value) for fact in facts] == [("job", "兽医")]

    def test_it_drops_what_stands_before_a_slip_of_the_tongue(self) -> None:
        [fact] = facts_of("我住在北京，啊说错了，我住在南京")

        assert (fact.value, "北京" in fact.text) == ("南京", False)

    def test_it_tells_a_corrected_fact_with_what_was_right_before(self) -> None:
        facts = facts_of("我读化学博士二年级", "哦说错了，我现在已经博三了")

        assert [fact.key for fact in facts] == ["major", "grade"]
        assert not any("二年级" in fact.text for fact in facts)

    def test_it_drops_a_plan_that_is_called_off(self) -> None:
        facts = facts_of("周六我要去爬山", "周六我还约了牙医", "爬山取消了")

        assert [fact.text for fact in facts] == ["周六我还约了牙医"]


class TestPets:
    def test_it_learns_a_name_from_the_answer(self) -> None:
        facts = facts_of("我家猫又拆家了", "ai:它叫什么来着？", "叫年糕，三岁的橘猫")

        assert [(fact.key, fact.value) for fact in facts] == [("pet:猫", "年糕")]

    def test_it_joins_an_animal_and_its_name(self) -> None:
        [fact] = facts_of("我养了一只猫", "ai:叫什么名字？", "叫汤圆")

        assert (fact.key, fact.value) == ("pet:猫", "汤圆")
        assert fact.evidence == (UUID(int=0), UUID(int=2))

    def test_it_keeps_a_second_animal_apart(self) -> None:
        facts = facts_of("我养了一只猫叫年糕", "我又养了一只猫叫汤圆")

        assert len(set(slots_of(facts))) == 2


def test_it_keeps_words_in_the_script_they_were_said_in() -> None:
    facts = facts_of("我唔鍾意食鳳爪", "我對塵蟎過敏")

    assert [fact.text for fact in facts] == ["我唔鍾意食鳳爪", "我對塵蟎過敏"]


def test_it_leaves_out_what_is_quoted() -> None:
    [fact] = facts_of("我姑张口就是“女人三十豆腐渣”，气死我了")

    assert (fact.kind, "豆腐渣" in fact.text) == ("emotion", False)


def test_it_gives_the_same_facts_each_time() -> None:
    said = ("我爱猫", "下周六看电影", "昨天去打了疫苗，好疼")

    assert facts_of(*said) == facts_of(*said)


@given(st.text("我你他喜欢不爱怕了的吗明天周六号12去看猫狗，。！？“”叫 ", max_size=40))
def test_it_never_gives_a_fact_that_cannot_be_stored(said: str) -> None:
    facts = facts_of(said)

    for fact in facts:
        assert fact.text.strip()
        assert 0 <= fact.importance <= 1
        assert fact.kind in ("emotion", "event") or fact.key
        assert len(fact.key) <= 200
        assert len(fact.value) <= 500
