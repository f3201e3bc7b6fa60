"""Other weights and caps of recall, as a change that takes two persons.

Owns what can be asked for: a whole policy for all, for one persona or for one scenario,
within its caps. What was in force at the asking stands in the payload beside it: the
second person sees both, and a policy that was changed meanwhile is not overwritten.

>>> propose("recall_policy", {"persona": None, "scenario": "AI-01",
...         **read_values(persona_id=None, scenario="AI-01"), "top_k": 3}, ...)
... # doctest: +SKIP
"""

from collections.abc import Mapping
from datetime import datetime
from math import isfinite
from typing import Any
from uuid import UUID

from django.utils.translation import gettext_lazy as _

from consent.approvals import GOVERNANCE_CHAIN, Payload
from consent.errors import ChangeFailed, InvalidChange
from consent.models import ChangeRequest
from identity.models import CreatorPersona
from memsys.kernel.audit.chain import Deed, record
from recall.models import RecallPolicy
from recall.types import MAX_WEIGHT_IMPORTANCE, MAX_WEIGHT_RECENCY, Fusion

SCENARIOS = ("AI-01", "AI-02", "AI-03", "AI-04", "AI-05", "AI-06")
# Of each number the least and the most that can be asked for.
SHARES: Mapping[str, tuple[float, float]] = {
    "weight_vector": (0.0, 1.0),
    "weight_recency": (0.0, MAX_WEIGHT_RECENCY),
    "weight_importance": (0.0, MAX_WEIGHT_IMPORTANCE),
    "date_bonus": (0.0, 2.0),
}
COUNTS: Mapping[str, tuple[int, int]] = {
    "rrf_k": (1, 1000),
    "top_k": (3, 5),
    "per_session": (1, 3),
}
SWITCHES = ("allow_payment_signal", "allow_emotion_signal")
VALUES = ("fusion", *SHARES, *COUNTS, *SWITCHES)
PLACE = ("persona", "scenario")
WAS = "was"

FUSIONS: Mapping[str, Any] = {
    Fusion.WEIGHTED.value: _("Weighted sum"),
    Fusion.RRF.value: _("Fusion of ranks"),
}
LABELS: Mapping[str, Any] = {
    "fusion": _("Fusion"),
    "weight_vector": _("Weight of meaning"),
    "weight_recency": _("Weight of recency"),
    "weight_importance": _("Weight of importance"),
    "date_bonus": _("Bonus of a date in the question"),
    "rrf_k": _("k of rank fusion"),
    "top_k": _("Memories at most"),
    "per_session": _("Memories of one session at most"),
    "allow_payment_signal": _("Payments count"),
    "allow_emotion_signal": _("Strong emotion counts"),
}


def read_values(*, persona_id: UUID | None, scenario: str) -> dict[str, Any]:
    """Return the values of the policy of this place, or the defaults. One query."""
    row = RecallPolicy.objects.filter(persona_id=persona_id, scenario=scenario).first()
    return _values(row or RecallPolicy())


