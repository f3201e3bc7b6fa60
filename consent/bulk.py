"""Erasing or exporting for many people at once, as changes that take two persons.

Owns the list of people, known by the platform's names when it is asked for and kept by
our ids alone, and the job that asks for one erasure or export after the other. Each of
them then goes its own way: it can be undone, is barred by holds, has its receipt.

>>> needs_approval(1), needs_approval(2)
(False, True)
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from consent import approvals, erasures, exports
from consent.approvals import Payload
from consent.erasures import Target
from consent.errors import ConsentError, InvalidChange, InvalidExport
from consent.models import ChangeRequest, ExportRun
from identity.errors import IdentityError
from identity.models import GlobalUser
from memsys.kernel.exporting import ExportPart
from memsys.kernel.pages.codes import list_words
from memsys.kernel.scope.access import NOBODY
from memsys.kernel.sharding.ids import bucket_of_user
from memsys.kernel.text.clean import InvalidIdentifier, check_identifier

MAX_USERS = 1000
MAX_CODE = 60
MAX_NAMES_SHOWN = 50
MAX_PARTS = 40
MADE, REFUSED = "made", "refused"


def needs_approval(users: int) -> bool:
    """Say whether a deed for so many people takes two persons."""
    return users > 1


class _Bulk(ABC):
    """What both have in common: the people, and going from one to the next."""

    is_long = True
    members: tuple[str, ...] = ("users", "reason_code")

    def prepare(self, payload: Payload) -> dict[str, Any]:
        """Return the payload with our ids instead of the platform's names.

        Raises:
            InvalidChange: there is no list, or somebody on it is not known.
        """
        names = payload.get("users")
        if names is None or not _is_texts(names):
            raise InvalidChange("users", "a list of the platform's names of users")
        return {**payload, "users": _find_users(sorted(set(names)))}

    def check(self, payload: Payload) -> None:
        """Refuse what is not a list of people and a reason.

        Raises:
            InvalidChange: naming the member and what was expected.
        """
        if set(payload) != set(self.members):
            raise InvalidChange("payload", "exactly " + ", ".join(self.members))
        if not 1 <= len(payload["users"]) <= MAX_USERS:
            raise InvalidChange("users", f"1 to {MAX_USERS} users")
        try:
            check_identifier(
                payload["reason_code"], field="reason_code", max_length=MAX_CODE
            )
        except InvalidIdentifier as exc:
            raise InvalidChange(exc.field, exc.expected) from exc

    def describe(self, payload: Payload) -> list[tuple[Any, Any]]:
        """Return how many people there are, the first of them, and why."""
        ids = [UUID(one) for one in payload["users"]]
        rows = GlobalUser.objects.filter(pk__in=ids[:MAX_NAMES_SHOWN])
        names = rows.order_by("external_id").values_list("external_id", flat=True)
        shown = list_words(names) + (" …" if len(ids) > MAX_NAMES_SHOWN else "")
        return [
            (pgettext_lazy("how many", "People"), len(ids)),
            (pgettext_lazy("list", "Who"), shown),
            (_("Reason"), payload["reason_code"]),
        ]

    def carry_out(
        self, payload: Payload, *, request: ChangeRequest, now: datetime
    ) -> dict[str, Any]:
        """Ask for one after the other; goes on after the last one that was noted.

        The result tells how many were made, and who was refused, with the code.
        """
        done: dict[str, Any] = {
            MADE: request.result.get(MADE, 0),
            REFUSED: dict(request.result.get(REFUSED, {})),
        }
        begun = done[MADE] + len(done[REFUSED])
        for user in payload["users"][begun:]:
            try:
                self.ask(UUID(user), payload, request=request, now=now)
                done[MADE] += 1
            except (ConsentError, IdentityError) as exc:
                done[REFUSED][user] = exc.code
            approvals.add_result(request, **done)
        return done

    @abstractmethod
    def ask(
        self, user_id: UUID, payload: Payload, *, request: ChangeRequest, now: datetime
    ) -> None:
        """Ask for what is wanted for one person; asked again, it is still one."""


class BulkErasure(_Bulk):
    """Erasing all of many people; each erasure can be undone for a day."""

    code = "bulk_erasure"
    label = _("Erasure of several people")

    def ask(
        self, user_id: UUID, payload: Payload, *, request: ChangeRequest, now: datetime
    ) -> None:
        """Ask for one person's erasure, unless one is under way."""
        erasures.request(
            Target(user_id),
            by=f"staff:{request.requested_by}",
            reason_code=payload["reason_code"],
            at_once=False,
            now=now,
        )


class BulkExport(_Bulk):
    """An export of each of many people, for the staff."""

    code = "bulk_export"
    label = _("Export of several people")
    members = ("users", "reason_code", "parts", "formats")

    def check(self, payload: Payload) -> None:
        """Refuse what is not a list of people, a reason, parts and formats."""
        super().check(payload)
        for name in ("parts", "formats"):
            given = payload[name]
            if not _is_texts(given) or not 1 <= len(given) <= MAX_PARTS:
                raise InvalidChange(name, "a list of codes")
        try:
            exports.check_wish(_to_wish(NOBODY, payload))
        except InvalidExport as exc:
            raise InvalidChange(exc.field, exc.expected) from exc

    def describe(self, payload: Payload) -> list[tuple[Any, Any]]:
        """Return the people, the parts and the formats."""
        return [
            *super().describe(payload),
            (_("Parts"), list_words(map(_label_of, payload["parts"]))),
            (_("Formats"), ", ".join(payload["formats"])),
        ]

    def ask(
        self, user_id: UUID, payload: Payload, *, request: ChangeRequest, now: datetime
    ) -> None:
        """Ask for one person's export, unless this change has asked for it."""
        by = f"staff:{request.requested_by}"
        asked = ExportRun.objects.filter(
            global_user_id=user_id,
            requested_by=by,
            reason_code=payload["reason_code"],
            requested_at__gte=request.decided_at,
        )
        if not asked.exists():
            wish = _to_wish(user_id, payload)
            exports.request(wish, by=by, reason_code=payload["reason_code"], now=now)


def _to_wish(user_id: UUID, payload: Payload) -> exports.Wish:
    """Return what is asked for of one person. Two persons agree: nothing is barred."""
    return exports.Wish(
        user_id, parts=payload["parts"], formats=payload["formats"], for_staff=True
    )


def _find_users(names: Sequence[str]) -> list[str]:
    """Return the ids of users by the platform's names. One query.

    Raises:
        InvalidChange: there are too many, or one is not known.
    """
    if len(names) > MAX_USERS:
        raise InvalidChange("users", f"1 to {MAX_USERS} users")
    try:
        for name in names:
            check_identifier(name, field="users")
    except InvalidIdentifier as exc:
        raise InvalidChange(exc.field, exc.expected) from exc
    shards = {bucket_of_user(name) for name in names}
    rows = GlobalUser.objects.filter(shard__in=shards, external_id__in=names)
    ids = [str(one) for one in rows.values_list("id", flat=True)]
    if len(ids) != len(names):
        raise InvalidChange("users", "users who are known")
    return sorted(ids)


def _label_of(part: str) -> str:
    return str(ExportPart(part).label) if part in ExportPart else part


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)
