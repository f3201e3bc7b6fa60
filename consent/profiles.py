"""What the platform tells of a user over all relationships: the values and their fields.

Owns the registry of fields, seeded from `profile_fields.toml`, and who may write which
value. Nothing of it is made from what was said in a relationship. Showing a value is
`gate.list_released`.

>>> put_values("u-1", {"region": "浙江杭州"}, by="service:ab12", now=now)
... # doctest: +SKIP
('region',)
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from django.db.models import Q

from consent.errors import GateClosed, InvalidProfileValue
from consent.models import ConsentGrant, ProfileField, ProfileValue
from consent.types import AGE_BAND, GUARDIAN, GrantStatus, TargetKind
from identity.models import GlobalUser
from identity.resolution import get_user_id
from identity.services import set_age_band
from identity.types import AgeBand, UserStatus
from memsys.kernel.audit.chain import Deed, deed_chain, record
from memsys.kernel.scope import Purpose, access_scope, require_scope
from memsys.kernel.text.clean import clean_text
from memsys.kernel.text.privacy import mask

REGISTRY = Path(__file__).with_name("profile_fields.toml")


@dataclass(frozen=True)
class ValueView:
    """One value that is kept of a user, and who told it when."""

    key: str
    label: str
    label_zh: str
    value: str
    source: str
    updated_at: datetime


def put_values(
    user_external_id: str,
    values: Mapping[str, str | None],
    *,
    by: str,
    now: datetime,
) -> tuple[str, ...]:
    """Keep values of a user, None to remove one; return the fields' names.

    All or none. Texts are cleaned and pass the privacy filter first. What was told
    before is replaced: a profile has no history. An age band counts for the rules of
    minors at once; of a child without a guardian nothing else comes of it.

    Raises:
        UserNotFound: nobody has this name.
        InvalidProfileValue: a field is unknown, or its value is none that it takes.
        InvalidIdentifier: the name is none.
        GateClosed: the account is closed, or a child's and no guardian consents.
    """
    user_id = get_user_id(user_external_id)
    checked = check_values(values)
    kept = {key: value for key, value in checked.items() if value is not None}
    removed = sorted(checked.keys() - kept.keys())
    with access_scope(Purpose.SERVICE, user=user_id):
        if kept:
            _keep_if_old_enough(user_id, kept, by=by, now=now)
        if removed:
            ProfileValue.objects.filter(
                global_user_id=user_id, field__in=removed
            ).delete()
        record(
            Deed(
                chain=deed_chain(user_id),
                action="profile.put",
                actor=by,
                object_ref=f"user:{user_id}",
                field_names=tuple(checked),
            )
        )
    return tuple(sorted(checked))


def list_values(user_id: UUID) -> list[ValueView]:
    """Return what is kept of a user, whether or not it may be shown. One query.

    Raises:
        ScopeMissing, ScopeConflict: no scope of this user is open.
    """
    require_scope(user=user_id)
    rows = ProfileValue.objects.filter(global_user_id=user_id).select_related("field")
    return [
        ValueView(
            key=row.field_id,
            label=row.field.label,
            label_zh=row.field.label_zh,
            value=row.value,
            source=row.source,
            updated_at=row.updated_at,
        )
        for row in rows.order_by("field_id")
    ]


def check_values(values: Mapping[str, str | None]) -> dict[str, str | None]:
    """Return the values as they may be kept. One query.

    Raises:
        InvalidProfileValue: a field is unknown, or its value is none that it takes.
    """
    fields = ProfileField.objects.in_bulk()
    if not values or not values.keys() <= fields.keys():
        expected = "one or more of " + ", ".join(sorted(fields))
        raise InvalidProfileValue("", "unknown-field", expected)
    return {
        key: None if value is None else _check(fields[key], value)
        for key, value in sorted(values.items())
    }


def _check(field: ProfileField, value: object) -> str:
    expected = f"a text of 1 to {field.max_chars} characters"
    if field.allowed:
        expected = "one of " + ", ".join(field.allowed)
    if not isinstance(value, str):
        raise InvalidProfileValue(field.key, "wrong-type", expected)
    text = mask(clean_text(value)).text
    if not text:
        raise InvalidProfileValue(field.key, "blank", expected)
    if field.allowed and text not in field.allowed:
        raise InvalidProfileValue(field.key, "not-allowed", expected)
    if len(text) > field.max_chars:
        raise InvalidProfileValue(field.key, "too-long", expected)
    return text


def forget_values_of_child(user_id: UUID, *, now: datetime) -> int:
    """Delete the values of a child whose guardian consents no more; return how many.

    Source: PIPL, articles 31 and 47.

    Raises:
        ScopeMissing, ScopeConflict: no scope of this user is open.
    """
    require_scope(user=user_id)
    user = _lock_user(user_id)
    if user.age_band != AgeBand.UNDER_14 or _has_guardian(user_id, now=now):
        return 0
    return ProfileValue.objects.filter(global_user_id=user_id).delete()[0]


def _keep_if_old_enough(
    user_id: UUID, values: Mapping[str, str], *, by: str, now: datetime
) -> None:
    """Keep values, but of a child without a guardian no more than that it is one.

    A guardian who withdraws waits until this commits, and then all values go.

    Source: PIPL, article 31; Order 21, article 17.
    """
    user = _lock_user(user_id)
    if user.status == UserStatus.CLOSED:
        raise GateClosed("user-closed")
    band = values.get(AGE_BAND, user.age_band)
    if band != user.age_band:
        set_age_band(user_id, band)
    if band != AgeBand.UNDER_14 or _has_guardian(user_id, now=now):
        _keep(user_id, values, by=by, now=now)
    elif values.keys() != {AGE_BAND}:
        raise GateClosed("minor-restricted")


def _lock_user(user_id: UUID) -> GlobalUser:
    return GlobalUser.objects.select_for_update(no_key=True).get(pk=user_id)


def _has_guardian(user_id: UUID, *, now: datetime) -> bool:
    """Say whether a guardian consents to all that is the child's. One query."""
    grants = ConsentGrant.objects.filter(
        Q(expires_at=None) | Q(expires_at__gt=now),
        Q(policy_version__renewal_from=None) | Q(policy_version__renewal_from__gt=now),
        global_user_id=user_id,
        scope=GUARDIAN,
        target_kind=TargetKind.ALL,
        status=GrantStatus.GRANTED,
    )
    return bool(grants.exists())


def _keep(user_id: UUID, values: Mapping[str, str], *, by: str, now: datetime) -> None:
    ProfileValue.objects.bulk_create(
        [
            ProfileValue(
                global_user_id=user_id,
                field_id=key,
                value=value,
                source=by,
                updated_at=now,
            )
            for key, value in values.items()
        ],
        update_conflicts=True,
        unique_fields=["shard", "global_user", "field"],
        update_fields=["value", "source", "updated_at"],
    )


def seed_fields(using: str, **kwargs: Any) -> None:
    """Make the fields that are not there yet; after each migration."""
    told = tomllib.loads(REGISTRY.read_text(encoding="utf-8"))["field"]
    ProfileField.objects.using(using).bulk_create(
        [ProfileField(**field) for field in told], ignore_conflicts=True
    )
