"""The rules of consent as pure functions over what is known of a relationship.

>>> find_closing(status="paused", user_status="active", age_band="adult",
...              relationship_kind="friend", unknown_is_minor=False)
'relationship-paused'
"""

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


def may_keep_sensitive(*, category: str, is_synthetic: bool) -> bool:
    """Say whether statements of a sensitive category may be kept and shown.

    A real user grants each category, and until grants are recorded nobody has. Users
    made for the demo or an evaluation hold the grants of all categories that there are.

    Source: PIPL, articles 28 and 29: separate consent for sensitive data.

    >>> may_keep_sensitive(category="diagnosis", is_synthetic=False)
    False
    """
    return is_synthetic and category != ""


def find_closing(
    *,
    status: str,
    user_status: str,
    age_band: str,
    relationship_kind: str,
    unknown_is_minor: bool,
) -> str | None:
    """Return the code of what closes a relationship, or None when it is open.

    Source: Order 21, articles 14 and 17: no virtual partner for minors, nothing kept
    of a child under 14 without a guardian's consent.
    """
    if user_status == UserStatus.CLOSED:
        return "user-closed"
    if (code := _CLOSED_BY_STATUS.get(RelationshipStatus(status))) is not None:
        return code
    is_minor = age_band in _MINOR_BANDS or (
        unknown_is_minor and age_band == AgeBand.UNKNOWN
    )
    if age_band == AgeBand.UNDER_14:
        return "minor-restricted"
    if is_minor and relationship_kind == RelationshipKind.INTIMATE:
        return "minor-restricted"
    return None
