"""Users with something of everything, and ways to look at what is left of it.

>>> run(ask(of(make_filled()))).state  # doctest: +SKIP
'done'
"""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.utils import timezone

from consent import erasures
from consent.models import (
    ConsentEvent,
    ConsentGrant,
    ErasureRun,
    ExportChunk,
    ExportRun,
    LegalHold,
    PolicyVersion,
    ProfileField,
    ProfileValue,
    SubjectRequest,
    SubjectRequestNote,
)
from identity.models import Relationship, UserFacet
from identity.types import RelationshipRef
from memories.models import Memory, Message
from memsys.kernel.scope import Purpose, access_scope
from tests.factories.identity import make_relationship, new_name
from tests.factories.memories import content_of, make_memory, make_message

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
DAY = timedelta(days=1)
BY = "service:tests"


def make_filled(words: str = "喜欢喝花生露", **fields: Any) -> RelationshipRef:
    """Make a relationship with a memory and a message of these words."""
    relationship = make_relationship(**fields)
    make_memory(relationship, words)
    make_message(relationship, words)
    return relationship


def fill_user(ann: RelationshipRef, words: str = "喜欢喝花生露") -> None:
    """Give a user something in every table that holds their words."""
    UserFacet.objects.filter(global_user_id=ann.user_id).update(nickname=words)
    field, _ = ProfileField.objects.get_or_create(
        key="region", defaults={"label": "Region", "label_zh": "地区"}
    )
    own = {"global_user_id": ann.user_id}
    request = SubjectRequest.objects.create(
        **own, number=new_name("R")[:20], kind="access", relationship_id=ann.id,
        received_at=NOW, received_by=BY, due_date=NOW.date(),
    )  # fmt: skip
    export = ExportRun.objects.create(
        **own, parts=["memories"], formats=["json"], for_staff=False, state="ready",
        requested_by=BY, reason_code="test", requested_at=NOW,
    )  # fmt: skip
    with access_scope(Purpose.JOB, user=ann.user_id):
        ProfileValue.objects.create(
            **own, field=field, value=words, source=BY, updated_at=NOW
        )
        ExportChunk.objects.create(**own, export=export, number=0, data=words.encode())
        SubjectRequestNote.objects.create(
            **own, request=request, author=BY, text=words, written_at=NOW
        )
        _grant(ann)


def _grant(ann: RelationshipRef) -> None:
    text = PolicyVersion.objects.filter(document="release").first()
    text = text or PolicyVersion.objects.create(
        document="release", number=1, locale="en", title="Release", text="…",
        sha256="0" * 64, is_material=True, published_at=NOW,
    )  # fmt: skip
    own = {"global_user_id": ann.user_id, "scope": "release:region"}
    event = ConsentEvent.objects.create(
        **own, target_kind="all", action="grant", policy_version=text,
        text_sha256=text.sha256, shown_at=NOW, acted_at=NOW, actor=BY,
    )  # fmt: skip
    ConsentGrant.objects.create(
        **own, policy_version=text, granted_at=NOW, last_event=event
    )


def place_hold(ann: RelationshipRef, **fields: Any) -> LegalHold:
    """Make a hold on all of a user."""
    return LegalHold.objects.create(
        **{
            "global_user_id": ann.user_id,
            "reason_code": "court-order",
            "case_ref": "2026-1",
            "placed_by": "staff:1",
            "placed_at": NOW,
        }
        | fields
    )


def lift(hold: LegalHold, at: datetime) -> None:
    LegalHold.objects.filter(pk=hold.pk).update(lifted_at=at, lifted_by="staff:2")


def left(relationship: RelationshipRef) -> tuple[int, int]:
    """Return how many memories and messages a relationship has."""
    with content_of(relationship):
        of_it = {"relationship_id": relationship.id}
        return (
            Memory.objects.filter(**of_it).count(),
            Message.objects.filter(**of_it).count(),
        )


def status_of(relationship: RelationshipRef) -> str:
    return str(Relationship.objects.get(pk=relationship.id).status)


def ask(
    target: erasures.Target, *, at_once: bool = True, at: datetime = NOW
) -> ErasureRun:
    return erasures.request(
        target, by=BY, reason_code="user-request", at_once=at_once, now=at
    )


def run(found: ErasureRun, at: datetime = NOW) -> ErasureRun | None:
    return erasures.run(found.pk, now=at)


def of(relationship: RelationshipRef, memory: UUID | None = None) -> erasures.Target:
    return erasures.Target(relationship.user_id, relationship.id, memory)


def later(**parts: int) -> datetime:
    return timezone.now() + timedelta(**parts)
