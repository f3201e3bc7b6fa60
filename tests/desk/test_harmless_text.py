"""Text of outsiders neither runs nor rearranges a page of the desk."""

from typing import Any

import pytest
from django.utils import timezone

from identity.models import (
    Creator,
    CreatorPersonaProfile,
    CustodyTransfer,
    GlobalUser,
    Relationship,
    UserFacet,
)
from memories.models import ChatSession, Memory, Message
from memsys.kernel.audit.models import AuditEntry
from tests.desk.conftest import Person
from tests.desk.rows import list_address, make_governance
from tests.factories.identity import make_relationship, new_name
from tests.factories.memories import make_memory, make_message, make_session

MARKUP = "\"><img src=x onerror=alert(1)>'><svg onload=alert(2)><script>"
OVERRIDE = "\u202egnp\u2066\u200f"
EVIL = MARKUP + OVERRIDE
RUNNING = ("<img src=x", "<svg onload", "'><svg", '"><img')


@pytest.fixture
def evil() -> Any:
    """A relationship all of whose names, texts and codes are evil."""
    relationship = make_relationship(
        user=new_name("u") + EVIL,
        facet=EVIL,
        creator=new_name("c") + EVIL,
        persona=EVIL,
        display_name=EVIL,
    )
    UserFacet.objects.update(nickname=EVIL)
    Creator.objects.filter(pk=relationship.creator_id).update(display_name=EVIL)
    CreatorPersonaProfile.objects.create(
        persona_id=relationship.persona_id,
        version=1,
        background=EVIL,
        voice=EVIL,
        taboos=[EVIL, {"kind": EVIL}],
        standard_lines=[EVIL],
        author=EVIL[:100],
    )
    CustodyTransfer.objects.create(
        relationship_id=relationship.id,
        from_custody="creator_pool",
        to_custody="proxy_pool",
        actor=EVIL[:100],
        reason_code=EVIL[-60:],
        inherited=[EVIL],
        moved_at=timezone.now(),
    )
    make_session(
        relationship,
        status="dead",
        ended_at=timezone.now(),
        error_code=EVIL[-60:],
    )
    make_message(relationship, EVIL, external_id=EVIL, masked={EVIL: 1})
    make_memory(relationship, EVIL, value=EVIL, subject=EVIL[:20], tokens=[EVIL])
    make_governance(relationship, text=EVIL)
    return relationship


def list_pages(relationship: Any) -> list[str]:
    """Return the pages on which evil text could show."""
    choice = f"?relationship={relationship.id}"
    models = (
        GlobalUser, UserFacet, Creator, Relationship, CustodyTransfer,
        CreatorPersonaProfile, ChatSession, AuditEntry,
    )  # fmt: skip
    return [
        "/desk/",
        *map(list_address, models),
        *(list_address(one) + choice for one in (Message, Memory)),
        f"{list_address(GlobalUser)}{relationship.user_id}/change/",
        f"{list_address(Creator)}{relationship.creator_id}/change/",
        f"{list_address(Relationship)}{relationship.id}/change/",
        f"/desk/identity/creatorpersona/{relationship.persona_id}/change/",
        *(
            f"{list_address(model)}{key}/change/"
            for model in (UserFacet, CreatorPersonaProfile, CustodyTransfer)
            for key in model.objects.values_list("pk", flat=True)
        ),
    ]


def test_it_runs_no_text_of_outsiders(officer: Person, evil):
    """Acceptance row C20."""
    texts = {page: officer.browser.get(page).text for page in list_pages(evil)}

    running = [
        (page, one) for page, text in texts.items() for one in RUNNING if one in text
    ]
    assert running == []
    assert "&lt;svg onload=alert(2)&gt;" in texts[list_address(Relationship)]


def test_it_lets_no_text_turn_the_direction(officer: Person, evil):
    """Acceptance row C20."""
    texts = {page: officer.browser.get(page).text for page in list_pages(evil)}

    turned = [
        page
        for page, text in texts.items()
        if any(one in text for one in OVERRIDE[::4])
    ]
    assert turned == []
    assert "U+202E" in texts[list_address(Relationship)]


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
