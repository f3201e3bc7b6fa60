"""One person asks for the erasure of several people, another agrees, a job does it."""

from collections.abc import Sequence

import pytest

from consent.models import ChangeRequest, ErasureRun
from consent.tasks import carry_out_change
from identity.types import RelationshipRef
from tests.desk.conftest import Person, make_colleague
from tests.factories.identity import make_relationship

pytestmark = pytest.mark.django_db
ADDRESS = "/desk/erasures/several/"


@pytest.fixture
def compliance() -> Person:
    return make_colleague("compliance_officer")


@pytest.fixture
def legal() -> Person:
    return make_colleague("legal_reviewer")


@pytest.fixture
def people() -> list[RelationshipRef]:
    return [make_relationship() for _ in range(3)]


def ask(
    person: Person, names: Sequence[str], *, count: int | None = None
) -> ChangeRequest | None:
    """Ask for the erasure of these users; return the change, if there is one."""
    form = {
        "users": "\n".join(names),
        "count": len(names) if count is None else count,
        "reason_code": "legal",
        "reason": "the contract has ended",
    }
    person.browser.post(ADDRESS, form)
    return ChangeRequest.objects.filter(requested_by=person.user.pk).first()


def names_of(people: list[RelationshipRef]) -> list[str]:
    return [one.user_external_id for one in people]


def page_of(change: ChangeRequest) -> str:
    return f"/desk/consent/changerequest/{change.pk}/change/"


def test_it_erases_nobody_until_another_person_agrees(compliance, people):
    change = ask(compliance, names_of(people))

    assert change is not None
    assert change.kind == "bulk_erasure"
    users = [one.user_id for one in people]
    assert not ErasureRun.objects.filter(global_user_id__in=users).exists()


def test_it_shows_how_far_it_is_and_who_was_refused(compliance, legal, people):
    change = ask(compliance, names_of(people))
    assert change is not None
    legal.browser.post(
        f"/desk/changes/{change.pk}/approve/", {"payload_hash": change.payload_hash}
    )
    carry_out_change(change_id=str(change.pk))

    text = legal.browser.get(page_of(change)).text

    assert "3 of 3" in text
    assert '<progress class="desk-progress" max="3" value="3"' in text
    assert ErasureRun.objects.filter(
        global_user_id__in=[one.user_id for one in people]
    ).count() == len(people)


def test_it_takes_no_list_whose_number_is_another(compliance, people):
    assert ask(compliance, names_of(people), count=2) is None


def test_it_takes_no_list_with_somebody_unknown(compliance, people):
    assert ask(compliance, [*names_of(people), "nobody-of-this-name"]) is None


def test_it_is_closed_to_whoever_may_erase_one_person_only():
    support = make_colleague("support")

    assert support.browser.get(ADDRESS).status_code == 403
