"""The rules of consent as pure functions over what is known of a relationship.

>>> find_closing(status="paused", user_status="active", age_band="adult",
...              relationship_kind="friend", unknown_is_minor=False)
'relationship-paused'
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from consent.types import (
    GUARDIAN,
    MODEL_TRAINING,
    RELEASE,
    DataClass,
    GrantStatus,
    Surface,
    TargetKind,
    scope_document,
)
from identity.types import (
    AgeBand,
    RelationshipKind,
    RelationshipStatus,
    UserStatus,
)

_CLOSED_BY_STATUS = {
    RelationshipStatus.ENDED: "relationship-ended",
    RelationshipStatus.PAUSED: "relationship-paused",
    RelationshipStatus.RESTRICTED: "relationship-restricted",
}
_MINOR_BANDS = (AgeBand.MINOR_14_17, AgeBand.UNDER_14)


@dataclass(frozen=True)
class MinorRule:
    """What nobody under 18 can consent to, nor a guardian for them.

    `data_class` empty stands for all that the document covers. `source` is the law.
    """

    document: str
    data_class: str
    source: str


# Age rules are data: a new article is a new line here.
MINOR_RULES = (
    MinorRule(RELEASE, DataClass.COMMERCIAL, "未成年人网络保护条例, article 24"),
    MinorRule(MODEL_TRAINING, "", "Order 21, articles 14 and 16"),
)


# From the widest target to the narrowest.
WIDTHS = (
    TargetKind.ALL, TargetKind.CREATOR, TargetKind.PERSONA, TargetKind.RELATIONSHIP,
)  # fmt: skip


@dataclass(frozen=True)
class Said:
    """The last word of a user on one scope, for one target."""

    id: UUID
    scope: str
    target_kind: str
    status: str
    granted_at: datetime | None
    expires_at: datetime | None = None
    ended_at: datetime | None = None
    renewal_from: datetime | None = None


def list_holding(
    said: Sequence[Said], *, now: datetime, taken_over_at: datetime | None
) -> list[Said]:
    """Return the grants that hold in a relationship; each word covers it.

    A grant does not hold where the user withdrew later, for less than it covers, or
    later gave one for less until a time that is over. `taken_over_at` is when the proxy
    pool took the relationship over: it inherits no release.
    """
    return [
        one
        for one in said
        if one.status == GrantStatus.GRANTED
        and one.granted_at is not None
        and not _is_over(one, now)
        and (one.renewal_from is None or now < one.renewal_from)
        and not _is_inherited(one, taken_over_at)
        and not any(_overrules(other, one, now) for other in said)
    ]


def _is_over(one: Said, now: datetime) -> bool:
    return one.expires_at is not None and one.expires_at <= now


def _is_inherited(one: Said, taken_over_at: datetime | None) -> bool:
    if taken_over_at is None or scope_document(one.scope) != RELEASE:
        return False
    return one.granted_at is None or one.granted_at <= taken_over_at


def _overrules(word: Said, grant: Said, now: datetime) -> bool:
    """Say whether a word denies a grant of the same scope."""
    if word.scope != grant.scope or grant.granted_at is None:
        return False
    if word.status == GrantStatus.WITHDRAWN:
        return word.ended_at is not None and word.ended_at >= grant.granted_at
    is_later = word.granted_at is not None and word.granted_at >= grant.granted_at
    is_narrower = WIDTHS.index(TargetKind(word.target_kind)) > WIDTHS.index(
        TargetKind(grant.target_kind)
    )
    return _is_over(word, now) and is_later and is_narrower


def is_minor(age_band: str, *, unknown_is_minor: bool) -> bool:
    """Say whether the rules for minors hold for a user of an age band."""
    return age_band in _MINOR_BANDS or (
        unknown_is_minor and age_band == AgeBand.UNKNOWN
    )


def is_barred_to_minors(scope: str, *, data_class: str = "") -> bool:
    """Say whether a minor can consent to a scope; `data_class` is of a field released.

    Source: 未成年人网络保护条例, article 24: no marketing to minors by automated means,
    which is what commercial data would be for. Order 21, articles 14 and 16: sensitive
    interaction of minors trains no model.

    >>> is_barred_to_minors("release:spend_tier", data_class="commercial")
    True
    """
    document = scope_document(scope)
    return any(
        rule.document == document and rule.data_class in ("", data_class)
        for rule in MINOR_RULES
    )


def find_grant_fault(
    *,
    scope: str,
    surface: str,
    age_band: str,
    unknown_is_minor: bool,
    data_class: str = "",
) -> str | None:
    """Return the code of what bars a grant on account of age, or None.

    Source: PIPL, article 31: for a child under 14 a guardian consents. A guardian's own
    consent is given by a guardian, whatever the age.

    >>> find_grant_fault(scope="guardian", surface="chat", age_band="under_14",
    ...                  unknown_is_minor=False)
    'guardian-needed'
    """
    if is_minor(age_band, unknown_is_minor=unknown_is_minor) and is_barred_to_minors(
        scope, data_class=data_class
    ):
        return "minor-cannot-consent"
    needs_guardian = scope == GUARDIAN or age_band == AgeBand.UNDER_14
    if needs_guardian and surface != Surface.GUARDIAN:
        return "guardian-needed"
    return None


def may_keep_sensitive(*, category: str, is_synthetic: bool, is_granted: bool) -> bool:
    """Say whether statements of a sensitive category may be kept and shown.

    A real user grants each category. Users made for the demo or an evaluation hold the
    grants of all categories that there are.

    Source: PIPL, articles 28 and 29: separate consent for sensitive data.

    >>> may_keep_sensitive(category="diagnosis", is_synthetic=False, is_granted=False)
    False
    """
    return category != "" and (is_synthetic or is_granted)


def find_closing(
    *,
    status: str,
    user_status: str,
    age_band: str,
    relationship_kind: str,
    unknown_is_minor: bool,
    has_guardian: bool = False,
) -> str | None:
    """Return the code of what closes a relationship, or None when it is open.

    `has_guardian` counts for a child under 14 alone: a guardian consents to it.

    Source: Order 21, articles 14 and 17: no virtual partner for minors, nothing kept
    of a child under 14 without a guardian's consent.
    """
    if user_status == UserStatus.CLOSED:
        return "user-closed"
    if (code := _CLOSED_BY_STATUS.get(RelationshipStatus(status))) is not None:
        return code
    if age_band == AgeBand.UNDER_14 and not has_guardian:
        return "minor-restricted"
    is_intimate = relationship_kind == RelationshipKind.INTIMATE
    if is_intimate and is_minor(age_band, unknown_is_minor=unknown_is_minor):
        return "minor-restricted"
    return None
