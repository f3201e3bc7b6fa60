"""Consents of users for tests, recorded as a chat service would.

>>> give(ann, "sensitive:mental_health")  # doctest: +SKIP
>>> take_back(ann, "sensitive:mental_health")  # doctest: +SKIP
"""

from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from consent.consents import ConsentForm, GrantView, list_grants, record
from consent.models import ConsentEvent, PolicyVersion
from consent.types import scope_document
from identity.types import RelationshipRef
from memsys.kernel.scope import Purpose, access_scope
from tests.factories.identity import new_name

BY = "service:tests"
SECOND = timedelta(seconds=1)


def text_of(scope: str, locale: str = "zh-hans", number: int = 1) -> PolicyVersion:
    """Return a text that covers a scope."""
    return PolicyVersion.objects.get(
        document=scope_document(scope), locale=locale, number=number
    )


def make_form(relationship: RelationshipRef, scope: str, **fields: Any) -> ConsentForm:
    """Make the form of a grant by the relationship's user that can be recorded."""
    text = fields.pop("text", None) or text_of(scope)
    acted_at = fields.pop("acted_at", None) or timezone.now()
    return ConsentForm(
        **{
            "user_id": relationship.user_id,
            "scope": scope,
            "action": "grant",
            "policy_version": text.pk,
            "text_sha256": text.sha256,
            "locale": text.locale,
            "surface": "chat",
            "shown_at": acted_at - SECOND,
            "acted_at": acted_at,
            "evidence_id": new_name("click"),
        }
        | fields
    )


def make_ending(
    relationship: RelationshipRef, scope: str, **fields: Any
) -> ConsentForm:
    """Make the least that a withdrawal takes."""
    told = {"action": "withdraw", "acted_at": timezone.now()} | fields
    return ConsentForm(user_id=relationship.user_id, scope=scope, **told)


def tell(form: ConsentForm, *, now: datetime | None = None) -> ConsentEvent:
    """Record a form in a scope of its user."""
    with access_scope(Purpose.SERVICE, user=form.user_id):
        return record(form, by=BY, now=now or timezone.now())


def give(relationship: RelationshipRef, scope: str, **fields: Any) -> ConsentEvent:
    """Record a grant."""
    return tell(make_form(relationship, scope, **fields))


def take_back(relationship: RelationshipRef, scope: str, **fields: Any) -> ConsentEvent:
    """Record a withdrawal."""
    return tell(make_ending(relationship, scope, **fields))


def read_grants(
    relationship: RelationshipRef, now: datetime | None = None
) -> list[GrantView]:
    """Return the grants of the relationship's user."""
    with access_scope(Purpose.SERVICE, user=relationship.user_id):
        return list_grants(relationship.user_id, now or timezone.now())


def read_states(relationship: RelationshipRef, **at: Any) -> dict[tuple[str, str], str]:
    """Return the state by scope and kind of target."""
    return {
        (one.scope, one.target_kind): one.state
        for one in read_grants(relationship, **at)
    }
