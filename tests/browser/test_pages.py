"""Every page of the desk in a real browser: nothing cut, nothing out of reach.

The pages are those that links lead to, with long names, emoji, two directions of
writing and text that is written to run.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from tests.browser.conftest import WebServer
from tests.desk.conftest import make_person
from tests.desk.crawling import crawl
from tests.desk.evil import LONG, make_evil
from tests.desk.rows import make_shown_rows
from tests.factories.identity import make_relationship

pytestmark = [pytest.mark.browser, pytest.mark.slow]

WIDTHS = (1280, 800)
FAULTS = (Path(__file__).parent / "faults.js").read_text(encoding="utf-8")
# What can be reached by the Tab key, and what the focus looks like where it is.
REACHABLE = """() => {
  const all = [...document.querySelectorAll(
    "a[href], button, input:not([type=hidden]), select, textarea, summary")];
  const seen = all.filter((one) => one.checkVisibility({visibilityProperty: true})
    && one.getBoundingClientRect().width > 1 && !one.disabled && one.type !== "radio");
  seen.forEach((one, at) => { one.dataset.place = String(at); });
  return seen.length;
}"""
FOCUS = """() => {
  const one = document.activeElement;
  if (!one || one === document.body) return null;
  const style = getComputedStyle(one);
  const isMarked = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
  return [one.dataset.place ?? "", isMarked, one.outerHTML.slice(0, 120)];
}"""
BY_KEYBOARD = (
    "/desk/",
    "/desk/find/",
    "/desk/roles/",
    "/desk/sessions/",
    "/desk/identity/relationship/",
    "/desk/consent/subjectrequest/",
)


@pytest.fixture(scope="module")
def pages(web: WebServer) -> list[str]:
    """The addresses of all pages, one of each kind."""
    rows = make_shown_rows(make_relationship()).values()
    make_evil()
    make_evil(LONG[:100])
    further = [page for row in rows for page in (row.list, row.page)]
    browser = make_person(is_staff=True, is_superuser=True).browser
    return list(crawl(browser, *further))


def note(complaints: list[str], message: Any) -> None:
    """Keep what a page told the console, if it is a complaint."""
    if message.type in ("error", "warning"):
        complaints.append(message.text)


@pytest.fixture(scope="module")
def keeper(office_of_file: Any) -> Any:
    """A colleague who may see every page, and the complaints of their browser."""
    colleague = office_of_file.hire("")
    User.objects.filter(username=colleague.name).update(is_superuser=True)
    colleague.complaints = []
    colleague.page.on("console", lambda one: note(colleague.complaints, one))
    colleague.page.on("pageerror", lambda one: colleague.complaints.append(str(one)))
    colleague.sign_in()
    return colleague


@dataclass(frozen=True)
class Visit:
    """What is wrong with a page in a window, and what the browser said of it."""

    page: str
    width: int
    faults: list[str]
    complaints: list[str]


@pytest.fixture(scope="module")
def visits(keeper: Any, pages: list[str]) -> list[Visit]:
    """Every page, looked at in a wide and in a narrow window."""
    found = []
    for page in pages:
        keeper.complaints.clear()
        keeper.open(page)
        for width in WIDTHS:
            keeper.page.set_viewport_size({"width": width, "height": 900})
            faults = keeper.page.evaluate(FAULTS)
            found.append(Visit(page, width, faults, [*keeper.complaints]))
    return found


@pytest.mark.parametrize("width", WIDTHS)
def test_it_cuts_nothing_and_names_everything(width: int, visits: list[Visit]):
    faults = {one.page: one.faults for one in visits if one.width == width}

    assert {page: found for page, found in faults.items() if found} == {}


def test_the_browser_has_nothing_to_complain_of(visits: list[Visit]):
    """Acceptance row C20."""
    told = {one.page: one.complaints for one in visits}

    assert {page: found for page, found in told.items() if found} == {}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("page", BY_KEYBOARD)
def test_the_tab_key_reaches_everything_and_shows_where_it_is(
    page: str, width: int, keeper, pages: list[str]
):
    keeper.page.set_viewport_size({"width": width, "height": 900})
    keeper.open(page)
    places = {str(at) for at in range(keeper.page.evaluate(REACHABLE))}
    reached, unmarked = set(), []

    for _ in range(len(places) + 5):
        keeper.page.keyboard.press("Tab")
        if (focus := keeper.page.evaluate(FOCUS)) is None:
            continue
        place, is_marked, tag = focus
        reached.add(place)
        if not is_marked:
            unmarked.append(tag)

    assert places - reached == set()
    assert unmarked == []


def test_the_first_key_leads_past_the_menu(keeper, pages: list[str]):
    keeper.page.set_viewport_size({"width": 1280, "height": 900})
    keeper.open("/desk/find/")

    keeper.page.keyboard.press("Tab")
    keeper.page.keyboard.press("Enter")
    keeper.page.keyboard.press("Tab")

    inside = "() => document.getElementById('main').contains(document.activeElement)"
    assert keeper.page.evaluate(inside)


def test_the_menu_of_a_narrow_window_opens_and_closes_by_keys(keeper):
    keeper.page.set_viewport_size({"width": 800, "height": 900})
    keeper.open("/desk/find/")
    menu = keeper.page.locator("#nav-sidebar")
    assert not menu.is_visible()

    keeper.page.get_by_role("button", name="Open the menu").focus()
    keeper.page.keyboard.press("Enter")
    assert menu.is_visible()

    keeper.page.keyboard.press("Escape")
    assert not menu.is_visible()


def test_the_colours_stay_as_they_were_chosen(keeper):
    keeper.page.set_viewport_size({"width": 1280, "height": 900})
    keeper.open("/desk/")
    keeper.page.locator(".desk-person").click()
    keeper.page.get_by_role("button", name="Dark").click()

    keeper.open("/desk/find/")

    assert keeper.page.evaluate("document.documentElement.className") == "dark"
    keeper.page.evaluate("localStorage.removeItem('desk-theme')")
