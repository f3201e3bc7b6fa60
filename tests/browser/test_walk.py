"""A walk through the desk in a real browser, as the people who answer to a regulator.

Officer, reviewer, auditor, support and operator lead sign in with both factors; the
chat platform speaks through the API. Each test is one errand from end to end.
"""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from tests.browser.chat_service import ChatService, Friend
from tests.browser.errands import (
    ask_for_erasure,
    ask_for_release,
    ask_to_lift,
    place_hold,
)
from tests.browser.jobs import Jobs

pytestmark = [pytest.mark.browser, pytest.mark.slow]

OFFICER, REVIEWER = "compliance_officer", "legal_reviewer"
REGION = "release:region"


def tell_secret(chat: ChatService, jobs: Jobs, secret: str) -> Friend:
    """Let a new user say something that is remembered of nobody else."""
    friend = chat.meet(chat.make_persona())
    chat.say(friend, f"我对{secret}过敏", "我养了一只猫，叫团子")
    jobs.run_queued()
    return friend


def released(chat: ChatService, friend: Friend) -> list[str]:
    """Return the values released into the next context; each is in its prompt."""
    context = chat.ask_context(friend, "天气")
    values = [one["value"] for one in context["released"]]
    assert ("浙江杭州" in context["prompt"]) == ("浙江杭州" in values)
    return values


def hashes_of(files: dict[str, bytes]) -> dict[str, str]:
    return {name: sha256(content).hexdigest() for name, content in files.items()}


def test_a_memory_is_found_by_a_phrase_opened_with_a_reason_and_that_is_seen(
    office: Any, chat: ChatService, jobs: Jobs
) -> None:
    friend = tell_secret(chat, jobs, "暗号海棠")
    officer, auditor = office.find(OFFICER), office.find("auditor")

    officer.find_words("One persona", friend.persona.address, "暗号海棠")
    with officer.beside():
        officer.follow("Open, with a reason", within=officer.row("Memory"))
    officer.expect("Your name, the time and this reason go into the audit")
    assert "暗号海棠" not in officer.text
    officer.give_reason("The person asked", "They want to know what is kept")
    officer.press("Open it")

    officer.expect("我对暗号海棠过敏")
    officer.follow("Who saw it")
    officer.expect_row(officer.name, "The person asked")
    officer.follow("Back to the relationship")
    officer.expect_row("A memory was opened", officer.name)
    auditor.open_relationship(friend.relationship)
    auditor.expect_row("A memory was opened", officer.name)
    auditor.follow("Who saw it", within=auditor.row("A memory was opened"))
    auditor.expect_row(officer.name, "The person asked")


def test_a_field_is_shown_where_two_officers_and_the_user_want_it_until_withdrawn(
    office: Any, chat: ChatService
) -> None:
    officer, reviewer = office.find(OFFICER), office.find(REVIEWER)
    persona = chat.make_persona()
    ann, ben = chat.meet(persona), chat.meet(persona)
    elsewhere = chat.meet(chat.make_persona(persona.creator), user=ann.user)
    for one in (ann, ben):
        chat.tell_field(one, "region", "浙江杭州")

    change = ask_for_release(officer, persona)
    assert not officer.sees_button("Approve")
    reviewer.open(change)
    assert released(chat, ann) == []
    reviewer.press("Approve")
    reviewer.expect("approved it, and it was carried out once")
    assert released(chat, ann) == []
    chat.grant(ann, REGION)

    assert released(chat, ann) == ["浙江杭州"]
    assert released(chat, elsewhere) == released(chat, ben) == []
    officer.open_relationship(ann.relationship)
    officer.expect_row("Released into this relationship: region")
    chat.withdraw(ann, REGION)
    assert released(chat, ann) == []
    assert chat.ask_context(ann, "天气")["withheld"] == ["consent-missing"]


def test_a_hold_bars_an_erasure_until_two_persons_lift_it_and_then_nothing_is_left(
    office: Any, chat: ChatService, jobs: Jobs
) -> None:
    friend = tell_secret(chat, jobs, "暗号茉莉")
    officer, reviewer = office.find(OFFICER), office.find(REVIEWER)
    hold = place_hold(reviewer, friend)

    officer.open_relationship(friend.relationship)
    officer.follow("Erase")
    officer.expect("A legal hold keeps this")
    officer.expect("CASE-2026-7: A legal duty")
    run = ask_for_erasure(officer)
    jobs.run_queued()
    officer.open(run)
    officer.expect("A legal hold bars it.")
    with pytest.raises(Exception, match="Found in"):
        call_command("erasure_scan", "暗号茉莉")
    change = ask_to_lift(reviewer, hold)
    assert not reviewer.sees_button("Approve")
    officer.open(change)
    officer.press("Approve")
    officer.expect("approved it, and it was carried out once")
    jobs.run("consent.sweep_erasures")

    officer.open(run)
    officer.expect("It is done.")
    officer.expect("Memories: 2")
    call_command("erasure_scan", "暗号茉莉")


