"""Opening one sensitive memory to one person, after a second one agreed.

Owns what is asked for. The request is the right: who asked may open that one memory
for an hour after it was approved; each opening still takes a reason and is recorded.

>>> SensitiveReveal.code
'sensitive_reveal'
"""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils.translation import gettext_lazy as _

from consent.approvals import Payload
from consent.errors import InvalidChange
from consent.minor_access import LASTS
from consent.models import ChangeRequest


class SensitiveReveal:
    """The right as a change that takes two persons; it closes by itself."""

    code = "sensitive_reveal"
    label = _("Opening of a sensitive memory for 60 minutes")

    def check(self, payload: Payload) -> None:
        """Refuse what does not name one memory of one relationship.

        Raises:
            InvalidChange: it names none, or more than that.
        """
        if set(payload) != {"relationship", "item"}:
            raise InvalidChange("payload", "a relationship and an item")
        kind, _colon, key = str(payload["item"]).partition(":")
        if kind != "memory" or not _is_id(key) or not _is_id(payload["relationship"]):
            raise InvalidChange("item", "memory:<id>")

    def describe(self, payload: Payload) -> list[tuple[Any, Any]]:
        """Return which memory would be opened, and for how long."""
        return [
            (_("Relationship"), payload["relationship"]),
            (_("Item"), payload["item"]),
            (_("Open for, in minutes"), int(LASTS.total_seconds() // 60)),
        ]

    def carry_out(
        self, payload: Payload, *, request: ChangeRequest, now: datetime
    ) -> dict[str, Any]:
        """Open the right from now on."""
        return {"until": (now + LASTS).isoformat()}


def _is_id(text: Any) -> bool:
    try:
        UUID(str(text))
    except ValueError:
        return False
    return True
