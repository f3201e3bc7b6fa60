"""A relationship whose names, texts and codes are all written to break a page.

>>> make_evil()  # doctest: +SKIP
"""

from django.utils import timezone

from identity.models import (
    Creator,
    CreatorPersonaProfile,
    CustodyTransfer,
    Relationship,
    UserFacet,
)
from identity.types import RelationshipRef
from tests.desk.rows import make_governance
from tests.factories.identity import make_relationship, new_name
from tests.factories.memories import make_memory, make_message, make_session

MARKUP = "\"><img src=x onerror=alert(1)>'><svg onload=alert(2)><script>"
OVERRIDE = "\u202egnp\u2066\u200f"
EVIL = MARKUP + OVERRIDE
RUNNING = ("<img src=x", "<svg onload", "'><svg", '"><img')
# Nothing at which a line could be broken, emoji of several characters, two directions.
LONG = (
    "没有空格也没有标点只是一直写下去的名字"
    + "W" * 50
    + "😀👩‍👩‍👧‍👦"
    + "مرحبا"
    + "שלום"
)


def make_evil(text: str = EVIL) -> RelationshipRef:
    """Make a relationship all of whose names, texts and codes are a text."""
    relationship = make_relationship(
        user=new_name("u") + text,
        facet=text,
        creator=new_name("c") + text,
        persona=text,
        display_name=text,
    )
    row = Relationship.objects.get(pk=relationship.id)
    UserFacet.objects.filter(pk=row.facet_id).update(nickname=text)
    Creator.objects.filter(pk=relationship.creator_id).update(display_name=text)
    CreatorPersonaProfile.objects.create(
        persona_id=relationship.persona_id,
        version=1,
        background=text,
        voice=text,
        taboos=[text, {"kind": text}],
        standard_lines=[text],
        author=text[:100],
    )
    CustodyTransfer.objects.create(
        relationship_id=relationship.id,
        from_custody="creator_pool",
        to_custody="proxy_pool",
        actor=text[:100],
        reason_code=text[-60:],
        inherited=[text],
        moved_at=timezone.now(),
    )
    make_session(
        relationship, status="dead", ended_at=timezone.now(), error_code=text[-60:]
    )
    make_message(relationship, text, external_id=text[:200], masked={text: 1})
    make_memory(relationship, text, value=text, subject=text[:20], tokens=[text])
    make_governance(relationship, text=text)
    return relationship