def test_an_export_is_made_and_taken_once_by_who_asked(
    office: Any, chat: ChatService, jobs: Jobs, tmp_path: Path
) -> None:
    friend = tell_secret(chat, jobs, "暗号杜鹃")
    officer, reviewer = office.find(OFFICER), office.find(REVIEWER)

    officer.open_relationship(friend.relationship)
    officer.follow("Export")
    officer.give_reason("The person asked", "They wrote to us and asked for it")
    officer.press("Make the file")
    officer.expect("You asked for it.")
    jobs.run_queued()
    reviewer.open(officer.page.url)
    assert not reviewer.sees_button("Take the file")
    officer.open(officer.page.url)
    files = officer.take_zip("Take the file", tmp_path / "export.zip")

    told = json.loads(files.pop("manifest.json"))["files"]
    assert {one["path"]: one["sha256"] for one in told} == hashes_of(files)
    holding = [name for name, one in files.items() if "暗号杜鹃".encode() in one]
    assert {Path(name).suffix for name in holding} == {".html", ".json", ".csv"}
    officer.open(officer.page.url)
    officer.expect("It goes once")
    officer.open_relationship(friend.relationship)
    officer.expect_row("An export was asked for", officer.name)


def test_an_erasure_wants_its_code_typed(office: Any, chat: ChatService) -> None:
    friend, officer = chat.meet(chat.make_persona()), office.find(OFFICER)

    officer.open(f"/desk/relationships/{friend.relationship}/erase/")
    officer.give_reason("The person asked", "They wrote to us and asked for it")
    officer.fill("Type the code", "something")
    officer.press("Erase")

    officer.expect("This is not the code shown above.")
    assert officer.value("In your words") == "They wrote to us and asked for it"
    officer.expect(friend.user)


def test_support_opens_what_the_people_asked_whose_requests_they_work_on(
    office: Any, chat: ChatService, jobs: Jobs
) -> None:
    friend, support = tell_secret(chat, jobs, "暗号丁香"), office.find("support")
    here = f"/desk/identity/relationship/{friend.relationship}/change/"
    before = support.status_of(here)

    support.take_on(friend.relationship)
    support.open(here)
    support.follow("Open", within=support.row("Remembered: Taboo"))
    support.give_reason("The person asked", "They want to know what is kept")
    support.press("Open it")

    support.expect("我对暗号丁香过敏")
    assert before == 404
    assert support.status_of("/desk/find/words/") == 403


def test_an_operator_lead_sees_that_the_proxy_pool_serves_someone_and_no_word(
    office: Any, chat: ChatService, jobs: Jobs
) -> None:
    friend, lead = tell_secret(chat, jobs, "暗号牡丹"), office.find("operator_lead")
    here = f"/desk/identity/relationship/{friend.relationship}/change/"
    before = lead.status_of(here)

    chat.move_custody(friend, "proxy_pool")
    lead.open(here)

    lead.expect_row("Remembered: Taboo")
    assert "暗号牡丹" not in lead.text
    assert before == 404
    assert lead.status_of("/desk/find/words/") == 403
    assert lead.links("Open") == lead.links("Audit entry") == lead.links("Erase") == 0


def test_an_auditor_sees_that_something_was_said_and_never_what(
    office: Any, chat: ChatService, jobs: Jobs
) -> None:
    friend, auditor = tell_secret(chat, jobs, "暗号芍药"), office.find("auditor")

    auditor.open_relationship(friend.relationship)
    auditor.expect_row("Remembered: Taboo")
    auditor.open(f"/desk/memories/memory/?relationship={friend.relationship}")

    assert "暗号芍药" not in auditor.text
    assert auditor.links("Erase") == auditor.links("Place a hold") == 0
    for path in ("find/words/", f"relationships/{friend.relationship}/erase/"):
        assert auditor.status_of(f"/desk/{path}") == 403


def test_a_memory_is_opened_by_keyboard_alone(
    office: Any, chat: ChatService, jobs: Jobs
) -> None:
    friend, officer = tell_secret(chat, jobs, "暗号桂花"), office.hire(OFFICER)

    officer.open("/desk/find/words/")
    officer.type_into("Username", officer.name)
    officer.type_into("Password", officer.password, enter=True)
    officer.type_into("Code", officer.code, enter=True)
    officer.enter("link", "Skip to the content")
    officer.type_into("Look in", "One persona")
    officer.type_into("Which one", friend.persona.address)
    officer.type_into("Words", "暗号桂花")
    officer.enter("button", "Search")
    with officer.beside():
        officer.enter("link", "Open, with a reason")
    officer.type_into("Reason", "A legal duty")
    officer.type_into("In your words", "Asked for by the court")
    officer.enter("button", "Open it")

    officer.expect("我对暗号桂花过敏")


def test_a_memory_is_opened_on_a_narrow_screen(
    office: Any, chat: ChatService, jobs: Jobs
) -> None:
    friend = tell_secret(chat, jobs, "暗号茶花")
    officer = office.hire(OFFICER, viewport={"width": 800, "height": 900})

    officer.sign_in()
    officer.press("Open the menu")
    officer.follow("Search")
    officer.look_for("One persona", friend.persona.address, "暗号茶花")
    widths = [officer.width]
    with officer.beside():
        officer.follow("Open, with a reason", within=officer.row("Memory"))
    officer.give_reason("The person asked", "They want to know what is kept")
    widths.append(officer.width)
    officer.press("Open it")

    officer.expect("我对暗号茶花过敏")
    assert [*widths, officer.width] == [800, 800, 800]
