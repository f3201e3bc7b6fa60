"""For which consents a user may be asked now.

Owns the rule of not asking again soon: nobody is asked for what they refused or
withdrew for `CONSENT_COOLDOWN_DAYS`.

Source: 网络数据安全管理条例, article 22: no frequent asking after a refusal.

>>> [one.scope for one in list_prompts(user_id, now=now)]  # doctest: +SKIP
['release:region']
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings

from consent import policies
from consent.allowances import read_allowances
from consent.models import ConsentGrant, PolicyVersion
from consent.scopes import KnownScope, list_scopes
from consent.texts import LOCALES, is_in_force, list_current
from consent.types import GUARDIAN, GrantStatus, Surface
from identity.models import GlobalUser
from identity.types import AgeBand, RelationshipRef
from memsys.kernel.scope import require_scope

NEVER_ASKED, NEEDS_RENEWAL, EXPIRED = "never-asked", "needs-renewal", "expired"


@dataclass(frozen=True)
class Prompt:
    """What may be asked for, why, and the text to show.

    `needs_guardian` says that only a guardian can answer.
    """

    scope: KnownScope
    reason: str
    text: PolicyVersion
    needs_guardian: bool


def list_prompts(
    user_id: UUID,
    *,
    now: datetime,
    relationship: RelationshipRef | None = None,
    targets: Collection[UUID] | None = None,
) -> list[Prompt]:
    """Return what a user may be asked for now; five queries.

    With a relationship, whether it is allowed already is asked for that one; without,
    whether it is allowed anywhere. With `targets`, what the user granted for others is
    as if it were not. A refusal is one for whoever asks.

    Raises:
        ScopeMissing, ScopeConflict: no scope of the user (and relationship) is open.
    """
    require_scope(user=user_id)
    user = GlobalUser.objects.get(pk=user_id)
    rows = ConsentGrant.objects.filter(global_user_id=user_id)
    told = rows.select_related("policy_version", "last_event").order_by("id")
    quiet = _list_quiet(told, now=now)
    is_child = user.age_band == AgeBand.UNDER_14
    grants = [row for row in told if _counts(row, targets, is_child=is_child)]
    held = _list_held(grants, relationship, now=now)
    texts = {(one.document, one.locale): one for one in list_current(now=now)}
    locale = _locale_of(user.locale)
    return [
        Prompt(
            known,
            _find_reason(known.code, grants, now=now),
            texts[known.document, locale],
            known.code == GUARDIAN or is_child,
        )
        for known in list_scopes().values()
        if known.code not in held | quiet
        and _is_for_age(known, user.age_band)
        and (known.document, locale) in texts
    ]


def _counts(
    row: ConsentGrant, targets: Collection[UUID] | None, *, is_child: bool
) -> bool:
    """Say whether a grant is for one of the targets; of a child, that a guardian gave."""
    if is_child and row.last_event.surface != Surface.GUARDIAN:
        return False
    return targets is None or row.target_id is None or row.target_id in targets


def _list_quiet(grants: Iterable[ConsentGrant], *, now: datetime) -> frozenset[str]:
    """Return the scopes for which nobody may ask yet."""
    since = now - timedelta(days=settings.CONSENT_COOLDOWN_DAYS)
    return frozenset(
        row.scope
        for row in grants
        if row.status == GrantStatus.WITHDRAWN
        and row.ended_at is not None
        and row.ended_at > since
    )


def _list_held(
    grants: Sequence[ConsentGrant],
    relationship: RelationshipRef | None,
    *,
    now: datetime,
) -> frozenset[str]:
    if relationship is not None:
        return read_allowances(relationship, now=now).scopes
    return frozenset(row.scope for row in grants if _holds(row, now=now))


def _holds(row: ConsentGrant, *, now: datetime) -> bool:
    return (
        row.status == GrantStatus.GRANTED
        and (row.expires_at is None or now < row.expires_at)
        and row.policy_version is not None
        and is_in_force(row.policy_version, now=now)
    )


def _find_reason(scope: str, grants: Sequence[ConsentGrant], *, now: datetime) -> str:
    """Return why to ask for a scope."""
    own = [row for row in grants if row.scope == scope]
    given = [row for row in own if row.status == GrantStatus.GRANTED]
    if any(row.expires_at is None or now < row.expires_at for row in given):
        # What holds elsewhere is asked for here as if it were new.
        is_new = all(_holds(row, now=now) for row in given)
        return NEVER_ASKED if is_new else NEEDS_RENEWAL
    return EXPIRED if given or _has_expired(own) else NEVER_ASKED


def _has_expired(own: Sequence[ConsentGrant]) -> bool:
    return any(row.status == GrantStatus.EXPIRED for row in own)


def _is_for_age(known: KnownScope, age_band: str) -> bool:
    """Say whether somebody of this age, or their guardian, can consent to it at all."""
    if known.code == GUARDIAN:
        return age_band == AgeBand.UNDER_14
    is_minor = policies.is_minor(
        age_band, unknown_is_minor=settings.MINORS_UNKNOWN_COUNT_AS_MINOR
    )
    return not is_minor or not policies.is_barred_to_minors(
        known.code, data_class=known.data_class
    )


def _locale_of(tag: str) -> str:
    """Return the language of ours that suits a tag.

    >>> _locale_of("en-GB"), _locale_of("fr")
    ('en', 'zh-hans')
    """
    language = tag.partition("-")[0].lower()
    fitting = [one for one in LOCALES if one.partition("-")[0] == language]
    return fitting[0] if fitting else LOCALES[0]
