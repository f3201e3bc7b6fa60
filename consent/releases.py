"""Release policies: which field may be shown to whom, for what, until when.

Owns the change by which two persons make one, and the end that one person can put to
it at once. A policy alone releases nothing: the user's grant must hold too, see
`allowances`.

>>> revoke(policy_id, by=4, reason="…", now=now)  # doctest: +SKIP
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from consent.approvals import GOVERNANCE_CHAIN, Payload
from consent.errors import (
    ChangeFailed,
    InvalidChange,
    ReleaseNotFound,
    ReleaseOver,
)
from consent.models import ChangeRequest, ProfileField, ReleasePolicy
from consent.types import DataClass, TargetKind
from identity.models import Creator, CreatorPersona
from memsys.kernel.audit.chain import Deed, record
from memsys.kernel.pages.codes import with_code
from memsys.kernel.sql import load_sql
from memsys.kernel.text.clean import clean_text

MAX_PURPOSE = 200
MAX_ASSESSMENT = 100
MAX_REASON = 500
# More grants than that are not looked at: the count then says "at least".
MAX_COUNTED = 100_000

_MEMBERS = (
    "field", "purpose", "recipient_kind", "recipient", "assessment_ref", "expires_at",
)  # fmt: skip


@dataclass(frozen=True)
class Recipients:
    """Whom a policy lets receive: all, the personas of one creator, or one persona."""

    kind: str
    id: UUID | None


def count_affected(policy: ReleasePolicy, *, now: datetime) -> int:
    """Return how many users hold a grant by which this policy releases something now.

    `MAX_COUNTED` means at least so many. One query, which tells nothing but the number.
    """
    recipients = Recipients(
        policy.recipient_kind, policy.creator_id or policy.persona_id
    )
    return _count(policy.field_id, recipients, now=now)


def revoke(policy_id: UUID, *, by: int, reason: str, now: datetime) -> ReleasePolicy:
    """Stop a release; the next context does without it. It takes one person.

    Raises:
        ReleaseNotFound: there is no such policy.
        ReleaseOver: it releases nothing any more.
        InvalidChange: no reason was given.
    """
    words = clean_text(reason)
    if not 1 <= len(words) <= MAX_REASON:
        raise InvalidChange("reason", f"a text of 1 to {MAX_REASON} characters")
    with transaction.atomic():
        policy = ReleasePolicy.objects.select_for_update().filter(pk=policy_id).first()
        if policy is None:
            raise ReleaseNotFound("There is no such release policy.")
        if not is_in_force(policy, now=now):
            raise ReleaseOver("It releases nothing any more.")
        policy.revoked_by, policy.revoked_at = by, now
        policy.save(update_fields=["revoked_by", "revoked_at"])
        _record(policy, "release.revoked", by=by, details={"reason": words})
    return policy


def is_in_force(policy: ReleasePolicy, *, now: datetime) -> bool:
    """Say whether a policy is approved, not yet expired and not stopped."""
    is_approved = policy.approved_at is not None and policy.approved_at <= now
    return is_approved and policy.revoked_at is None and now < policy.expires_at


class FieldRelease:
    """The release of one field to some recipients, as a change that takes two persons.

    What is sensitive cannot be asked for.
    """

    code = "field_release"
    label = _("Release of a profile field")

    def prepare(self, payload: Payload) -> dict[str, Any]:
        """Return the payload with its texts cleaned and its end in UTC."""
        told = dict(payload)
        for member in ("purpose", "assessment_ref"):
            if isinstance(told.get(member), str):
                told[member] = clean_text(told[member])
        if isinstance(told.get("expires_at"), str):
            told["expires_at"] = _read_end(told).isoformat()
        return told

    def check(self, payload: Payload) -> None:
        """Refuse a field, recipient, purpose or end that cannot be.

        Raises:
            InvalidChange: naming the member and what was expected.
        """
        if set(payload) != set(_MEMBERS):
            raise InvalidChange("payload", "exactly " + ", ".join(_MEMBERS))
        _find_field(payload)
        _find_recipients(payload)
        _check_text(payload, "purpose", MAX_PURPOSE)
        _check_text(payload, "assessment_ref", MAX_ASSESSMENT)
        if _read_end(payload) <= timezone.now():
            raise InvalidChange("expires_at", "a time ahead")

    def describe(self, payload: Payload) -> list[tuple[Any, Any]]:
        """Return what would be shown to whom, for what, until when, of how many."""
        field, recipients = _find_field(payload), _find_recipients(payload)
        affected = _count(field.key, recipients, now=timezone.now())
        return [
            (_("Field"), with_code(field.label_in(get_language()), field.key)),
            (_("Class"), field.get_data_class_display()),
            (_("Enters prompts"), field.may_enter_prompts),
            (_("Purpose"), payload["purpose"]),
            (_("Recipients"), _name(recipients)),
            (_("Impact assessment"), payload["assessment_ref"]),
            (_("Ends"), _read_end(payload)),
            (_("Users who have granted it"), affected),
        ]

    def carry_out(
        self, payload: Payload, *, request: ChangeRequest, now: datetime
    ) -> dict[str, Any]:
        """Put the policy in force; it carries both persons.

        Raises:
            ChangeFailed: its end has come, or its field or recipient is gone.
        """
        try:
            field, recipients = _find_field(payload), _find_recipients(payload)
        except InvalidChange as exc:
            raise ChangeFailed(exc.code) from exc
        if _read_end(payload) <= now:
            raise ChangeFailed("release-over")
        policy = ReleasePolicy.objects.create(
            field=field,
            data_class=field.data_class,
            purpose=payload["purpose"],
            recipient_kind=recipients.kind,
            creator_id=recipients.id if recipients.kind == TargetKind.CREATOR else None,
            persona_id=recipients.id if recipients.kind == TargetKind.PERSONA else None,
            assessment_ref=payload["assessment_ref"],
            change_request=request.pk,
            proposed_by=request.requested_by,
            proposed_at=request.requested_at,
            approved_by=request.decided_by,
            approved_at=now,
            expires_at=_read_end(payload),
        )
        assert request.decided_by is not None
        _record(policy, "release.approved", by=request.decided_by, details={})
        return {"policy": str(policy.pk)}


def _find_field(payload: Payload) -> ProfileField:
    key = payload["field"]
    rows = ProfileField.objects.exclude(data_class=DataClass.SENSITIVE)
    field = rows.filter(key=key).first() if isinstance(key, str) else None
    if field is None:
        raise InvalidChange("field", "a field of the registry that is not sensitive")
    return field


def _find_recipients(payload: Payload) -> Recipients:
    kind, told = payload["recipient_kind"], payload["recipient"]
    if kind == TargetKind.ALL and told is None:
        return Recipients(TargetKind.ALL.value, None)
    if kind not in (TargetKind.CREATOR, TargetKind.PERSONA):
        raise InvalidChange("recipient_kind", "all, creator or persona")
    try:
        recipient = UUID(told)
    except (TypeError, ValueError, AttributeError) as exc:
        raise InvalidChange("recipient", "the id of a recipient") from exc
    is_creator = kind == TargetKind.CREATOR
    rows: Any = Creator.objects if is_creator else CreatorPersona.objects
    if not rows.filter(pk=recipient).exists():
        raise InvalidChange("recipient", "the id of a recipient that there is")
    return Recipients(kind, recipient)


def _check_text(payload: Payload, member: str, most: int) -> None:
    text = payload[member]
    if not isinstance(text, str) or not 1 <= len(text.strip()) <= len(text) <= most:
        raise InvalidChange(member, f"a text of 1 to {most} characters")


def _read_end(payload: Payload) -> datetime:
    """Return when the release is to end, in UTC.

    Raises:
        InvalidChange: it is no time with an offset.
    """
    try:
        end = datetime.fromisoformat(payload["expires_at"])
        if end.tzinfo is not None:
            return end.astimezone(UTC)
    except (TypeError, ValueError, OverflowError) as exc:
        raise InvalidChange("expires_at", "a time with its offset") from exc
    raise InvalidChange("expires_at", "a time with its offset")


def _count(field_key: str, recipients: Recipients, *, now: datetime) -> int:
    wanted = {
        "scope": f"release:{field_key}",
        "recipients": recipients.kind,
        "target": recipients.id,
        "moment": now,
        "up_to": MAX_COUNTED,
    }
    with connection.cursor() as cursor:
        cursor.execute(load_sql("consent", "count_granting"), wanted)
        (found,) = cursor.fetchone()
    return int(found)


def _name(recipients: Recipients) -> Any:
    """Return the recipients as people know them, for whoever agrees to them."""
    label = TargetKind(recipients.kind).label
    if recipients.id is None:
        return label
    if recipients.kind == TargetKind.CREATOR:
        name = Creator.objects.get(pk=recipients.id).external_id
    else:
        sides = CreatorPersona.objects.select_related("creator")
        persona = sides.get(pk=recipients.id)
        place = f"{persona.creator.external_id}/{persona.key}"
        name = f"{persona.display_name} ({place})"
    return _("%(kind)s: %(name)s") % {"kind": label, "name": name}


def _record(
    policy: ReleasePolicy, action: str, *, by: int, details: Mapping[str, Any]
) -> None:
    told = {"field": policy.field_id, "recipient_kind": policy.recipient_kind}
    record(
        Deed(
            chain=GOVERNANCE_CHAIN,
            action=action,
            actor=f"staff:{by}",
            object_ref=f"release_policy:{policy.pk}",
            field_names=(policy.field_id,),
            details=told | dict(details),
        )
    )
