"""The page of a relationship says first what keeps it and what awaits it."""

import pytest
from django.utils import timezone

from consent import erasures, holds
from tests.desk.conftest import Person, make_colleague
from tests.desk.test_reach import work_for

HELD = "A legal hold keeps all of it"
WAITS = "Its erasure was asked for, and begins on"
BARRED = "Its erasure waits for a legal hold to end."


def read(person: Person, relationship) -> str:
    page = f"/desk/identity/relationship/{relationship.id}/change/"
    return person.browser.get(page).text


def hold(ann, *, whole: bool) -> None:
    holds.place(
        ann.user_id,
        relationship_id=None if whole else ann.id,
        reason_code="legal",
        case_ref="CASE-7",
        by="staff:0",
        now=timezone.now(),
    )


def ask_erasure(ann, *, at_once: bool) -> None:
    erasures.request(
        erasures.Target(ann.user_id, ann.id),
        by="staff:0",
        reason_code="legal",
        at_once=at_once,
        now=timezone.now(),
    )


@pytest.mark.parametrize("whole", [False, True])
def test_it_says_that_a_hold_keeps_it(whole: bool, officer: Person, ann, ben) -> None:
    hold(ann, whole=whole)

    assert HELD in read(officer, ann)
    assert HELD not in read(officer, ben)


def test_it_says_when_its_erasure_begins_or_what_bars_it(
    officer: Person, ann, ben
) -> None:
    ask_erasure(ann, at_once=False)
    hold(ben, whole=False)
    ask_erasure(ben, at_once=True)

    assert WAITS in read(officer, ann)
    assert BARRED in read(officer, ben)


def test_it_leads_support_to_no_hold(ann) -> None:
    support = make_colleague("support")
    hold(ann, whole=True)
    work_for(support, ann)

    text = read(support, ann)

    assert HELD in text
    assert "/desk/consent/legalhold/" not in text
