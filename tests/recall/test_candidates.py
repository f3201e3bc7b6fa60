"""Which memories may be recalled, which are pinned, and what a recall answers."""

from dataclasses import replace
from datetime import datetime, timedelta
from uuid import uuid4

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memories.decay import is_faded
from recall.candidates import find_eligible, rank, recall
from recall.pack_codec import decode, encode
from recall.types import Policy, Question, Reason, View
from tests.factories.recall import (
    NOW,
    RELATIONSHIP,
    Window,
    ask,
    make_pack,
    make_question,
    make_row,
    recall_texts,
    texts,
)

EVERYTHING = Policy(top_k=10_000, per_session=None, fill=True, pins_per_kind=0)


def eligible_texts(rows, **view) -> set[str]:
    pack = make_pack(rows)
    mask = find_eligible(pack, view=View(**{"now": NOW, **view}))
    return {pack.text(int(row)) for row in np.flatnonzero(mask)}


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("我对芒果过敏", "芒果"),
        ("我养了猫", "猫"),
        ("爸住院了", "爸"),
        ("新买的 iPhone 摔碎了屏幕", "iPhone 屏幕"),
    ],
)
def test_it_finds_chinese_by_its_words_with_vectors_off(text: str, asked: str):
    """Acceptance rows 44 and 45."""
    rows = [make_row(text), make_row("在学吉他"), make_row("周末去爬山")]

    hits = ask(rows, asked).hits

    assert texts(hits) == [text]
    assert hits[0].reason is Reason.WORDS
    assert set(hits[0].matched_words) <= set(make_question(asked).words)
    assert hits[0].matched_words


def test_it_sees_a_memory_as_soon_as_it_is_there_and_no_longer():
    """Acceptance row 86."""
    others = [make_row("在学吉他"), make_row("周末去爬山")]
    crab = make_row("爱吃螃蟹")

    assert recall_texts(others, "螃蟹") == []
    assert recall_texts([*others, crab], "螃蟹") == ["爱吃螃蟹"]
    assert recall_texts(others, "螃蟹") == []


def test_it_answers_the_same_from_a_decoded_pack():
    """Acceptance row 88."""
    numbers = np.random.default_rng(5)
    words = ["猫", "狗", "火锅", "加班", "电影", "下雨", "妹妹"]
    rows = [
        make_row(
            "".join(numbers.choice(words, 4)) + str(at % 7),
            days_ago=float(numbers.integers(1, 400)),
            embedding=numbers.standard_normal(32) if at % 5 else None,
        )
        for at in range(300)
    ]
    cold = make_pack(rows)
    hot = decode(encode(make_pack(rows[::-1])), relationship=RELATIONSHIP)

    for asked in ("火锅", "妹妹加班看电影", "下雨"):
        question = make_question(asked, vector=numbers.standard_normal(32))
        view = View(now=NOW)
        assert recall(cold, question, view=view) == recall(hot, question, view=view)
        orders = [
            rank(pack, question, view=view, policy=Policy()).rows.tolist()
            for pack in (cold, hot)
        ]
        assert orders[0] == orders[1]


def test_it_finds_all_of_a_small_relationship_in_the_order_of_an_exact_scan():
    """Acceptance row 12."""
    numbers = np.random.default_rng(12)
    vectors = numbers.standard_normal((12, 24))
    rows = [
        make_row(f"记忆{at}", embedding=vector) for at, vector in enumerate(vectors)
    ]
    asked = numbers.standard_normal(24).astype(np.float32)
    pack = make_pack(rows, embedding_model="a-model-of-unknown-scale")

    hits = recall(
        pack,
        Question(vector=asked),
        view=View(now=NOW),
        policy=Policy(
            top_k=10, per_session=None, weight_recency=0.0, weight_importance=0.0
        ),
    ).hits

    exact = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)) @ asked
    assert texts(hits) == [f"记忆{at}" for at in np.argsort(-exact)[:10]]


def test_it_answers_with_what_is_true_now_of_two_that_contradict():
    """Acceptance row 27."""
    closed = NOW - timedelta(days=1)
    old = make_row("我最喜欢的球星是梅西", days_ago=9, kind="preference")
    old = replace(old, valid_to=closed, status="superseded")
    new = make_row("我现在只喜欢C罗了", days_ago=1, kind="preference")

    assert recall_texts([old, new], "喜欢的球星") == ["我现在只喜欢C罗了"]
    before = {"valid_at": NOW - timedelta(days=5)}
    assert recall_texts([old, new], "喜欢的球星", **before) == ["我最喜欢的球星是梅西"]


def test_it_ends_a_period_before_its_last_moment():
    row = make_row("住在西安", valid_to=NOW)

    assert eligible_texts([row]) == set()
    assert eligible_texts([row], valid_at=NOW - timedelta(microseconds=1)) == {row.text}


