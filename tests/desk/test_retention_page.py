"""Times of keeping at the desk: the list, what goes tonight, a shorter time."""

from datetime import UTC, datetime

import pytest

from consent import retention
from consent.models import ChangeRequest, RetentionOverride
from consent.tasks import sweep_retention
from identity.models import Relationship
from memsys.desk.views.retention import next_night
from tests.desk.conftest import Person, make_colleague
from tests.factories.holds import make_hold
from tests.factories.retention import make_aged, texts_of

PAGE = "/desk/retention/"


@pytest.fixture
def compliance(db: None) -> Person:
    return make_colleague("compliance_officer")


@pytest.fixture
def legal(db: None) -> Person:
    return make_colleague("legal_reviewer")


@pytest.fixture
def nothing_due(db: None) -> None:
    Relationship.objects.update(retention_at=None)


def propose(person: Person, **told: object) -> str:
    given = {"data_class": "raw_message", "days": 14, "reason": "nobody needs them"}
    return person.browser.post(f"{PAGE}propose/", given | told, follow=True).text


def test_it_lists_every_class_with_its_bounds_and_why(compliance: Person):
    text = compliance.browser.get(PAGE).text

    for one in retention.list_classes():
        assert one.label in text
    assert "GenAI measures, article 11" in text
    assert "Ask for a shorter time" in text


def test_it_is_in_chinese_for_who_reads_chinese(compliance: Person):
    text = compliance.browser.get(PAGE, headers={"accept-language": "zh-hans"}).text

    assert "消息原文" in text


def test_who_cannot_ask_sees_the_list_alone(legal: Person):
    text = legal.browser.get(PAGE).text

    assert "Messages, word for word" in text
    assert "Ask for a shorter time" not in text


def test_two_persons_make_a_time_shorter(compliance: Person, legal: Person):
    """Acceptance: shortening a time of keeping takes two persons."""
    asked = propose(compliance)
    change = ChangeRequest.objects.get(kind="retention_shortening")
    approve = f"/desk/changes/{change.pk}/approve/"
    told = {"payload_hash": change.payload_hash, "note": ""}

    compliance.browser.post(approve, told)
    assert not RetentionOverride.objects.exists()
    legal.browser.post(approve, told)

    assert "You asked for it" in asked
    assert RetentionOverride.objects.get().days == 14
    assert str(change.pk) in compliance.browser.get(PAGE).text


@pytest.mark.parametrize(
    "told",
    [
        {"days": 0}, {"days": 30}, {"days": "x"}, {"data_class": "subject_request"},
        {"data_class": "export"}, {"reason": "short"},
    ],
    ids=str,
)  # fmt: skip
def test_it_asks_for_nothing_out_of_bounds(told: dict[str, object], compliance: Person):
    propose(compliance, **told)

    assert not ChangeRequest.objects.exists()


def test_it_tells_what_goes_tonight_and_what_stays(compliance: Person, nothing_due):
    ann, ben = make_aged(days=200), make_aged(days=200)
    make_hold(ben.user_id)

    text = compliance.browser.get(f"{PAGE}tonight/").text

    assert "2 relationships are due then" in text
    assert "A legal hold keeps it" in text
    assert texts_of(ann) == ["喜欢喝花生露"]


def test_it_tells_how_the_last_nights_went(compliance: Person, nothing_due):
    make_aged(days=200)
    sweep_retention()

    text = compliance.browser.get(PAGE).text

    assert "Messages, word for word: 1" in text


@pytest.mark.parametrize(
    ("now", "night"),
    [
        (
            datetime(2026, 12, 1, 16, 30, tzinfo=UTC),
            datetime(2026, 12, 1, 17, tzinfo=UTC),
        ),
        (
            datetime(2026, 12, 1, 17, 0, tzinfo=UTC),
            datetime(2026, 12, 2, 17, tzinfo=UTC),
        ),
    ],
    ids=["before", "at"],
)
def test_the_night_begins_at_one_in_china(now: datetime, night: datetime):
    assert next_night(now) == night
