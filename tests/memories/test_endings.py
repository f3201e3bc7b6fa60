"""What ends a plan or a fact in a later session, however the sessions arrive."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import permutations
from uuid import UUID

import pytest

from identity.types import RelationshipRef
from memories.models import ChatSession
from memories.processing import process_session
from memories.reading import MemoryView, Slice, list_memories, list_timeline
from memsys.kernel.scope import Purpose, access_scope
from tests.factories.identity import make_relationship
from tests.memories.test_processing import chat

D1 = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
DAY = timedelta(days=1)


def tell(
    relationship: RelationshipRef, *sessions: tuple[int, str], order: Sequence[int] = ()
) -> None:
    """Process sessions, given as day and lines, in an order."""
    told: dict[int, UUID] = {}
    for place in order or range(len(sessions)):
        day, said = sessions[place]
        at = D1 + day * DAY
        if place in told:
            ChatSession.objects.filter(pk=told[place]).update(status="pending")
        else:
            told[place] = chat(relationship, *said.split("/"), at=at)
        assert process_session(told[place], now=at + timedelta(hours=1)) == "done"


def current(
    relationship: RelationshipRef, kind: str = "commitment"
) -> list[MemoryView]:
    with access_scope(Purpose.SERVICE, relationship=relationship.id):
        views = list_memories(relationship.id, Slice(kind=kind), now=D1 + 9 * DAY)
    return [view for view in views if view.subject == "user"]


def open_plans(relationship: RelationshipRef) -> list[str]:
    return [view.text for view in current(relationship) if view.polarity > 0]


def timeline(relationship: RelationshipRef) -> list[tuple[str, bool]]:
    """Give each text of the timeline, and whether it is true until further notice."""
    with access_scope(Purpose.SERVICE, relationship=relationship.id):
        views = list_timeline(relationship.id, Slice())
    return [(view.text, view.valid_to is None) for view in views]


PLANS = [
    ("12月20号我要去北京出差", "北京出差取消了"),
    ("12月20号我要去北京出差", "我不去北京出差了"),
    ("12月20号我要去北京出差", "12月20号的北京出差取消了"),
    ("下周六跟小美去看演唱会", "演唱会我不去了"),
    ("下周六跟小美去看演唱会", "和小美的演唱会取消了"),
    ("下周六跟小美去看演唱会", "那个演唱会去不成了"),
    ("12月5号我要去面试", "面试黄了"),
    ("下周六去爬山", "爬山泡汤了，下雨"),
    ("下周六我要去露营", "我不去露营了"),
    ("下周三公司团建，我要去青岛", "团建取消了"),
]


@pytest.mark.django_db
@pytest.mark.parametrize(("planned", "ended"), PLANS)
@pytest.mark.parametrize("order", [(0, 1), (1, 0), (0, 1, 0, 1)], ids=str)
def test_it_ends_a_plan_that_a_later_session_calls_off(
    planned: str, ended: str, order: Sequence[int]
) -> None:
    ann = make_relationship()

    tell(ann, (0, planned), (2, ended), order=order)

    assert open_plans(ann) == []
    told = timeline(ann)
    assert [is_open for text, is_open in told if text != ended.split("，")[0]] == [
        False
    ]
    assert len(told) == 2


@pytest.mark.django_db
@pytest.mark.parametrize("order", list(permutations(range(2))), ids=str)
def test_it_moves_a_plan_to_the_day_that_a_later_session_names(
    order: Sequence[int],
) -> None:
    ann = make_relationship()

    tell(ann, (0, "12月20号我要去北京出差"), (2, "北京出差改到12月25号了"), order=order)

    (plan,) = [view for view in current(ann) if view.polarity > 0]
    assert plan.due_at is not None
    assert plan.due_at.date().isoformat() == "2026-12-24"  # in UTC
    assert ("12月20号我要去北京出差", False) in timeline(ann)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("planned", "ended"),
    [
        ("12月20号我要去北京出差", "上海出差取消了"),
        ("12月20号我要去北京出差", "12月3号的北京出差取消了"),
        ("12月5号我要去面试", "演唱会取消了"),
        ("下周六跟小美去看演唱会", "我取消了会员"),
        ("下周六跟小美去看演唱会", "我妈的演唱会取消了吗"),
        ("下周六跟小美去看演唱会", "如果下雨演唱会就取消了"),
        ("12月5号我要去面试", "小红说面试取消了"),
        ("下周六去爬山", "我不去健身房了"),
    ],
)
@pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=str)
def test_it_leaves_a_plan_that_is_not_the_one_meant(
    planned: str, ended: str, order: Sequence[int]
) -> None:
    ann = make_relationship()

    tell(ann, (0, planned), (2, ended), order=order)

    assert open_plans(ann) == [planned]


@pytest.mark.django_db
def test_it_takes_up_a_plan_again() -> None:
    ann = make_relationship()

    tell(
        ann,
        (0, "12月20号我要去北京出差"),
        (2, "北京出差取消了"),
        (4, "12月20号又要去北京出差了"),
    )

    assert len(open_plans(ann)) == 1


@pytest.mark.django_db
def test_it_ends_nothing_that_was_planned_after() -> None:
    ann = make_relationship()

    tell(ann, (0, "北京出差取消了"), (2, "12月20号我要去北京出差"))

    assert open_plans(ann) == ["12月20号我要去北京出差"]


FACTS = [
    ("我住在上海", "我已经不住上海了"),
    ("我住在上海", "我离开上海了"),
    ("我在腾讯上班", "我从腾讯离职了"),
    ("我在腾讯上班", "我离职了"),
    ("我在腾讯上班", "我跳槽去字节了"),
    ("我在腾讯上班", "我入职阿里了"),
    ("我在腾讯上班", "换工作了，现在在小红书做运营"),
    ("我有男朋友了", "我和男朋友分手了"),
    ("我结婚三年了", "我上周离婚了"),
    ("我对芒果过敏", "我其实对芒果不过敏，查过了"),
    ("我喜欢喝奶茶", "我戒奶茶了"),
    ("我喜欢喝可乐", "我以前可喜欢喝可乐了，现在一口都不碰"),
    ("我讨厌下雨天", "我现在不讨厌下雨天了"),
    ("我不吃辣", "我最近能吃辣了"),
    ("我不能吃辣", "我最近能吃辣了"),
    ("别叫我宝宝", "可以叫我宝宝了"),
    ("我吃素", "我现在开始吃肉了"),
    ("我吃素", "我不吃素了"),
    ("我怕狗", "我现在不怕狗了"),
]


def has_ended(relationship: RelationshipRef, text: str) -> bool:
    (is_open,) = {is_open for said, is_open in timeline(relationship) if said == text}
    return not is_open


@pytest.mark.django_db
@pytest.mark.parametrize(("told", "ended"), FACTS)
def test_it_ends_a_fact_that_a_later_session_says_is_over(
    told: str, ended: str
) -> None:
    """Acceptance rows 27 and 29."""
    ann = make_relationship()

    tell(ann, (0, told), (2, ended))

    assert has_ended(ann, told)
    assert not any(view.text == told for kind in KINDS for view in current(ann, kind))


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("told", "ended"),
    [
        ("我住在北京", "我早就不住上海了"),
        ("我在字节上班", "我从腾讯离职了"),
        ("我对芒果过敏", "我最近能吃辣了"),
        ("我对芒果过敏", "我喜欢吃芒果"),
        ("我有男朋友了", "我闺蜜和男朋友分手了"),
        ("我结婚三年了", "我爸妈上周离婚了"),
        ("我在腾讯上班", "我室友从腾讯离职了"),
        ("我在腾讯上班", "我想从腾讯离职了"),
        ("我喜欢喝奶茶", "我戒烟了"),
        ("别叫我宝宝", "可以叫我团子了"),
        ("我吃素", "我妈开始吃肉了"),
    ],
)
def test_it_leaves_what_is_not_said_to_be_over(told: str, ended: str) -> None:
    ann = make_relationship()

    tell(ann, (0, told), (2, ended))

    assert not has_ended(ann, told)


@pytest.mark.django_db
@pytest.mark.parametrize("order", list(permutations(range(3))), ids=str)
def test_it_knows_which_city_was_left_in_any_order(order: Sequence[int]) -> None:
    ann = make_relationship()

    tell(
        ann,
        (0, "我住在上海"),
        (2, "我搬到北京了"),
        (4, "我早就不住上海了"),
        order=order,
    )

    cities = [view.value for view in current(ann, "fact") if view.key == "city"]
    assert cities == ["北京"]


KINDS = ("fact", "preference", "taboo")