class RecallPolicyChange:
    """A recall policy that is made or changed; followed everywhere within seconds."""

    code = "recall_policy"
    label = _("Recall policy")

    def prepare(self, payload: Payload) -> dict[str, Any]:
        """Return the payload with the values in force now; None where there are none.

        Raises:
            InvalidChange: it does not say where the policy is to count.
        """
        told = {key: value for key, value in payload.items() if key != WAS}
        for name in SHARES:
            # 1 and 1.0 are the same weight, and must be written in the same way.
            if isinstance(told.get(name), int) and not isinstance(told[name], bool):
                told[name] = float(told[name])
        row = _find(*_read_place(told))
        return told | {WAS: _values(row) if row is not None else None}

    def check(self, payload: Payload) -> None:
        """Refuse what is not a whole policy within its caps.

        Raises:
            InvalidChange: naming the value and its bounds.
        """
        if set(payload) != {*PLACE, *VALUES, WAS}:
            raise InvalidChange("payload", "exactly " + ", ".join((*PLACE, *VALUES)))
        _read_place(payload)
        if payload["fusion"] not in [one.value for one in Fusion]:
            raise InvalidChange("fusion", "weighted or rrf")
        for name, (low, high) in SHARES.items():
            _check_share(payload[name], name, low, high)
        for name, bounds in COUNTS.items():
            _check_count(payload[name], name, *bounds)
        for name in SWITCHES:
            if not isinstance(payload[name], bool):
                raise InvalidChange(name, "true or false")
        if payload[WAS] == {name: payload[name] for name in VALUES}:
            raise InvalidChange("payload", "other than what is in force")

    def describe(self, payload: Payload) -> list[tuple[Any, Any]]:
        """Return where it counts, and each value: the old one, then the new one."""
        persona_id, scenario = _read_place(payload)
        lines: list[tuple[Any, Any]] = [
            (_("Persona"), str(persona_id) if persona_id else _("All")),
            (_("Scenario"), scenario or _("All")),
        ]
        was = payload[WAS] or {}
        for name in VALUES:
            old, new = was.get(name), _words(payload[name])
            is_same = old == payload[name]
            lines.append(
                (LABELS[name], f"{new}" if is_same else f"{_words(old)} → {new}")
            )
        return lines

    def carry_out(
        self, payload: Payload, *, request: ChangeRequest, now: datetime
    ) -> dict[str, Any]:
        """Make the policy, or change the one of this place.

        Raises:
            ChangeFailed: it was changed since this was asked for.
        """
        persona_id, scenario = _read_place(payload)
        rows = RecallPolicy.objects.select_for_update()
        row = rows.filter(persona_id=persona_id, scenario=scenario).first()
        if (None if row is None else _values(row)) != payload[WAS]:
            raise ChangeFailed("changed-meanwhile")
        made = row or RecallPolicy(persona_id=persona_id, scenario=scenario)
        fields = [n for n in VALUES if row is None or getattr(row, n) != payload[n]]
        for name in fields:
            setattr(made, name, payload[name])
        made.save()
        record(
            Deed(
                chain=GOVERNANCE_CHAIN,
                action="recall_policy.changed" if row else "recall_policy.made",
                actor=f"staff:{request.decided_by}",
                object_ref=f"recall_policy:{made.pk}",
                field_names=tuple(fields),
                reason_code=self.code,
            )
        )
        return {"recall_policy": str(made.pk), "changed": sorted(fields)}


def _words(value: Any) -> Any:
    if isinstance(value, bool):
        return _("Yes") if value else _("No")
    return "–" if value is None else FUSIONS.get(value, value)


def _values(row: RecallPolicy) -> dict[str, Any]:
    return {name: getattr(row, name) for name in VALUES}


def _find(persona_id: UUID | None, scenario: str) -> RecallPolicy | None:
    return RecallPolicy.objects.filter(persona_id=persona_id, scenario=scenario).first()


def _read_place(payload: Payload) -> tuple[UUID | None, str]:
    """Return where a policy counts.

    Raises:
        InvalidChange: there is no such persona or scenario.
    """
    scenario = payload.get("scenario")
    if scenario not in ("", *SCENARIOS):
        raise InvalidChange("scenario", "empty, or one of " + ", ".join(SCENARIOS))
    persona = payload.get("persona")
    if persona is None:
        return None, str(scenario)
    try:
        persona_id = UUID(str(persona))
    except ValueError as exc:
        raise InvalidChange("persona", "the id of a persona, or null") from exc
    if not CreatorPersona.objects.filter(pk=persona_id).exists():
        raise InvalidChange("persona", "the id of a persona, or null")
    return persona_id, str(scenario)


def _check_share(value: Any, name: str, low: float, high: float) -> None:
    is_number = isinstance(value, float) and isfinite(value)
    if not is_number or not low <= value <= high:
        raise InvalidChange(name, f"a number from {low} to {high}")


def _check_count(value: Any, name: str, low: int, high: int) -> None:
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    if not is_whole or not low <= value <= high:
        raise InvalidChange(name, f"a whole number from {low} to {high}")
