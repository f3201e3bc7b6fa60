"""The desk in Chinese: every page without a word of English, for each role.

What is left in Latin letters are codes, ids and names, which are data.
"""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from consent.models import (
    ChangeRequest,
    ErasureRun,
    ExportRun,
    LegalHold,
    PolicyVersion,
    ReleasePolicy,
    SubjectRequest,
)
from identity.models import GlobalUser, Relationship
from memsys.api.models import ServiceKey
from memsys.desk.models import DeskSession
from memsys.desk.pages import PAGES, DeskPage
from memsys.desk.roles import ROLES
from recall.models import RecallPolicy
from tests.desk.conftest import Person, make_colleague, make_person
from tests.desk.rows import Shown, list_address
from tests.desk.test_timeline import make_all
from tests.factories.memories import make_memory
from tests.visible import read_visible

CHINESE = {"accept-language": "zh-CN,zh;q=0.9"}
# A word is a code when something else than letters is in it, or only capitals.
SHAPE = r"[^\s，。：；？！（）、“”|]*"
CODE = re.compile(rf"`[^`]*`|{SHAPE}[0-9_:./@*<>-]{SHAPE}")
HANZI = re.compile("[\u4e00-\u9fff]")
# What people wrote, in the rows that are shown.
OWN_CHINESE = ("月影", "这里写明理由", "养了")
WORD = re.compile(r"[A-Za-z]{2,}")
# The product, names of chains, fields, formats, groups and of what the tests made.
DATA = {
    "memsys", "desk", "governance", "keys", "rows", "tests", "tested", "default",
    "region", "locale", "label", "json", "csv", "html", "jsonl", "index", "manifest",
    "hold", "staff", "support", "auditor", "iphone", "mac",
    *(role.name for role in ROLES),
}  # fmt: skip


def list_english(page: str) -> list[str]:
    """Return the texts of a page in which a word of English is left."""
    known = DATA | {
        one.lower() for one in ServiceKey.objects.values_list("prefix", flat=True)
    }
    return [text for text in read_visible(page) if _is_english(text, known)]


def _is_english(text: str, known: set[str]) -> bool:
    words = WORD.findall(CODE.sub(" ", text))
    return any(not word.isupper() and word.lower() not in known for word in words)


def in_chinese(person: Person) -> Client:
    """Return the browser of a person, who now reads Chinese."""
    person.browser.defaults["HTTP_ACCEPT_LANGUAGE"] = CHINESE["accept-language"]
    return person.browser


def find_english(browser: Client, addresses: Any) -> dict[str, list[str]]:
    """Return the English of each page, by its address; refusals are pages too."""
    found = {}
    for address in addresses:
        response = browser.get(address)
        is_page = response.headers.get("Content-Type", "").startswith("text/html")
        if is_page and (english := list_english(response.text)):
            found[address] = english
    return found


@pytest.fixture
def shown(shown_rows: dict[Any, Shown], ann) -> dict[Any, Shown]:
    """A row of each model, and an event of each kind in one relationship."""
    make_all(ann)
    return shown_rows


def list_pages(shown: dict[Any, Shown], ann: Any) -> Iterator[tuple[DeskPage, str]]:
    """Yield each page of the desk that is no list, with an address of it."""
    memory = make_memory(ann, "养了猫").lineage
    session = DeskSession.objects.create(
        user_id=User.objects.latest("pk").pk,
        session_key="k",
        started_at=timezone.now(),
        seen_at=timezone.now(),
    )
    keys = {
        "relationship_id": ann.id,
        "user_id": ann.user_id,
        "memory_id": memory,
        "item_id": memory,
        "kind": "memory",
        "document": "release",
        "chain": "tests",
        "session_id": session.pk,
        "change_id": shown[ChangeRequest].key,
        "hold_id": shown[LegalHold].key,
        "request_id": shown[SubjectRequest].key,
        "version_id": shown[PolicyVersion].key,
    }
    for one in PAGES:
        recall = "recall" in one.name
        erasure = "eras" in one.name
        own = {
            "policy_id": shown[RecallPolicy if recall else ReleasePolicy].key,
            "run_id": shown[ErasureRun if erasure else ExportRun].key,
        }
        names = re.findall(r"<\w+:(\w+)>", one.route)
        told = {name: (keys | own)[name] for name in names}
        yield one, reverse(f"admin:{one.name}", kwargs=told)


