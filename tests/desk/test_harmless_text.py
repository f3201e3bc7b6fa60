"""Text of outsiders that was opened, asked for or given as a name runs nowhere."""

import pytest

from identity.models import Relationship
from identity.types import RelationshipRef
from memories.models import Memory, Message
from memsys.kernel.audit.models import AuditEntry
from memsys.kernel.scope import Purpose, access_scope
from tests.desk.conftest import Person
from tests.desk.evil import EVIL, MARKUP, RUNNING, make_evil
from tests.desk.rows import list_address

REASON = {"reason_code": "legal", "reason": "to see that it is harmless"}


@pytest.fixture
def evil(db: None) -> RelationshipRef:
    return make_evil()


def test_it_runs_no_text_that_was_opened(officer: Person, evil):
    """Acceptance row C20."""
    texts = []
    for kind, model in (("memory", Memory), ("message", Message)):
        with access_scope(Purpose.DESK, relationship=evil.id):
            row = model.objects.get(relationship_id=evil.id)
        key = row.lineage if kind == "memory" else row.pk
        page = f"/desk/reveal/{kind}/{evil.id}/{key}/"
        texts.append(officer.browser.post(page, REASON, follow=True).text)

    assert all("&lt;svg onload=alert(2)&gt;" in one for one in texts)
    assert [one for one in RUNNING for text in texts if one in text] == []


def test_it_runs_no_text_of_an_address(officer: Person, evil):
    """Acceptance row C20."""
    pages = [
        f"{list_address(Relationship)}?q={MARKUP}",
        f"{list_address(Message)}?relationship={MARKUP}",
        f"{list_address(Relationship)}{MARKUP}/change/",
        f"{list_address(AuditEntry)}?q={MARKUP}&chain={MARKUP}",
    ]

    texts = [officer.browser.get(page).text for page in pages]

    assert all(one not in text for text in texts for one in RUNNING)


def test_it_runs_no_text_in_the_names_of_staff(officer: Person):
    """Acceptance row C20."""
    officer.user.first_name = EVIL
    officer.user.save()

    texts = [officer.browser.get(page).text for page in ("/desk/", "/desk/auth/user/")]

    assert all(one not in text for text in texts for one in RUNNING)
