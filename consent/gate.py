"""The one door through which other apps ask consent.

>>> check_open(relationship)  # doctest: +SKIP
"""

from django.conf import settings

from consent import policies
from consent.errors import GateClosed
from identity.types import RelationshipRef

__all__ = ["GateClosed", "check_open", "find_closing", "may_keep_sensitive"]


def find_closing(relationship: RelationshipRef) -> str | None:
    """Return the stable code of what closes a relationship to both, or None."""
    return policies.find_closing(
        status=relationship.status,
        user_status=relationship.user_status,
        age_band=relationship.age_band,
        relationship_kind=relationship.relationship_kind,
        unknown_is_minor=settings.MINORS_UNKNOWN_COUNT_AS_MINOR,
    )


def check_open(relationship: RelationshipRef) -> None:
    """Refuse both writes and recall in a closed relationship.

    Raises:
        GateClosed: with the stable code of what closes it.
    """
    code = find_closing(relationship)
    if code is not None:
        raise GateClosed(code)


def may_keep_sensitive(relationship: RelationshipRef, category: str) -> bool:
    """Say whether sensitive statements of a category may be kept and shown now.

    Asked at each write and each read, so that a withdrawal works on the next one.
    """
    return policies.may_keep_sensitive(
        category=category, is_synthetic=relationship.is_synthetic
    )
