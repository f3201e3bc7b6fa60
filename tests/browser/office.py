"""The staff in front of their browsers: who they are, and what they do with a page.

Owns the words of the pages that a walk needs, in one place. What is expected of a page
is each test's own.

>>> officer = office.find("compliance_officer")  # doctest: +SKIP
>>> officer.open("/desk/find/")  # doctest: +SKIP
"""

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID
from zipfile import ZipFile

from django.contrib.auth.models import Group, User
from django_otp.oath import TOTP
from django_otp.plugins.otp_totp.models import TOTPDevice
from playwright.sync_api import Browser, Locator, Page, expect

from consent import requests
from identity.resolution import get_relationship
from tests.factories.identity import new_name
from tests.factories.requests import ask_for

SIZE = {"width": 1280, "height": 900}
WAIT_MS = 15_000
MOST_TABS = 120


class Colleague:
    """A member of staff: an account with both factors, and a browser."""

    def __init__(self, browser: Browser, url: str, role: str, **screen: Any) -> None:
        self.name = new_name(role.partition("_")[0])[:20]
        self.password, self._key = secrets.token_urlsafe(16), secrets.token_bytes(20)
        self._enrol(role)
        self.context = browser.new_context(
            base_url=url, locale="en-US", **{"viewport": SIZE, **screen}
        )
        self.context.set_default_timeout(WAIT_MS)
        self.outside: list[str] = []
        self.context.on("request", lambda one: self._note(one.url, url))
        self.page: Page = self.context.new_page()

    def _enrol(self, role: str) -> None:
        user = User(username=self.name, is_staff=True)
        user.set_password(self.password)
        user.save()
        user.groups.set(Group.objects.filter(name=role))
        TOTPDevice.objects.create(user=user, key=self._key.hex(), confirmed=True)
        self.number = user.pk

    def _note(self, address: str, own: str) -> None:
        if not address.startswith((f"{own}/", "data:", "blob:")):
            self.outside.append(address)

    @property
    def code(self) -> str:
        """The code that the device shows now."""
        clock = TOTP(self._key)
        clock.time = time.time()
        return f"{clock.token():06d}"

    def sign_in(self) -> None:
        """Give both factors."""
        self.open("/desk/")
        self.fill("Username", self.name)
        self.fill("Password", self.password)
        self.page.keyboard.press("Enter")
        self.fill("Code", self.code)
        self.press("Go on")
        self.expect_title("Start page")

    def open(self, path: str) -> None:
        self.page.goto(path)

    def open_relationship(self, relationship: str) -> None:
        self.open(f"/desk/identity/relationship/{relationship}/change/")

    def fill(self, label: str, text: str) -> None:
        self.page.get_by_label(label).first.fill(text)

    def choose(self, label: str, option: str) -> None:
        self.page.get_by_label(label, exact=True).select_option(label=option)

    def press(self, button: str) -> None:
        self.page.get_by_role("button", name=button, exact=True).click()

    def follow(self, link: str, *, within: Locator | None = None) -> None:
        place = within or self.page
        place.get_by_role("link", name=link, exact=True).first.click()

    @contextmanager
    def beside(self) -> Iterator[None]:
        """Go on in the tab that a link opens."""
        with self.context.expect_page() as opened:
            yield
        self.page = opened.value

    def find_words(self, where: str, name: str, words: str) -> None:
        """Look for exactly these words in a place."""
        self.open("/desk/find/words/")
        self.look_for(where, name, words)

    def look_for(self, where: str, name: str, words: str) -> None:
        """Fill in the search that is open."""
        self.choose("Look in", where)
        self.fill("Which one", name)
        self.fill("Words", words)
        self.choose("Find", "Exactly this phrase")
        self.page.locator("form", has=self.page.get_by_label("Words")).get_by_role(
            "button", name="Search"
        ).click()

    def take_zip(self, button: str, path: Path) -> dict[str, bytes]:
        """Press a button that answers with a ZIP; return its files by name."""
        with self.page.expect_download() as taken:
            self.press(button)
        taken.value.save_as(path)
        with ZipFile(path) as packed:
            return {name: packed.read(name) for name in packed.namelist()}

    def give_reason(self, reason: str, words: str) -> None:
        self.choose("Reason", reason)
        self.fill("In your words", words)

    def type_into(self, label: str, text: str, *, enter: bool = False) -> None:
        """Go to a field with the Tab key alone, and type."""
        self._tab_to(self.page.get_by_label(label).first)
        self.page.keyboard.type(text)
        if enter:
            self.page.keyboard.press("Enter")

    def enter(self, role: Any, name: str) -> None:
        """Go to a link or a button with the Tab key alone, and press Enter."""
        self._tab_to(self.page.get_by_role(role, name=name, exact=True).last)
        self.page.keyboard.press("Enter")

    def _tab_to(self, wanted: Locator) -> None:
        expect(wanted).to_be_attached()
        for _ in range(MOST_TABS):
            if wanted.evaluate("one => one === document.activeElement"):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"The Tab key does not lead to {wanted}.")

    @property
    def width(self) -> int:
        """How wide the page is, with what sticks out."""
        self.page.wait_for_load_state()
        return int(self.page.evaluate("document.documentElement.scrollWidth"))

    def take_on(self, relationship: str) -> None:
        """Have a request of this person's assigned to oneself."""
        asked = ask_for(get_relationship(UUID(relationship)))
        requests.assign(asked.pk, to=self.number, by=f"staff:{self.number}")

    @property
    def text(self) -> str:
        """All that the page says."""
        return self.page.locator("body").inner_text()

    def expect(self, text: str) -> None:
        """Wait until the page says something."""
        expect(self.page.get_by_text(text).first).to_be_visible()

    def expect_title(self, title: str) -> None:
        expect(self.page).to_have_title(f"{title} | memsys")

    def row(self, *parts: str) -> Locator:
        """Return the first row of a list, a table or the timeline that says all this."""
        rows = self.page.locator("tr, li")
        for part in parts:
            rows = rows.filter(has_text=part)
        return rows.first

    def expect_row(self, *parts: str) -> None:
        """Wait until a row says all of this."""
        expect(self.row(*parts)).to_be_visible()

    def sees_button(self, name: str) -> bool:
        return self.page.get_by_role("button", name=name, exact=True).count() > 0

    def links(self, name: str) -> int:
        """Return how many links of this name there are."""
        return self.page.get_by_role("link", name=name, exact=True).count()

    def status_of(self, path: str) -> int:
        """Return how a page answers this person's browser."""
        return int(self.context.request.get(path).status)

    def value(self, label: str) -> str:
        """Return what stands in a field."""
        return self.page.get_by_label(label).first.input_value()


class Office:
    """The colleagues of one file of tests; each signs in once."""

    def __init__(self, browser: Browser, url: str) -> None:
        self._browser, self._url = browser, url
        self.colleagues: dict[str, Colleague] = {}

    def find(self, role: str) -> Colleague:
        """Return the colleague of a role, signed in."""
        if role not in self.colleagues:
            self.hire(role)
            self.colleagues[role].sign_in()
        return self.colleagues[role]

    def hire(self, role: str, **screen: Any) -> Colleague:
        """Make a colleague who has not signed in, with a screen of their own."""
        key = role if role not in self.colleagues else new_name(role)
        self.colleagues[key] = Colleague(self._browser, self._url, role, **screen)
        return self.colleagues[key]

    def photograph(self, folder: Path) -> list[Path]:
        """Keep what everybody sees now."""
        paths = []
        for number, one in enumerate(self.colleagues.values()):
            path = folder / f"{number}-{one.name}.png"
            one.page.screenshot(path=path, full_page=True)
            paths.append(path)
        return paths

    def close(self) -> list[str]:
        """Close all browsers; return the addresses outside that they asked for."""
        for one in self.colleagues.values():
            one.context.close()
        return [address for one in self.colleagues.values() for address in one.outside]
