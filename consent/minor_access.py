"""One person's access to one minor's data, for an hour, after a second one agreed.

Owns how long it lasts and the question whether it is there. The request for the change
is the access: who asked for it may open what is that user's from when it was approved.

>>> may_open_minor(user_id, staff=3, now=now)  # doctest: +SKIP
False
"""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.utils.translation import gettext_lazy as _

from consent import approvals
from consent.approvals import Payload
from consent.errors import InvalidChange
from consent.models import ChangeRequest
from consent.types import ChangeState
from identity.models import GlobalUser

LASTS = timedelta(minutes=60)


def propose_access(
    user_id: UUID, *, reason: str, by: int, now: datetime
) -> ChangeRequest:
    """Ask to open a minor's data oneself; another person decides.

    Raises:
        InvalidChange: there is no such user, or no reason was given.
    """
    return approvals.propose(
        MinorAccess.code,
        {"user": str(user_id)},
        object_ref=_object_ref(user_id),
        reason=reason,
        by=by,
        now=now,
    )


def may_open_minor(user_id_of_subject: UUID, *, staff: int, now: datetime) -> bool:
    """Say whether a person may open this minor's data now. One query.

    Source: 未成年人网络保护条例, article 36: approval beforehand, access recorded.
    """
    return ChangeRequest.objects.filter(
        kind=MinorAccess.code,
        state=ChangeState.DONE,
        # The first finds the row, the second is what was approved.
        object_ref=_object_ref(user_id_of_subject),
        payload={"user": str(user_id_of_subject)},
        requested_by=staff,
        finished_at__gt=now - LASTS,
        finished_at__lte=now,
    ).exists()


class MinorAccess:
    """The access as a change that takes two persons; it closes by itself."""

    code = "minor_access"
    label = _("Access to a minor's data for 60 minutes")

    def check(self, payload: Payload) -> None:
        """Refuse what names no user.

        Raises:
            InvalidChange: it names none, or more than that.
        """
        if set(payload) != {"user"} or _find_user(payload) is None:
            raise InvalidChange("user", "the id of a user")

    def describe(self, payload: Payload) -> list[tuple[Any, Any]]:
        """Return whose data would be open, the person's age band, and for how long."""
        user = _find_user(payload)
        band = user.get_age_band_display() if user is not None else ""
        return [
            (_("User"), payload["user"]),
            (_("Age band"), band),
            (_("Open for, in minutes"), int(LASTS.total_seconds() // 60)),
        ]

    def carry_out(
        self, payload: Payload, *, request: ChangeRequest, now: datetime
    ) -> dict[str, Any]:
        """Open the access from now on."""
        return {"until": (now + LASTS).isoformat()}


def _object_ref(user_id: UUID) -> str:
    return f"user:{user_id}"


def _find_user(payload: Payload) -> GlobalUser | None:
    try:
        user_id = UUID(payload["user"])
    except (KeyError, TypeError, ValueError, AttributeError):
        return None
    return GlobalUser.objects.filter(pk=user_id).first()
