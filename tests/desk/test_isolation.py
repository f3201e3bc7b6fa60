"""Content at the desk stays inside the relationship that was chosen."""

import uuid
from typing import Any

import pytest

from identity.types import RelationshipRef
from memories.models import Memory, Message
from tests.desk.conftest import Person
from tests.desk.rows import CONTENT, list_address
from tests.factories.content import make_row
from tests.factories.identity import make_relationship
from tests.factories.memories import make_message, make_session


@pytest.fixture
def twin(ann: RelationshipRef) -> RelationshipRef:
    """Ann's other relationship."""
    return make_relationship(user=ann.user_external_id)


def make_keys(relationship: RelationshipRef) -> dict[Any, str]:
    """Make a row of each kind of content; return its key by model."""
    return {model: str(make_row(model, relationship).pk) for model in CONTENT}


def page_of(model: Any, key: str, relationship: Any) -> str:
    return f"{list_address(model)}{key}/change/?relationship={relationship}"


def test_it_lists_no_row_of_another_relationship(officer: Person, ann, ben, twin):
    own = make_keys(ann)
    foreign = [make_keys(ben), make_keys(twin)]

    for model in CONTENT:
        address = f"{list_address(model)}?relationship={ann.id}"
        text = officer.browser.get(address).text

        assert own[model] in text
        assert all(keys[model] not in text for keys in foreign)


def test_it_shows_no_row_through_another_relationship(officer: Person, ann, ben, twin):
    keys = make_keys(ann)

    statuses = {
        (model, one.id): officer.browser.get(page_of(model, key, one.id)).status_code
        for model, key in keys.items()
        for one in (ben, twin)
    }

    assert set(statuses.values()) == {404}


def test_it_answers_the_same_for_a_foreign_row_and_an_unknown_one(
    officer: Person, ann, ben
):
    foreign = make_keys(ben)[Memory]
    pages = [page_of(Memory, one, ann.id) for one in (foreign, str(uuid.uuid4()))]

    first, second = (officer.browser.get(page) for page in pages)

    assert first.status_code == second.status_code == 404
    assert first.content == second.content


@pytest.mark.parametrize(
    "choice",
    ["abc", "*", "%2A", "' OR 1=1", str(uuid.UUID(int=0)), str(uuid.UUID(int=77))],
)
def test_it_takes_no_forged_relationship(choice: str, officer: Person, ann):
    key = make_keys(ann)[Memory]

    pages = [
        f"{list_address(Memory)}?relationship={choice}",
        page_of(Memory, key, choice),
    ]

    responses = [officer.browser.get(page) for page in pages]
    assert [one.status_code for one in responses] == [404, 404]
    assert all(key not in one.text for one in responses[:1])


def test_it_takes_no_two_relationships(officer: Person, ann, ben):
    choice = f"?relationship={ann.id}&relationship={ben.id}"

    response = officer.browser.get(list_address(Memory) + choice)

    assert response.status_code == 404


@pytest.mark.parametrize("lookup", ["relationship__id", "relationship__in", "shard"])
def test_it_widens_the_choice_by_no_filter(lookup: str, officer: Person, ann, ben):
    make_keys(ben)

    response = officer.browser.get(
        f"{list_address(Memory)}?relationship={ann.id}&{lookup}={ben.id}"
    )

    assert response.status_code == 400


def test_it_finds_nothing_by_a_foreign_session(officer: Person, ann, ben):
    session = make_session(ben)
    foreign = make_message(ben, "我养了猫", session=session)
    make_message(ann, "今天好累")

    response = officer.browser.get(
        f"{list_address(Message)}?relationship={ann.id}&session={session.pk}"
    )

    assert response.status_code == 200
    assert str(foreign.pk) not in response.text
    assert "There are no rows here." in response.text


def test_it_carries_the_relationship_on_each_link_to_content(officer: Person, ann):
    make_keys(ann)

    for model in CONTENT:
        address = f"{list_address(model)}?relationship={ann.id}"
        text = officer.browser.get(address).text

        rows = text.split(f'href="{list_address(model)}')[1:]
        links = [one.split('"')[0] for one in rows if "/change/" in one.split('"')[0]]
        assert links
        assert all(f"relationship={ann.id}" in one for one in links)
