"""Keeping a class of data for a shorter time, as a change that takes two persons.

Owns the check that it is shorter than what is in force and not below the floor. What
lapses by it goes in the next night: the first run sees that a time has changed.

>>> RetentionShortening().check({"data_class": "raw_message", "days": 14})
... # doctest: +SKIP
"""

from datetime import datetime
from typing import Any

from django.utils.translation import gettext_lazy as _

from consent.approvals import Payload
from consent.errors import ChangeFailed, InvalidChange, UnknownDataClass
from consent.models import ChangeRequest, RetentionOverride
from consent.retention.classes import KeptClass, get_class, read_days


class RetentionShortening:
    """Keeping a class of data for fewer days."""

    code = "retention_shortening"
    label = _("Shorter time of keeping")

    def check(self, payload: Payload) -> None:
        """Refuse what is no shorter time of a class.

        Raises:
            InvalidChange: naming the member and what was expected.
        """
        if set(payload) != {"data_class", "days"}:
            raise InvalidChange("payload", "exactly data_class, days")
        kept, days = _find(payload), payload["days"]
        most = read_days()[kept.code] - 1
        if type(days) is not int or not kept.floor <= days <= most:
            raise InvalidChange("days", f"whole days, {kept.floor} to {most}")

    def describe(self, payload: Payload) -> list[tuple[Any, Any]]:
        """Return the class, its time now and then, and the floor with its reason."""
        kept = _find(payload)
        return [
            (_("Class of data"), kept.title),
            (_("Days now"), read_days()[kept.code]),
            (_("Days then"), payload["days"]),
            (_("Days at least"), kept.floor),
            (_("Why it is kept"), kept.reason),
        ]

    def carry_out(
        self, payload: Payload, *, request: ChangeRequest, now: datetime
    ) -> dict[str, Any]:
        """Keep the class for fewer days from the next night on.

        Raises:
            ChangeFailed: it is as short or shorter by now, or cannot be so short.
        """
        try:
            self.check(payload)
        except InvalidChange as exc:
            raise ChangeFailed("not-shorter") from exc
        code, days = payload["data_class"], payload["days"]
        RetentionOverride.objects.update_or_create(
            data_class=code,
            defaults={"days": days, "change_request": request.pk, "set_at": now},
        )
        return {"data_class": code, "days": days}


def _find(payload: Payload) -> KeptClass:
    try:
        kept = get_class(str(payload["data_class"]))
    except UnknownDataClass as exc:
        raise InvalidChange("data_class", "the code of a class") from exc
    if not kept.is_settable:
        raise InvalidChange("data_class", "a class whose time can be set")
    return kept