def test_it_shows_no_english_on_any_page_of_rows(officer: Person, shown):
    addresses = [
        address
        for model, row in shown.items()
        for address in {list_address(model), row.list, row.page}
    ]

    assert find_english(in_chinese(officer), addresses) == {}


def test_it_shows_no_english_on_any_other_page(officer: Person, shown, ann):
    addresses = [
        "/desk/",
        f"/desk/find/?q={ann.user_external_id}",
        "/desk/search/?s=a",
        "/desk/nowhere/",
        "/desk/auth/user/add/",
        f"/desk/auth/user/{officer.user.pk}/password/",
        "/desk/password_change/",
        *(at for one, at in list_pages(shown, ann) if "GET" in one.methods),
    ]

    assert find_english(in_chinese(officer), addresses) == {}


def test_it_refuses_what_is_empty_in_chinese(officer: Person, shown, ann):
    browser = in_chinese(officer)
    found = {}
    for one, address in list_pages(shown, ann):
        if "POST" in one.methods:
            answer = browser.post(address, {}, follow=True)
            found[one.name] = list_english(answer.text)

    assert {name: english for name, english in found.items() if english} == {}


def test_it_shows_no_chinese_to_who_reads_english(officer: Person, shown, ann):
    addresses = [row.page for row in shown.values()]
    addresses += [at for one, at in list_pages(shown, ann) if "GET" in one.methods]
    found = {}
    for address in addresses:
        page = officer.browser.get(address)
        if page.headers.get("Content-Type", "").startswith("text/html"):
            texts = read_visible(page.text, language="en")
            found[address] = [text for text in texts if HANZI.search(text)]

    words = {text for texts in found.values() for text in texts}
    assert {
        text for text in words if not any(one in text for one in OWN_CHINESE)
    } == set()


@pytest.mark.parametrize("role", [role.name for role in ROLES])
def test_it_shows_no_english_to_any_role(role: str, shown, ann):
    colleague = make_colleague(role)
    SubjectRequest.objects.update(assigned_to=colleague.user.pk)
    pages = (
        Relationship, GlobalUser, SubjectRequest, ChangeRequest, LegalHold, ErasureRun,
        ExportRun, ReleasePolicy, PolicyVersion, RecallPolicy,
    )  # fmt: skip
    addresses = ["/desk/", "/desk/roles/", "/desk/find/", "/desk/costs/"]
    addresses += [shown[model].page for model in pages]

    assert find_english(in_chinese(colleague), addresses) == {}


def test_it_signs_people_in_in_chinese(db: None):
    stranger = Client(headers=CHINESE)
    person = make_person(is_staff=True)
    half = Client(headers=CHINESE)
    half.force_login(person.user)

    pages = [
        stranger.get("/desk/login/"),
        stranger.post("/desk/login/", {"username": "x", "password": "y"}),
        stranger.get("/nowhere/"),
        half.get("/desk/second-step/"),
        half.post("/desk/second-step/", {"code": "1"}),
    ]

    assert [list_english(page.text) for page in pages] == [[], [], [], [], []]


@pytest.mark.parametrize(
    ("asked", "language"),
    [
        ("zh-CN,zh;q=0.9", "zh-hans"),
        ("en-GB,en;q=0.5", "en"),
        ("fr", "zh-hans"),
        ("", "zh-hans"),
    ],
)
def test_it_speaks_as_the_browser_asks(asked: str, language: str, client: Client, db):
    response = client.get("/desk/login/", headers={"accept-language": asked})

    assert f'<html lang="{language}"' in response.text
    assert response.headers["Content-Language"] == language
    assert "Accept-Language" in response.headers["Vary"]


def test_it_speaks_as_the_reader_chose(officer: Person):
    chosen = officer.browser.post(
        "/language/", {"language": "zh-hans", "next": "/desk/roles/"}, follow=True
    )

    assert chosen.redirect_chain == [("/desk/roles/", 302)]
    assert '<html lang="zh-hans"' in chosen.text
    assert officer.browser.cookies["django_language"]["httponly"] is True
    assert 'action="/language/"' in chosen.text


def test_it_goes_nowhere_else_after_the_choice(client: Client, db: None):
    answer = client.post(
        "/language/", {"language": "en", "next": "https://elsewhere.example/"}
    )

    assert answer.headers["Location"] == "/"


def test_it_finds_english_that_is_left(db: None):
    page = '<p title="Open it">同意记录 region</p><p lang="en">Left</p><b>Refused</b>'

    assert list_english(page) == ["Open it", "Refused"]
