"""What this app holds of a person, for erasure (the nicknames of facets) and export.

The account and its relationships stay as ids with their status; see
`consent.erasures.stores`.

>>> erase_nicknames(Erasure(user_id, "user"), now)  # doctest: +SKIP
{'nicknames': 1}
"""

from datetime import datetime

from django.db.models import QuerySet

from identity.exported import export_sections
from identity.models import UserFacet
from memsys.kernel.erasing import USER, Erasure, ErasureStep

__all__ = ["ERASURE_STEPS", "export_sections"]


def erase_nicknames(erasure: Erasure, now: datetime) -> dict[str, int]:
    """Empty the nicknames of a user's facets."""
    return {"nicknames": _named(erasure).update(nickname="")}


def count_nicknames(erasure: Erasure) -> dict[str, int]:
    """Return how many facets have one; one that was told later carries no date."""
    if erasure.until is not None:
        return {"nicknames": 0}
    return {"nicknames": _named(erasure).count()}


def _named(erasure: Erasure) -> QuerySet[UserFacet]:
    rows = UserFacet.objects.filter(global_user_id=erasure.user_id)
    return rows.exclude(nickname="")


ERASURE_STEPS = (
    ErasureStep(
        "identity.nicknames",
        frozenset({USER}),
        erase_nicknames,
        count_nicknames,
        is_of_user=True,
    ),
)
