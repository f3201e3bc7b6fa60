"""What a release takes: a policy text, a grant by it, a policy, and a value.

>>> allow(ann, "region")  # doctest: +SKIP
>>> make_release_policy("region")  # doctest: +SKIP
>>> keep_value(ann, "region", "浙江杭州")  # doctest: +SKIP
"""

from datetime import datetime, timedelta
from typing import Any

from django.db.models import Max
from django.utils import timezone

from consent.models import (
    ConsentEvent,
    ConsentGrant,
    PolicyVersion,
    ProfileValue,
    ReleasePolicy,
)
from consent.types import scope_document
from identity.types import RelationshipRef
from memsys.kernel.scope import Purpose, access_scope

LONG = timedelta(days=30)
OFFICER, REVIEWER = 3, 4


def make_policy_text(scope: str, **fields: Any) -> PolicyVersion:
    """Make a text of its own that covers a scope."""
    document = scope_document(scope)
    told = PolicyVersion.objects.filter(document=document)
    number = (told.aggregate(last=Max("number"))["last"] or 0) + 1
    return PolicyVersion.objects.create(
        **{
            "document": document,
            "number": number,
            "locale": "zh-hans",
            "title": "资料展示",
            "text": "我们会在聊天中使用这项资料。",
            "sha256": "0" * 64,
            "is_material": True,
            "published_at": timezone.now() - LONG,
        }
        | fields
    )


def make_grant(
    relationship: RelationshipRef, scope: str, **fields: Any
) -> ConsentGrant:
    """Make a grant of the relationship's user that holds everywhere, by default."""
    now = timezone.now()
    seen = fields.pop("policy_version", None) or make_policy_text(scope)
    target = {
        "target_kind": fields.pop("target_kind", "all"),
        "target_id": fields.pop("target_id", None),
    }
    with access_scope(Purpose.JOB, user=relationship.user_id):
        event = ConsentEvent.objects.create(
            global_user_id=relationship.user_id,
            scope=scope,
            action="grant",
            policy_version=seen,
            text_sha256=seen.sha256,
            shown_at=now,
            acted_at=now,
            actor=f"user:{relationship.user_id}",
            **target,
        )
        return ConsentGrant.objects.create(
            **{
                "global_user_id": relationship.user_id,
                "scope": scope,
                "policy_version": seen,
                "granted_at": now,
                "last_event": event,
            }
            | target
            | fields
        )


def allow(relationship: RelationshipRef, field: str, **fields: Any) -> ConsentGrant:
    """Make the grant of the relationship's user to release a field."""
    return make_grant(relationship, f"release:{field}", **fields)


def change_grant(grant: ConsentGrant, **fields: Any) -> None:
    """Make a grant otherwise than it is, as a withdrawal or an expiry does."""
    with access_scope(Purpose.JOB, user=grant.global_user_id):
        ConsentGrant.objects.filter(pk=grant.pk).update(**fields)


def withdraw(grant: ConsentGrant) -> None:
    """Withdraw a grant."""
    change_grant(grant, status="withdrawn", ended_at=timezone.now())


def make_release_policy(field: str, **fields: Any) -> ReleasePolicy:
    """Make a policy in force for all recipients, by default."""
    now = timezone.now()
    return ReleasePolicy.objects.create(
        **{
            "field_id": field,
            "data_class": "commercial" if field == "spend_tier" else "stable",
            "purpose": "聊天",
            "assessment_ref": "PIA-7",
            "proposed_by": OFFICER,
            "proposed_at": now - LONG,
            "approved_by": REVIEWER,
            "approved_at": now - LONG,
            "expires_at": now + LONG,
        }
        | ({"data_class": "preference"} if field in ("locale", "contact_hours") else {})
        | fields
    )


def stop_all_policies() -> None:
    """Stop what tests that commit have left in force, within this transaction."""
    ReleasePolicy.objects.update(revoked_by=REVIEWER, revoked_at=timezone.now())


def keep_value(
    relationship: RelationshipRef,
    field: str,
    value: str,
    *,
    at: datetime | None = None,
) -> None:
    """Keep a value of the relationship's user."""
    with access_scope(Purpose.JOB, user=relationship.user_id):
        ProfileValue.objects.create(
            global_user_id=relationship.user_id,
            field_id=field,
            value=value,
            source="service:tests",
            updated_at=at or timezone.now(),
        )


def release(relationship: RelationshipRef, field: str, value: str) -> ConsentGrant:
    """Make all that it takes to release a field; return the grant."""
    keep_value(relationship, field, value)
    make_release_policy(field)
    return allow(relationship, field)
