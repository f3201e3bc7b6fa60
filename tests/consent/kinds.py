"""Kinds of change for tests: they make a creator of a name, or fail on the way.

>>> settings.CHANGE_KINDS = ["tests.consent.kinds.Naming"]  # doctest: +SKIP
"""

from collections.abc import Collection
from datetime import datetime
from typing import Any
from uuid import uuid4

from django.utils import timezone

from consent.approvals import Payload, add_result
from consent.errors import ChangeFailed, InvalidChange
from consent.models import ChangeRequest, LegalHold
from identity.models import Creator

PATHS = [f"tests.consent.kinds.{name}" for name in ("Naming", "LongNaming")]


class Naming:
    """Makes the creator that the payload names, unless it is told to fail."""

    code = "naming"
    label = "Naming"

    def prepare(self, payload: Payload) -> dict[str, Any]:
        return {"fails": "", "gains": []} | dict(payload)

    def check(self, payload: Payload) -> None:
        if not isinstance(payload.get("name"), str):
            raise InvalidChange("name", "a text")

    def list_barred(self, payload: Payload) -> Collection[int]:
        gaining: list[int] = payload["gains"]
        return gaining

    def describe(self, payload: Payload) -> list[tuple[Any, Any]]:
        return [("Name", payload["name"])]

    def carry_out(
        self, payload: Payload, *, request: ChangeRequest, now: datetime
    ) -> dict[str, Any]:
        creator = Creator.objects.create(external_id=payload["name"])
        if payload["fails"] == "foreseen":
            raise ChangeFailed("not-that-name")
        if payload["fails"] == "taken":
            Creator.objects.create(external_id=payload["name"])
        if payload["fails"] == "late":
            LegalHold.objects.create(
                global_user_id=uuid4(),
                reason_code="x",
                case_ref="x",
                placed_by="x",
                placed_at=timezone.now(),
            )
        if payload["fails"] == "unforeseen":
            raise ZeroDivisionError
        return {"creator": str(creator.pk)}


class LongNaming(Naming):
    """The same, done by a job in two steps; the worker may die between them."""

    code = "long_naming"
    is_long = True

    def carry_out(
        self, payload: Payload, *, request: ChangeRequest, now: datetime
    ) -> dict[str, Any]:
        made: int = request.result.get("made", 0)
        for number in range(made, 2):
            Creator.objects.create(external_id=f"{payload['name']}-{number}")
            add_result(request, made=number + 1)
            if number == 0 and payload["fails"] == "dies":
                raise SystemExit
        return {"made": 2}
