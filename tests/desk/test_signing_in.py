"""Signing in at the desk: two factors, limits, a lockout that nobody talks past."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone
from django_otp.oath import TOTP
from django_otp.plugins.otp_static.models import StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

from memsys.desk.models import DeskSession
from memsys.desk.sign_in import PROVED, SEEN, STARTED
from tests.desk.conftest import Person, make_person
from tests.desk.rows import list_audit
from tests.factories.identity import new_name

PASSWORD = "correct-horse-9-battery"


@pytest.fixture
def wei(db: None) -> User:
    """A member of staff who has not signed in yet."""
    user = User.objects.create(username=new_name("wei"), is_staff=True)
    user.set_password(PASSWORD)
    user.save()
    return user


def code_of(device: TOTPDevice, *, later: int = 0) -> str:
    """Return the code that a device shows now, or some half minutes later."""
    clock = TOTP(device.bin_key, device.step, device.t0, device.digits, device.drift)
    clock.time = timezone.now().timestamp() + 30 * later
    return f"{clock.token():06d}"


def give_password(browser: Client, user: User, password: str = PASSWORD, **meta: Any):
    form = {"username": user.username, "password": password}
    return browser.post("/desk/login/", form, **meta)


def set_up(browser: Client, user: User) -> list[str]:
    """Set up a device; return the recovery codes that are shown."""
    give_password(browser, user)
    browser.get("/desk/set-up-device/")
    device = TOTPDevice.objects.get(user=user)
    text = browser.post("/desk/set-up-device/", {"code": code_of(device)}).text
    return re.findall(r"<li class=\"desk-id\">([a-z0-9-]+)</li>", text)


def put_back(browser: Client, name: str, by: timedelta) -> None:
    session = browser.session
    session[name] = (timezone.now() - by).isoformat()
    session.save()


def test_it_opens_nothing_for_a_password_alone(client: Client, wei):
    first = give_password(client, wei)

    response = client.get("/desk/", follow=True)

    assert first.url == "/desk/"
    assert response.redirect_chain[-1][0].startswith("/desk/set-up-device/")
    assert client.get("/desk/sessions/").status_code == 302


def test_it_lets_in_who_sets_up_a_device(client: Client, wei):
    codes = set_up(client, wei)

    assert client.get("/desk/").status_code == 200
    assert len(set(codes)) == 10
    assert len(list_audit(action="desk.signed_in", actor=f"staff:{wei.pk}")) == 1


def test_it_shows_the_secret_as_a_picture_and_as_text(client: Client, wei):
    give_password(client, wei)

    text = client.get("/desk/set-up-device/").text

    assert 'src="data:image/svg+xml' in text
    assert re.search(r"([A-Z2-7]{4} ){7}[A-Z2-7]{4}", text)


def test_it_sets_up_no_device_by_a_wrong_code(client: Client, wei):
    give_password(client, wei)
    client.get("/desk/set-up-device/")

    response = client.post("/desk/set-up-device/", {"code": "000000"})

    assert "desk-codes" not in response.text
    assert client.get("/desk/").status_code == 302


def test_it_asks_for_the_code_at_the_next_sign_in(client: Client, wei):
    set_up(client, wei)
    device = TOTPDevice.objects.get(user=wei)
    other = Client()

    give_password(other, wei)
    before = other.get("/desk/", follow=True).redirect_chain[-1][0]
    after = other.post("/desk/second-step/", {"code": code_of(device, later=1)})

    assert before.startswith("/desk/second-step/")
    assert (after.status_code, after.url) == (302, "/desk/")
    assert other.get("/desk/").status_code == 200


def test_it_takes_no_code_twice(client: Client, wei):
    set_up(client, wei)
    device = TOTPDevice.objects.get(user=wei)
    code = code_of(device, later=1)
    first, second = Client(), Client()
    for browser in (first, second):
        give_password(browser, wei)

    answers = [
        one.post("/desk/second-step/", {"code": code}).status_code
        for one in (first, second)
    ]

    assert answers == [302, 200]


def test_it_takes_a_recovery_code_once_and_keeps_none_of_them(client: Client, wei):
    code = set_up(client, wei)[0]
    kept = list(StaticToken.objects.values_list("token", flat=True))
    first, second = Client(), Client()
    for browser in (first, second):
        give_password(browser, wei)

    answers = [
        one.post("/desk/second-step/", {"code": code}).status_code
        for one in (first, second)
    ]

    assert answers == [302, 200]
    assert code not in kept
    assert code.replace("-", "") not in kept


def test_it_sets_up_no_second_device_by_a_password(client: Client, wei):
    set_up(client, wei)
    thief = Client()
    give_password(thief, wei)

    response = thief.get("/desk/set-up-device/")

    assert response.url == "/desk/second-step/"


def test_it_goes_back_to_no_other_site(client: Client, wei):
    set_up(client, wei)

    response = client.get("/desk/second-step/?next=https://evil.example/")

    assert response.url == "/desk/"


@pytest.mark.parametrize(
    ("name", "minutes", "status"),
    [(SEEN, 14, 200), (SEEN, 16, 302), (STARTED, 479, 200), (STARTED, 481, 302)],
)
def test_it_signs_out_after_a_while(
    name: str, minutes: int, status: int, officer: Person
):
    put_back(officer.browser, name, timedelta(minutes=minutes))

    assert officer.browser.get("/desk/").status_code == status


def test_it_asks_again_before_a_deed_ten_minutes_later(officer: Person):
    put_back(officer.browser, PROVED, timedelta(minutes=11))

    response = officer.browser.post("/desk/recovery-codes/")

    assert response.url.startswith("/desk/again/?next=")


def test_it_takes_both_factors_again(officer: Person):
    officer.user.set_password(PASSWORD)
    officer.user.save()
    again = make_person_again(officer)
    device = TOTPDevice.objects.get(user=officer.user)
    put_back(again, PROVED, timedelta(minutes=11))
    form = {"password": PASSWORD, "code": code_of(device), "next": "/desk/sessions/"}

    wrong = again.post("/desk/again/", form | {"password": "x"}).status_code
    right = again.post("/desk/again/", form)

    assert (wrong, right.status_code, right.url) == (200, 302, "/desk/sessions/")
    assert again.post("/desk/recovery-codes/").status_code == 200


def make_person_again(person: Person) -> Client:
    """Sign a person in again: a new password ended the session."""
    from tests.desk.conftest import give_second_factor

    browser = Client(headers={"accept-language": "en"})
    browser.force_login(person.user)
    give_second_factor(person.user, browser)
    return browser


def test_it_lists_and_ends_the_own_sessions_only(client: Client, wei, officer: Person):
    set_up(client, wei)
    row = DeskSession.objects.get(user=wei)

    foreign = officer.browser.post(f"/desk/sessions/{row.pk}/end/").status_code
    listed = client.get("/desk/sessions/", headers={"accept-language": "en"}).text
    own = client.post(f"/desk/sessions/{row.pk}/end/").status_code

    assert (foreign, own) == (404, 302)
    assert "This browser" in listed
    assert not Session.objects.filter(session_key=row.session_key).exists()
    assert client.get("/desk/").status_code == 302


def test_it_locks_out_whoever_guesses_whatever_addresses_they_claim(wei):
    """Acceptance row C38."""
    answers = [
        give_password(
            Client(),
            wei,
            "wrong",
            headers={"x-forwarded-for": f"198.51.100.{number}"},
        ).status_code
        for number in range(14)
    ]

    assert answers[:9] == [200] * 9
    assert answers[-1] == 429
    assert give_password(Client(), wei).status_code == 429


def test_it_locks_out_an_address_that_guesses_at_many_names(db: None):
    people = [make_person(is_staff=True).user for _ in range(12)]

    answers = [give_password(Client(), one, "wrong").status_code for one in people]

    assert answers[-1] == 429
