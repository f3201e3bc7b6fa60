"""What may be written, statement by statement."""

from datetime import UTC, datetime
from typing import Any

import pytest

from identity.scopes import job_scope
from identity.services import mark_synthetic
from identity.types import RelationshipRef
from memories.errors import SensitiveWithoutGrant
from memories.sensitive import screening
from memories.sensitive.screening import Screened
from memories.statements import PreparedStatement
from memories.types import Visibility
from memories.versions import NewMemory
from tests.factories.identity import make_relationship, new_name

AT = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)

pytestmark = pytest.mark.django_db


@pytest.fixture
def ann() -> RelationshipRef:
    return make_relationship()


@pytest.fixture
def vera() -> RelationshipRef:
    """A user made for an evaluation, who holds every grant."""
    name = new_name("user")
    mark_synthetic(name, by="command:tests")
    return make_relationship(user=name)


def new(text: str, **fields: Any) -> NewMemory:
    return NewMemory(
        **{
            "kind": "fact",
            "subject": "user",
            "dimension": "life",
            "key": "health",
            "value": "",
            "polarity": 1,
            "statement": PreparedStatement(text, (), None, ""),
            "evidence": (),
            "source_session": None,
            "importance": 0.5,
            "said_at": AT,
            "occurred_at": AT,
            "due_at": None,
            "author": "model",
        }
        | fields
    )


def screen(relationship: RelationshipRef, news: list[NewMemory]) -> Screened:
    with job_scope(relationship):
        return screening.screen(relationship, news)


def check_statement(relationship: RelationshipRef, text: str, **of: Any) -> str | None:
    with job_scope(relationship):
        return screening.check_statement(relationship, text, **of)


def test_it_counts_what_it_drops_by_category(ann: RelationshipRef) -> None:
    plain = new("我养了一只猫")

    screened = screen(
        ann, [new("我有糖尿病"), plain, new("我妈有高血压"), new("我信佛")]
    )

    assert screened.kept == (plain,)
    assert screened.dropped == {"diagnosis": 2, "religion": 1}


def test_it_marks_what_it_keeps(vera: RelationshipRef) -> None:
    screened = screen(vera, [new("我有糖尿病"), new("我养了一只猫")])

    marks = [(one.visibility, one.sensitive_category) for one in screened.kept]
    assert marks == [("sensitive", "diagnosis"), ("normal", "")]
    assert screened.dropped == {}


def test_a_private_note_stays_private_and_is_marked(
    ann: RelationshipRef, vera: RelationshipRef
) -> None:
    note = new("他有糖尿病", kind="note", visibility=Visibility.CREATOR_PRIVATE)

    (kept,) = screen(vera, [note]).kept

    assert (kept.visibility, kept.sensitive_category) == (
        "creator_private",
        "diagnosis",
    )
    assert screen(ann, [note]).kept == ()


@pytest.mark.parametrize("field", ["value", "key"])
def test_it_judges_what_the_text_does_not_say(ann: RelationshipRef, field: str) -> None:
    hidden = new("用户前天从医院拿到了结果", **{field: "确诊糖尿病"})

    assert screen(ann, [hidden]).dropped == {"diagnosis": 1}


def test_a_value_that_the_text_holds_is_judged_within_it(ann: RelationshipRef) -> None:
    film = new("看了一部讲抑郁症的电影", kind="event", value="抑郁症")

    assert screen(ann, [film]).kept == (film,)


def test_a_single_statement_is_refused_or_named(
    ann: RelationshipRef, vera: RelationshipRef
) -> None:
    asked: dict[str, Any] = {"kind": "note", "dimension": "other"}

    assert check_statement(vera, "我有糖尿病", **asked) == "diagnosis"
    assert check_statement(ann, "我有一只猫", **asked) is None
    with pytest.raises(SensitiveWithoutGrant) as caught:
        check_statement(ann, "我有糖尿病", **asked)
    assert "糖尿病" not in str(caught.value)
