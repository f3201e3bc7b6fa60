"""Every page that can be reached opens, and text of outsiders does nothing on it.

The desk is crawled once, with a row of each model and one relationship all of whose
names, texts and codes are written to break a page.
"""

from html.parser import HTMLParser
from typing import ClassVar

from django.test import TestCase

from consent.models import PolicyVersion
from identity.models import Relationship
from identity.types import RelationshipRef
from memories.models import Memory
from memsys.desk.pages import PAGES
from memsys.kernel.scope import Purpose, access_scope
from tests.desk.conftest import Person, make_person
from tests.desk.crawling import NOT_FOLLOWED, Visited, crawl
from tests.desk.evil import OVERRIDE, RUNNING, make_evil
from tests.desk.rows import MODELS, list_address, make_shown_rows
from tests.factories.identity import make_relationship

# No link leads there without a row that a form makes first.
UNLINKED = frozenset({"again", "find_words", "recall_effect", "request_letter"})
# Attributes by which unfold's templates drive Alpine and htmx, neither of which is here.
DRIVEN = ("x-show", "x-if", "x-cloak", "x-for", "x-text", "x-on:click", "hx-get")


class Inline(HTMLParser):
    """Collects what the Content-Security-Policy refuses, and dead controls."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "style" or (tag == "script" and "src" not in given):
            self.found.append(f"<{tag}>")
        self.found += [
            f"<{tag} {name}>"
            for name in given
            if name == "style" or name.startswith("on") or name in DRIVEN
        ]
        if (given.get("href") or "").lower().startswith("javascript:"):
            self.found.append(f"<{tag} href>")


def list_inline(page: str) -> list[str]:
    """Return what of a page would not run, once each."""
    parser = Inline()
    parser.feed(page)
    return sorted(set(parser.found))


def list_page_names() -> set[str]:
    """Return the names of all pages that only show something."""
    names = {one.name for one in PAGES if "GET" in one.methods}
    for model in MODELS:
        name = f"{model._meta.app_label}_{model._meta.model_name}"
        names |= {f"{name}_changelist", f"{name}_change"}
    return names


def open_memory(officer: Person, relationship: RelationshipRef) -> str:
    """Open the memory of a relationship for ten minutes; return its page."""
    with access_scope(Purpose.DESK, relationship=relationship.id):
        memory = Memory.objects.get(relationship_id=relationship.id)
    page = f"/desk/reveal/memory/{relationship.id}/{memory.lineage}/"
    reason = {"reason_code": "legal", "reason": "to see that it is harmless"}
    assert officer.browser.post(page, reason).status_code == 302
    return page


class TestEveryPage(TestCase):
    pages: ClassVar[dict[str, Visited]]

    @classmethod
    def setUpTestData(cls) -> None:
        rows = make_shown_rows(make_relationship()).values()
        evil = make_evil()
        officer = make_person(is_staff=True, is_superuser=True)
        further = [page for row in rows for page in (row.list, row.page)]
        version = PolicyVersion.objects.order_by("-pk").values_list("pk", flat=True)[0]
        further += [open_memory(officer, evil), f"/desk/texts/{version}/difference/"]
        cls.pages = crawl(officer.browser, *further)

    def test_each_opens(self) -> None:
        statuses = {page: one.status for page, one in self.pages.items()}

        assert {page: code for page, code in statuses.items() if code != 200} == {}

    def test_none_was_left_out(self) -> None:
        opened = {one.route for one in self.pages.values()}

        assert list_page_names() - opened - UNLINKED - NOT_FOLLOWED == set()

    def test_none_runs_text_of_outsiders(self) -> None:
        """Acceptance row C20."""
        running = [
            (page, one)
            for page, seen in self.pages.items()
            for one in RUNNING
            if one in seen.text
        ]

        assert running == []
        listed = self.pages[list_address(Relationship)].text
        assert "&lt;svg onload=alert(2)&gt;" in listed

    def test_none_lets_text_turn_the_direction(self) -> None:
        """Acceptance row C20."""
        turned = [
            page
            for page, seen in self.pages.items()
            if any(one in seen.text for one in OVERRIDE[::4])
        ]

        assert turned == []
        assert "U+202E" in self.pages[list_address(Relationship)].text

    def test_none_holds_what_the_browser_would_refuse(self) -> None:
        """Acceptance row C20."""
        found = {page: list_inline(seen.text) for page, seen in self.pages.items()}

        assert {page: hits for page, hits in found.items() if hits} == {}
