"""The page of a relationship, and how staff find it."""

import pytest
from django.utils import timezone

from identity.models import CustodyTransfer
from tests.desk.conftest import Person
from tests.desk.rows import CONTENT, list_address
from tests.factories.memories import make_session

LIST = "/desk/identity/relationship/"


def test_it_shows_the_moves_of_custody(officer: Person, ann):
    CustodyTransfer.objects.create(
        relationship_id=ann.id,
        from_custody="creator_pool",
        to_custody="proxy_pool",
        actor="job:custody",
        reason_code="window-passed",
        moved_at=timezone.now(),
    )

    text = officer.browser.get(f"{LIST}{ann.id}/change/").text

    assert "No message of the creator in time" in text
    assert "job:custody" in text


def test_it_shows_the_last_sessions_of_this_relationship_only(
    officer: Person, ann, ben
):
    own, foreign = make_session(ann), make_session(ben)

    text = officer.browser.get(f"{LIST}{ann.id}/change/").text

    assert str(own.pk) in text
    assert str(foreign.pk) not in text


def test_it_leads_to_the_content(officer: Person, ann):
    text = officer.browser.get(f"{LIST}{ann.id}/change/").text

    links = [f'href="{list_address(one)}?relationship={ann.id}"' for one in CONTENT]
    assert [one for one in links if one not in text] == []


@pytest.mark.parametrize("field", ["user_external_id", "id"])
def test_it_is_found_by_its_user_or_id(field: str, officer: Person, ann, ben):
    text = officer.browser.get(LIST, {"q": f" {getattr(ann, field)} "}).text

    assert str(ann.id) in text
    assert str(ben.id) not in text


def test_it_is_found_from_its_user(officer: Person, ann, ben):
    text = officer.browser.get(f"{LIST}?global_user={ann.user_id}").text

    assert str(ann.id) in text
    assert str(ben.id) not in text


def test_it_is_not_found_by_a_part_of_a_name(officer: Person, ann):
    text = officer.browser.get(LIST, {"q": ann.user_external_id[:-1]}).text

    assert str(ann.id) not in text
