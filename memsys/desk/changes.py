"""Giving and taking roles, as a change that takes two persons.

Owns the one kind of change that is about the staff themselves. Whoever gains a role
cannot be the one who approves it.

>>> propose("role_grant", {"staff": 7, "role": "auditor", "is_given": True}, ...)
... # doctest: +SKIP
"""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from django.contrib.auth.models import Group, User
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from consent.approvals import Payload
from consent.errors import ChangeFailed, InvalidChange
from consent.models import ChangeRequest
from memsys.desk.roles import BY_NAME, label_of
from memsys.kernel.audit.chain import Deed, record
from memsys.kernel.pages.codes import list_words
from memsys.kernel.pages.read_only import DESK_CHAIN


class RoleGrant:
    """One role given to one person at the desk, or taken from them."""

    code = "role_grant"
    label = _("Role at the desk")

    def check(self, payload: Payload) -> None:
        """Refuse a person, role or change that cannot be.

        Raises:
            InvalidChange: naming the member and what was expected.
        """
        if set(payload) != {"staff", "role", "is_given"}:
            raise InvalidChange("payload", "exactly staff, role, is_given")
        if payload["role"] not in BY_NAME:
            raise InvalidChange("role", "one of " + ", ".join(BY_NAME))
        if not isinstance(payload["is_given"], bool):
            raise InvalidChange("is_given", "true or false")
        user = _find_user(payload)
        if user is None:
            raise InvalidChange("staff", "an active account of the desk")
        if _has_role(user, payload["role"]) == payload["is_given"]:
            raise InvalidChange("is_given", "a change of what the person has")

    def list_barred(self, payload: Payload) -> Collection[int]:
        """Return the person whose role it is."""
        return {payload["staff"]}

    def describe(self, payload: Payload) -> list[tuple[Any, Any]]:
        """Return whose role changes, which, and what they would have."""
        user = User.objects.filter(pk=payload["staff"]).first()
        role = BY_NAME[payload["role"]]
        has = user.groups.order_by("name") if user is not None else Group.objects.none()
        names = has.values_list("name", flat=True)
        return [
            (_("Person"), user.username if user is not None else payload["staff"]),
            (_("Role"), role.label),
            (_("What it allows"), role.prose),
            (_("Change"), _given(payload["is_given"])),
            (_("Roles now"), list_words(map(label_of, names)) or "–"),
        ]

    def carry_out(
        self, payload: Payload, *, request: ChangeRequest, now: datetime
    ) -> dict[str, Any]:
        """Give or take the role; it works on the person's next request.

        Raises:
            ChangeFailed: the account is gone, or has the role, or lacks it, already.
        """
        user = _find_user(payload)
        if user is None:
            raise ChangeFailed("no-such-account")
        if _has_role(user, payload["role"]) == payload["is_given"]:
            raise ChangeFailed("nothing-to-change")
        group, _made = Group.objects.get_or_create(name=payload["role"])
        if payload["is_given"]:
            user.groups.add(group)
        else:
            user.groups.remove(group)
        record(
            Deed(
                chain=DESK_CHAIN,
                action="staff.role_given"
                if payload["is_given"]
                else "staff.role_taken",
                actor=f"staff:{request.decided_by}",
                object_ref=f"staff:{user.pk}",
                field_names=("groups",),
                reason_code=payload["role"],
            )
        )
        return {"staff": user.pk, "role": payload["role"]}


def _given(is_given: bool) -> Any:
    return (
        pgettext_lazy("role", "Given") if is_given else pgettext_lazy("role", "Taken")
    )


def _find_user(payload: Payload) -> User | None:
    """Return the account; one that is closed can still lose a role."""
    pk = payload["staff"]
    if not isinstance(pk, int) or isinstance(pk, bool):
        return None
    rows = User.objects.filter(pk=pk, is_staff=True)
    return (rows.filter(is_active=True) if payload["is_given"] else rows).first()


def _has_role(user: User, name: str) -> bool:
    return bool(user.groups.filter(name=name).exists())
