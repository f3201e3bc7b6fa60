"""The audit at the desk: it can be read, and not even a superuser changes it there."""

from typing import Any

import pytest

from memsys.kernel.audit.models import AuditEntry, AuditHead, AuditPayload
from memsys.kernel.scope.staff import staff_role
from tests.desk.conftest import Person
from tests.desk.rows import Shown, list_audit

AUDIT_MODELS = (AuditEntry, AuditHead, AuditPayload)


def read(model: Any, key: Any) -> dict[str, Any]:
    with staff_role():
        return dict(model.objects.values().get(pk=key))


@pytest.mark.parametrize("model", AUDIT_MODELS)
@pytest.mark.parametrize("door", ["delete", "change"])
def test_it_refuses_and_records_changes_by_a_superuser(
    model: Any, door: str, officer: Person, shown_rows: dict[Any, Shown]
):
    """Acceptance row C2."""
    row = shown_rows[model]
    before = read(model, row.key)
    form = {"post": "yes", "actor": "nobody", "body": "{}", "seq": "1"}

    response = officer.browser.post(row.door(door), form)

    assert response.status_code == 403
    assert read(model, row.key) == before
    (entry,) = list_audit(action="desk.change_refused", actor=officer.actor)
    assert entry.object_ref.startswith(model._meta.label_lower)


@pytest.mark.parametrize("model", AUDIT_MODELS)
def test_it_refuses_and_records_bulk_deletion_by_a_superuser(
    model: Any, officer: Person, shown_rows: dict[Any, Shown]
):
    """Acceptance row C2."""
    row = shown_rows[model]
    form = {
        "action": "delete_selected",
        "_selected_action": row.key,
        "select_across": "1",
        "post": "yes",
    }

    response = officer.browser.post(row.list, form)

    assert response.status_code == 403
    assert read(model, row.key)
    assert len(list_audit(action="desk.change_refused", actor=officer.actor)) == 1


def test_it_shows_the_place_in_the_chain(officer: Person, shown_rows):
    row = shown_rows[AuditEntry]
    stored = read(AuditEntry, row.key)

    text = officer.browser.get(row.page).text

    assert bytes(stored["digest"]).hex() in text
    assert bytes(stored["commitment"]).hex() in text


def test_it_shows_no_payload(officer: Person, shown_rows):
    row = shown_rows[AuditPayload]

    texts = [officer.browser.get(one).text for one in (row.list, row.page)]

    assert all("canary" not in text for text in texts)
    assert all("••••" in text for text in texts)


def test_it_finds_the_entries_about_an_object(officer: Person, ann, shown_rows):
    officer.browser.get(f"/desk/identity/relationship/{ann.id}/change/")

    text = officer.browser.get(f"/desk/kernel/auditentry/?q=relationship:{ann.id}").text

    assert "desk.detail_viewed" in text
    assert str(shown_rows[AuditEntry].key) not in text


def test_it_filters_entries_by_chain(officer: Person, shown_rows):
    address = "/desk/kernel/auditentry/?chain="

    own, other = (officer.browser.get(address + one).text for one in ("tests", "x"))

    assert str(shown_rows[AuditEntry].key) in own
    assert str(shown_rows[AuditEntry].key) not in other
