"""Errands of the staff over several pages, which more than one walk needs.

>>> change = ask_for_release(officer, persona)  # doctest: +SKIP
"""

from typing import Any

from tests.browser.chat_service import Friend, Persona


def ask_for_release(officer: Any, persona: Persona) -> str:
    """Ask for the region to be shown to a creator's personas; return the address."""
    officer.open("/desk/releases/propose/")
    officer.choose("Field", "Region (region)")
    officer.fill("Purpose", "Speaks of the weather where people live")
    officer.choose("Recipients", "One creator")
    officer.fill("Which creator or persona", persona.creator)
    officer.fill("Impact assessment", "PIA-2026-11")
    officer.fill("Last day", "2099-12-31")
    officer.fill("Why", "The product asked, and it was assessed")
    officer.press("Ask for it")
    officer.expect("Nothing is released until another agrees.")
    return str(officer.page.url)


def place_hold(reviewer: Any, friend: Friend) -> str:
    """Place a hold on a relationship; return its address."""
    reviewer.open_relationship(friend.relationship)
    reviewer.follow("Place a hold")
    reviewer.fill("Reference of the case", "CASE-2026-7")
    reviewer.give_reason("A legal duty", "Ordered by the court in this case")
    reviewer.press("Place the hold")
    reviewer.expect("You placed a hold.")
    return str(reviewer.page.url)


def ask_to_lift(reviewer: Any, hold: str) -> str:
    """Ask for a hold to be lifted; return the address."""
    reviewer.open(hold)
    reviewer.fill("Why", "The court has closed the case")
    reviewer.press("Ask for it to be lifted")
    reviewer.expect("It stays until another agrees.")
    return str(reviewer.page.url)


def ask_for_erasure(officer: Any) -> str:
    """Confirm an erasure on its page; return the address of its run."""
    officer.give_reason("The person asked", "They wrote to us and asked for it")
    officer.fill("Type the code", officer.page.locator(".desk-code").inner_text())
    officer.page.get_by_label("At once").check()
    officer.press("Erase")
    officer.expect("You asked for the erasure.")
    return str(officer.page.url)
