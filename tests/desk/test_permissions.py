"""Who may open which page, by role; and that a stranger opens none.

The table is the matrix of the roles: a row is a method and a page, a column a role.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from memsys.desk.pages import PAGES
from memsys.desk.permissions import PROSE, Permission
from memsys.desk.roles import ROLES, may
from tests.desk.conftest import Person, make_colleague, make_person
from tests.desk.rows import Shown

OFFICER, LEGAL, AUDITOR, SUPPORT, LEAD = (role.name for role in ROLES)
NAMES = (OFFICER, LEGAL, AUDITOR, SUPPORT, LEAD)

# Permission, and who has it, in the order of NAMES.
MATRIX = {
    Permission.SEE_RELATIONSHIPS: (1, 1, 1, 1, 1),
    Permission.SEARCH_WORDS: (1, 1, 0, 0, 0),
    Permission.REVEAL: (1, 1, 0, 1, 0),
    Permission.REVEAL_SENSITIVE: (1, 1, 0, 0, 0),
    Permission.REVEAL_MINOR: (1, 1, 0, 0, 0),
    Permission.REVEAL_PRIVATE: (1, 1, 0, 0, 0),
    Permission.CORRECT: (1, 0, 0, 1, 0),
    Permission.CHANGE_STANDING: (1, 0, 0, 0, 0),
    Permission.EXPORT: (1, 1, 0, 0, 0),
    Permission.START_ERASURE: (1, 0, 0, 1, 0),
    Permission.UNDO_ERASURE: (1, 0, 0, 0, 0),
    Permission.PROPOSE_BULK_ERASURE: (1, 0, 0, 0, 0),
    Permission.SEE_HOLDS: (1, 1, 1, 0, 0),
    Permission.PLACE_HOLD: (1, 1, 0, 0, 0),
    Permission.PROPOSE_LIFTING: (0, 1, 0, 0, 0),
    Permission.SEE_REQUESTS: (1, 1, 1, 1, 0),
    Permission.WORK_REQUESTS: (1, 0, 0, 1, 0),
    Permission.SEE_CONSENTS: (1, 1, 1, 1, 0),
    Permission.SEE_CHANGES: (1, 1, 1, 0, 0),
    Permission.DECIDE_CHANGES: (1, 1, 0, 0, 0),
    Permission.SEE_GOVERNANCE: (1, 1, 1, 0, 0),
    Permission.PROPOSE_RELEASE: (1, 0, 0, 0, 0),
    Permission.STOP_RELEASE: (1, 1, 0, 0, 0),
    Permission.PROPOSE_TEXT: (1, 0, 0, 0, 0),
    Permission.PROPOSE_RECALL_POLICY: (1, 0, 0, 0, 0),
    Permission.PROPOSE_RETENTION: (1, 0, 0, 0, 0),
    Permission.PROPOSE_ROLE: (1, 0, 0, 0, 0),
    Permission.SEE_AUDIT: (1, 1, 1, 0, 0),
    Permission.VERIFY_AUDIT: (0, 0, 1, 0, 0),
    Permission.SEE_COSTS: (1, 0, 1, 0, 1),
}
# Signing out needs nobody; the rest leads to what asks for a sign-in.
OPEN_ADDRESSES = ("desk/login/", "desk/logout/")
# Staff without a role see these: about themselves, or empty for them.
OF_EVERYBODY = {
    "index", "again", "sessions", "end_session", "renew_codes", "search", "jsi18n",
    "password_change", "password_change_done", "logout", "login", "verify_code",
    "set_up_device", "roles",
}  # fmt: skip
ZERO = "00000000-0000-7000-8000-000000000001"


@pytest.fixture
def colleagues(db: None) -> dict[str, Person]:
    """One person of each role."""
    return {name: make_colleague(name) for name in NAMES}


def list_desk(entries: Any = None, before: str = "") -> Iterator[tuple[str, str]]:
    """Yield the name and the address of every page of the desk."""
    for entry in get_resolver().url_patterns if entries is None else entries:
        here = before + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from list_desk(entry.url_patterns, here)
        elif isinstance(entry, URLPattern) and here.startswith("desk/"):
            yield str(entry.name or ""), fill(here)


def fill(route: str) -> str:
    """Return an address with something for each part that it takes."""
    for part, value in {
        "<path:object_id>": "1", "<id>": "1", "(?P<url>.*)$": "x", "<str:code>": "x",
        "(?P<app_label>identity|recall|memories|kernel|api|auth)": "identity",
    }.items():  # fmt: skip
        route = route.replace(part, value)
    filled = []
    for part in route.split("/"):
        is_taken = part.startswith("<")
        filled.append(
            ZERO if is_taken and "uuid" in part else "1" if is_taken else part
        )
    return "/" + "/".join(filled)


def test_it_has_a_group_for_each_role(db: None):
    assert set(NAMES) <= set(Group.objects.values_list("name", flat=True))


def test_it_says_in_a_sentence_what_each_permission_is():
    assert set(PROSE) == set(Permission) == set(MATRIX)
    assert all(str(one).endswith(".") for one in PROSE.values())


def test_it_gives_each_role_what_the_matrix_says(colleagues):
    held = {
        one: tuple(int(may(colleagues[name].user, one)) for name in NAMES)
        for one in Permission
    }

    assert held == MATRIX


def test_it_makes_nobody_a_superuser(colleagues):
    assert not any(one.user.is_superuser for one in colleagues.values())


def test_it_gives_nothing_to_who_is_no_longer_staff(colleagues):
    person = colleagues[OFFICER].user
    person.is_staff = False

    assert not any(may(person, one) for one in Permission)


def test_it_asks_by_the_matrix_at_each_page(colleagues):
    """Refused (403) exactly where the matrix says so, by every method of a page."""
    wrong = []
    for one in PAGES:
        for method in one.methods:
            for place, name in enumerate(NAMES):
                send = getattr(colleagues[name].browser, method.lower())
                status = send(fill(f"desk/{one.route}")).status_code
                is_allowed = one.permission is None or MATRIX[one.permission][place]
                if bool(is_allowed) == (status == 403):
                    wrong.append((method, one.route, name, status))

    assert wrong == []


@pytest.mark.parametrize(
    ("path", "statuses"),
    [
        ("identity/relationship/", (200, 200, 200, 200, 200)),
        ("identity/globaluser/", (200, 200, 200, 403, 403)),
        ("memories/memory/", (200, 200, 200, 403, 403)),
        ("memories/chatsession/", (200, 403, 200, 403, 200)),
        ("kernel/auditentry/", (200, 200, 200, 403, 403)),
        ("recall/recallpolicy/", (200, 200, 200, 403, 403)),
        ("auth/user/", (403, 403, 200, 403, 403)),
        ("api/servicekey/", (403, 403, 200, 403, 403)),
        ("django_celery_beat/periodictask/", (403, 403, 200, 403, 403)),
    ],
)
def test_it_opens_lists_by_role(
    path: str, statuses: tuple[int, ...], colleagues: dict[str, Person]
):
    found = tuple(
        colleagues[name].browser.get(f"/desk/{path}").status_code for name in NAMES
    )

    assert found == statuses


def test_it_sends_a_stranger_to_the_sign_in_from_every_address(db, client: Client):
    let_in = []
    for _name, address in list_desk():
        for method in ("get", "post"):
            response = getattr(client, method)(address)
            asks = "/desk/login/" in response.headers.get("Location", "")
            is_open = address[1:].startswith(OPEN_ADDRESSES)
            if not (asks or is_open or response.status_code == 404):
                let_in.append((method, address, response.status_code))

    assert let_in == []


def test_it_refuses_staff_without_a_role_at_every_address(clerk: Person, shown_rows):
    let_in = []
    for name, address in list_desk():
        if name in OF_EVERYBODY or "logout" in address:
            continue
        for method in ("get", "post"):
            status = getattr(clerk.browser, method)(address).status_code
            if status not in (302, 403, 404):
                let_in.append((method, address, status))

    assert let_in == []


def test_it_refuses_who_gave_a_password_only(shown_rows: dict[Any, Shown]):
    person = make_person(is_staff=True, is_superuser=True)
    half = Client()
    half.force_login(person.user)

    statuses = {half.get(row.page).status_code for row in shown_rows.values()}

    assert statuses == {302}