def test_it_tells_what_was_known_from_what_was_true():
    said, corrected = NOW - timedelta(days=9), NOW - timedelta(days=2)
    first = make_row("住成都", occurred_at=said, recorded_to=corrected)
    second = replace(first, text="住重庆", recorded_at=corrected, recorded_to=None)

    assert eligible_texts([first, second]) == {"住重庆"}
    assert eligible_texts([first, second], known_at=NOW - timedelta(days=5)) == {
        "住成都"
    }
    assert eligible_texts([first, second], known_at=said - timedelta(days=1)) == set()


def test_it_shows_private_and_sensitive_memories_by_right_only():
    rows = [
        make_row("普通"),
        make_row("敏感", visibility="sensitive", sensitive_category="diagnosis"),
        make_row("另一类", visibility="sensitive", sensitive_category="religion"),
        make_row("没有类别", visibility="sensitive"),
        make_row("备注", visibility="creator_private"),
        make_row(
            "敏感备注", visibility="creator_private", sensitive_category="diagnosis"
        ),
        make_row("封存", status="restricted"),
        make_row("不明", visibility="a-new-kind"),
    ]

    assert eligible_texts(rows) == {"普通"}
    granted = frozenset(["diagnosis"])
    assert eligible_texts(rows, categories=granted) == {"普通", "敏感"}
    assert eligible_texts(rows, custody="creator_pool") == {"普通", "备注"}
    assert eligible_texts(rows, custody="creator_pool", categories=granted) == {
        "普通",
        "备注",
        "敏感",
        "敏感备注",
    }
    assert eligible_texts(rows, custody="proxy_pool") == {"普通"}


def test_it_forgets_at_read_time_whether_a_job_archived_or_not():
    """Acceptance row 41."""
    faded = make_row("一件小事", days_ago=400, stability_days=120.0)
    kept = [make_row("小事里的大事", days_ago=399, stability_days=300.0)]

    before = ask([faded, *kept], "小事", policy=EVERYTHING).hits
    archived = ask(
        [replace(faded, status="archived"), *kept], "小事", policy=EVERYTHING
    ).hits
    gone = ask(kept, "小事", policy=EVERYTHING).hits

    assert texts(before) == ["小事里的大事"]
    assert before == archived == gone


def test_it_brings_forgotten_memories_back_for_an_earlier_time():
    row = make_row("一件小事", days_ago=400, stability_days=120.0)

    assert eligible_texts([row]) == set()
    assert eligible_texts([row], valid_at=NOW - timedelta(days=390)) == {"一件小事"}


@pytest.mark.parametrize("at", [NOW, NOW - timedelta(days=1)])
def test_it_recalls_what_is_archived_and_not_forgotten(at: datetime):
    """Acceptance row 41: `archived` moves storage and is nothing that recall asks."""
    row = make_row("一件小事", status="archived")

    assert eligible_texts([row], valid_at=at) == {"一件小事"}


def test_it_remembers_again_what_was_said_again():
    again = {"days_ago": 400, "stability_days": 120.0}
    rows = [
        make_row("养了一只猫", **again, last_said_at=NOW - timedelta(days=9)),
        make_row("养了一条鱼", **again, last_said_at=NOW - timedelta(days=390)),
    ]

    assert eligible_texts(rows) == {"养了一只猫"}


@settings(max_examples=60, deadline=None)
@given(
    st.integers(min_value=0, max_value=2_000 * 86_400_000_000),
    st.floats(min_value=0.01, max_value=900),
)
def test_it_forgets_exactly_what_the_nightly_job_would_archive(
    age: int, stability: float
):
    at = NOW - timedelta(microseconds=age)
    row = make_row("猫", occurred_at=at, stability_days=stability)

    forgotten = eligible_texts([row]) == set()

    assert forgotten == is_faded(now=NOW, t0=at, stability_days=stability)


def test_it_keeps_what_hurts_and_who_the_user_is_however_old():
    old = {"days_ago": 5000, "stability_days": 30.0}
    rows = [
        make_row("我对花生过敏", kind="taboo", dimension="taste", **old),
        make_row("我叫阿澈", kind="fact", dimension="identity", **old),
        make_row("午饭吃了面", **old),
    ]

    assert eligible_texts(rows) == {"我对花生过敏", "我叫阿澈"}


def test_it_keeps_an_appointment_until_it_has_passed():
    """Acceptance row 43."""
    due = NOW + timedelta(days=2)
    rows = [
        make_row(
            "周五晚八点连麦",
            days_ago=300,
            kind="commitment",
            importance=0.0,
            stability_days=1.0,
            due_at=due,
        ),
        *(make_row(f"天气{at}", days_ago=1) for at in range(50)),
    ]

    for now in (NOW, due):
        assert texts(ask(rows, "天气", now=now).pins.commitments) == ["周五晚八点连麦"]
    assert ask(rows, "天气", now=due + timedelta(minutes=1)).pins.commitments == ()


def test_it_keeps_an_appointment_without_an_hour_for_its_whole_day():
    due = NOW.replace(hour=0) + timedelta(days=5)
    rows = [make_row("周六看电影", kind="commitment", due_at=due)]

    late = due + timedelta(hours=23)
    assert texts(ask(rows, "在吗", now=late).pins.commitments) == ["周六看电影"]
    assert ask(rows, "在吗", now=due + timedelta(days=1)).pins.commitments == ()


