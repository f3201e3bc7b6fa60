"""Lists are read page by page, each page with one row more than it shows."""

from tests.desk.conftest import Person
from tests.factories.memories import make_message

PER_PAGE = 50
ADDRESS = "/desk/memories/message/"


def test_it_leads_to_the_next_page_when_there_is_one(officer: Person, ann):
    keys = {str(make_message(ann).pk) for _ in range(PER_PAGE + 1)}
    choice = f"?relationship={ann.id}"

    first = officer.browser.get(ADDRESS + choice).text
    second = officer.browser.get(f"{ADDRESS}{choice}&p=2").text

    assert "Rows 1 to 50" in first
    assert f"?p=2&amp;relationship={ann.id}" in first
    assert "Rows 51 to 51" in second
    assert f"?p=1&amp;relationship={ann.id}" in second
    assert all((key in first) != (key in second) for key in keys)


def test_it_leads_nowhere_from_the_only_page(officer: Person, ann):
    make_message(ann)

    text = officer.browser.get(f"{ADDRESS}?relationship={ann.id}").text

    assert "Rows 1 to 1" in text
    assert "p=2" not in text
