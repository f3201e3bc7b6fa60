"""Accounts and roles: superusers keep them, the audit sees each change."""

import pytest
from django.contrib.auth.models import Group, Permission, User

from tests.desk.conftest import Person
from tests.desk.rows import list_audit
from tests.factories.identity import new_name

STAFF = "/desk/auth/user/"
ROLES = "/desk/auth/group/"


def form_of(user: User, **changes: str) -> dict[str, str]:
    return {"username": user.username, "is_active": "on"} | changes


def test_it_lets_a_superuser_change_an_account_and_records_it(
    officer: Person, clerk: Person
):
    page = f"{STAFF}{clerk.user.pk}/change/"

    response = officer.browser.post(page, form_of(clerk.user, first_name="Wei"))

    assert response.status_code == 302
    clerk.user.refresh_from_db()
    assert (clerk.user.first_name, clerk.user.is_staff) == ("Wei", False)
    (entry,) = list_audit(action="staff.changed", actor=officer.actor)
    assert entry.object_ref == f"staff:{clerk.user.pk}"
    assert "first_name" in entry.field_names
    assert "Wei" not in str(entry.field_names)


def test_it_lets_a_superuser_make_an_account_and_records_it(officer: Person):
    name, word = new_name("person"), "correct-horse-9"
    form = {"username": name, "password1": word, "password2": word}

    officer.browser.post(f"{STAFF}add/", form | {"usable_password": "true"})

    made = User.objects.get(username=name)
    (entry,) = list_audit(action="staff.added", actor=officer.actor)
    assert entry.object_ref == f"staff:{made.pk}"


def test_it_records_a_new_password(officer: Person, clerk: Person):
    word = "correct-horse-9"
    form = {"password1": word, "password2": word, "usable_password": "true"}

    officer.browser.post(f"{STAFF}{clerk.user.pk}/password/", form)

    clerk.user.refresh_from_db()
    assert clerk.user.check_password(word)
    assert len(list_audit(action="staff.changed", actor=officer.actor)) == 1


def test_it_lets_a_superuser_make_a_role_and_records_it(officer: Person):
    officer.browser.post(f"{ROLES}add/", {"name": new_name("role")})

    assert len(list_audit(action="role.added", actor=officer.actor)) == 1


@pytest.mark.parametrize("right", ["change_user", "add_user", "delete_user"])
def test_it_lets_nobody_else_touch_an_account(
    right: str, officer: Person, clerk: Person
):
    clerk.user.user_permissions.add(Permission.objects.get(codename=right))
    page = f"{STAFF}{clerk.user.pk}/change/"

    answers = [
        clerk.browser.post(page, form_of(clerk.user, is_superuser="on")),
        clerk.browser.post(f"{STAFF}add/", {"username": new_name("person")}),
        clerk.browser.post(f"{STAFF}{officer.user.pk}/delete/", {"post": "yes"}),
        clerk.browser.post(f"{STAFF}{officer.user.pk}/password/", {}),
    ]

    assert [one.status_code for one in answers] == [403, 403, 403, 403]


def test_it_deletes_no_account_and_no_role(officer: Person, clerk: Person):
    role = Group.objects.create(name=new_name("role"))

    answers = [
        officer.browser.post(f"{STAFF}{clerk.user.pk}/delete/", {"post": "yes"}),
        officer.browser.post(f"{ROLES}{role.pk}/delete/", {"post": "yes"}),
    ]

    assert [one.status_code for one in answers] == [403, 403]


def test_it_deletes_no_account_in_bulk(officer: Person, clerk: Person):
    form = {"action": "delete_selected", "_selected_action": str(clerk.user.pk)}

    officer.browser.post(STAFF, form | {"post": "yes", "index": "0"})

    assert User.objects.filter(pk=clerk.user.pk).exists()