def test_it_pins_what_is_agreed_for_a_month_until_the_month_is_over():
    due, over = NOW + timedelta(days=3), NOW + timedelta(days=34)
    row = make_row("下个月去日本", kind="commitment", due_at=due, due_until=over)

    under_way = ask([row], "在吗", now=over - timedelta(days=2)).pins.commitments

    assert texts(under_way) == ["下个月去日本"]
    assert ask([row], "在吗", now=over).pins.commitments == ()


def test_it_pins_what_matches_first_and_keeps_pins_out_of_the_ranking():
    rows = [
        make_row("我对芒果过敏", kind="taboo", days_ago=300),
        make_row("别提前女友", kind="taboo", days_ago=1),
        make_row("我叫阿澈", kind="fact", dimension="identity"),
        make_row("小夏叫月影", kind="fact", dimension="identity", subject="persona"),
        make_row("同事带了芒果千层"),
    ]

    found = ask(rows, "芒果千层能吃吗")

    assert texts(found.pins.taboos) == ["我对芒果过敏", "别提前女友"]
    assert texts(found.pins.identity) == ["我叫阿澈"]
    assert texts(found.hits) == ["同事带了芒果千层"]
    assert [hit.reason for hit in found.pins.hits] == [
        Reason.TABOO,
        Reason.TABOO,
        Reason.IDENTITY,
    ]


def test_it_pins_no_fear_that_is_overcome_and_no_plan_that_is_off():
    due = NOW + timedelta(days=3)
    rows = [
        make_row("我现在不怕狗了", kind="taboo", dimension="taboo", polarity=1),
        make_row("我对芒果过敏", kind="taboo", dimension="taboo", polarity=-1),
        make_row("北京出差取消了", kind="commitment", polarity=-1, due_at=due),
        make_row("周五晚八点连麦", kind="commitment", polarity=1, due_at=due),
    ]

    pins = ask(rows, "在吗").pins

    assert texts(pins.taboos) == ["我对芒果过敏"]
    assert texts(pins.commitments) == ["周五晚八点连麦"]


def test_it_pins_a_bounded_number_of_each_kind():
    rows = [
        make_row(f"别提第{at}号前任", kind="taboo", days_ago=at + 1) for at in range(30)
    ]
    rows.append(make_row("下周连麦", kind="commitment", due_at=NOW + timedelta(days=7)))

    pins = ask(rows, "在吗", policy=Policy(pins_per_kind=4)).pins

    assert texts(pins.taboos) == [f"别提第{at}号前任" for at in range(4)]
    assert texts(pins.commitments) == ["下周连麦"]


def test_it_says_why_a_memory_came_up():
    day = NOW.replace(hour=0) - timedelta(days=3)
    window = Window(start=day, end=day + timedelta(days=1), words="三天前")
    towards = np.eye(4, dtype=np.float32)
    rows = [
        make_row("去了海边", occurred_at=day + timedelta(hours=5)),
        make_row("我养了猫"),
        make_row("团子做了绝育", embedding=towards[0]),
        make_row("在学吉他"),
    ]
    question = make_question("猫", vector=towards[0], windows=[window])

    hits = recall(
        make_pack(rows), question, view=View(now=NOW), policy=Policy(fill=True)
    ).hits

    reasons = {hit.text: hit.reason for hit in hits}
    assert reasons == {
        "去了海边": Reason.DATE,
        "我养了猫": Reason.WORDS,
        "团子做了绝育": Reason.MEANING,
        "在学吉他": Reason.RECENT,
    }
    by_text = {hit.text: hit for hit in hits}
    assert by_text["去了海边"].window == window
    assert by_text["我养了猫"].matched_words == ("猫",)
    assert by_text["我养了猫"].evidence == rows[1].evidence


def test_it_tells_how_many_could_have_come_up():
    rows = [make_row("猫"), make_row("狗"), make_row("封存", status="restricted")]

    assert ask(rows, "猫").eligible == 2


def test_it_answers_an_empty_relationship():
    found = ask([], "猫")

    assert (found.hits, found.pins.hits, found.eligible) == ((), (), 0)


def test_it_finds_memories_that_are_months_old_among_many_new_ones():
    rows = [
        make_row("我的生日是九月十二号", days_ago=250),
        *(make_row(f"今天加班到{at}点", days_ago=1) for at in range(200)),
    ]

    assert recall_texts(rows, "生日哪天")[0] == "我的生日是九月十二号"


def test_it_is_bound_to_no_order_of_the_rows():
    rows = [make_row("猫", id=uuid4(), days_ago=5, session=None) for _ in range(6)]
    question = make_question("猫")

    orders = {tuple(rank_ids(shuffled, question)) for shuffled in (rows, rows[::-1])}

    assert len(orders) == 1


def rank_ids(rows, question):
    pack = make_pack(rows)
    ranked = rank(pack, question, view=View(now=NOW), policy=Policy())
    return [pack.id(int(row)) for row in ranked.rows]
