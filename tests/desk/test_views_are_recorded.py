"""Each look at a person or at content leaves an audit row; others leave none."""

from typing import Any

from identity.models import Creator, GlobalUser, Relationship, UserFacet
from memories.models import ChatSession, Memory, Message
from memsys.kernel.audit.chain import deed_chain
from memsys.kernel.audit.models import AuditPayload
from memsys.kernel.scope.staff import staff_role
from tests.desk.conftest import Person
from tests.desk.rows import CONTENT, Shown, list_audit
from tests.factories.memories import make_memory


def test_it_records_a_look_at_a_list_of_content(
    officer: Person, ann, shown_rows: dict[Any, Shown]
):
    for model in CONTENT:
        officer.browser.get(shown_rows[model].list)

    entries = list_audit(action="desk.list_viewed", actor=officer.actor)
    assert len(entries) == len(CONTENT)
    assert {one.object_ref for one in entries} == {f"relationship:{ann.id}"}
    assert {one.chain for one in entries} == {deed_chain(ann.user_id)}


def test_it_records_which_table_was_looked_at(officer: Person, ann, shown_rows):
    officer.browser.get(shown_rows[Message].list)

    (entry,) = list_audit(action="desk.list_viewed", actor=officer.actor)
    with staff_role():
        payload = AuditPayload.objects.get(pk=entry.pk)
    assert payload.body == {"table": "memories.message"}
    assert payload.subject == ann.user_id


def test_it_records_a_look_at_one_row_of_content(officer: Person, shown_rows):
    row = shown_rows[Message]

    officer.browser.get(row.page)

    (entry,) = list_audit(action="desk.detail_viewed", actor=officer.actor)
    assert entry.object_ref == f"message:{row.key}"


def test_it_records_a_memory_by_the_id_that_its_versions_share(officer: Person, ann):
    memory = make_memory(ann, "我对芒果过敏")

    officer.browser.get(
        f"/desk/memories/memory/{memory.pk}/change/?relationship={ann.id}"
    )

    (entry,) = list_audit(action="desk.detail_viewed", actor=officer.actor)
    assert entry.object_ref == f"memory:{memory.lineage}"


def test_it_records_a_look_at_a_person(officer: Person, ann, shown_rows):
    for model in (GlobalUser, UserFacet, Relationship):
        officer.browser.get(shown_rows[model].page)

    entries = list_audit(action="desk.detail_viewed", actor=officer.actor)
    assert [one.object_ref for one in entries] == [
        f"user:{ann.user_id}",
        f"facet:{shown_rows[UserFacet].key}",
        f"relationship:{ann.id}",
    ]
    assert {one.chain for one in entries} == {deed_chain(ann.user_id)}


def test_it_records_no_look_at_what_is_no_person(officer: Person, shown_rows):
    for model in (Creator, ChatSession):
        officer.browser.get(shown_rows[model].page)

    assert list_audit(actor=officer.actor) == []


def test_it_records_no_look_that_was_refused(officer: Person, clerk, ben, shown_rows):
    row = shown_rows[Memory]

    clerk.browser.get(row.page)
    officer.browser.get(f"{row.path}?relationship={ben.id}")
    officer.browser.get(row.path)

    assert list_audit(action__startswith="desk.") == []
