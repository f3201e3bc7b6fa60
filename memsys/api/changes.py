"""Keys that let a service read personal data, as a change that takes two persons.

Owns which scopes those are, and the making of a key that was approved: the approval
allows it, the person who asked makes it, once, and only they see it. A key without such
scopes needs no second person.

>>> needs_approval(["context:read"]), needs_approval(["session:write"])
(True, False)
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from consent import approvals
from consent.approvals import Payload
from consent.errors import ChangeClosed, InvalidChange, NotTheRequester
from consent.models import ChangeRequest
from consent.types import ChangeState
from memsys.api.errors import ForbiddenScopes, UnknownScope
from memsys.api.keys import MAX_NAME_LENGTH, KeyForm, NewKey, make_key
from memsys.api.models import LONGEST_LIFE
from memsys.api.scopes import Scope, check_scopes
from memsys.kernel.text.clean import InvalidIdentifier, check_identifier

MAX_CREATORS = 100
# How long an approved key can be made.
ALLOWED_FOR = timedelta(hours=72)
PERSONAL = frozenset(
    {
        Scope.CONTEXT_READ,
        Scope.MEMORY_READ_ITEM,
        Scope.PROFILE_READ_RELEASED,
        Scope.CONSENT_READ,
        Scope.JOURNAL_READ,
        Scope.PORTAL_LINK_CREATE,
        Scope.HOLD_READ,
        Scope.EXPORT_REQUEST,
        Scope.RELEASE_READ,
        Scope.WEBHOOK_MANAGE,
    }
)
_MEMBERS = ("name", "scopes", "creators", "days")


def needs_approval(scopes: Iterable[str]) -> bool:
    """Say whether a key with these scopes takes two persons."""
    return any(scope in PERSONAL for scope in scopes)


def make_approved_key(request_id: UUID, *, by: int, now: datetime) -> NewKey:
    """Make the key that was approved; its secret is shown this once.

    Raises:
        ChangeNotFound: there is no such request.
        NotTheRequester: somebody else asked for it.
        ChangeClosed: it is not approved, the key was made, or the time is over.
        StaleChange: the payload is not what was approved.
    """
    with transaction.atomic():
        request = approvals.lock(request_id)
        if request.requested_by != by:
            raise NotTheRequester("Somebody else asked for this.")
        if not _may_be_made(request, now=now):
            raise ChangeClosed("This allows no key (any more).")
        approvals.check_unchanged(request)
        key = make_key(_form(request.payload, now=now), by=f"staff:{by}", now=now)
        approvals.add_result(request, prefix=key.prefix)
    return key


class ServiceKeyGrant:
    """The right to make one key: its name, scopes, creators, and days to live."""

    code = "service_key"
    label = _("Service key that gives personal data")

    def prepare(self, payload: Payload) -> dict[str, Any]:
        """Return the payload with scopes and creators once each, in order."""
        told = dict(payload)
        for name in ("scopes", "creators"):
            if _is_texts(told.get(name)):
                told[name] = sorted(set(told[name]))
        return told

    def check(self, payload: Payload) -> None:
        """Refuse a key that could not be made, or that needs no second person.

        Raises:
            InvalidChange: naming the member and what was expected.
        """
        if set(payload) != set(_MEMBERS):
            raise InvalidChange("payload", "exactly " + ", ".join(_MEMBERS))
        days, most = payload["days"], LONGEST_LIFE.days
        is_whole = isinstance(days, int) and not isinstance(days, bool)
        if not is_whole or not 1 <= days <= most:
            raise InvalidChange("days", f"a whole number from 1 to {most}")
        _check_scopes(payload["scopes"])
        _check_names(payload)

    def describe(self, payload: Payload) -> list[tuple[Any, Any]]:
        """Return what the key could do, for whom, and how long it would live."""
        personal = [one for one in payload["scopes"] if one in PERSONAL]
        return [
            (_("Name"), payload["name"]),
            (_("Scopes"), ", ".join(payload["scopes"])),
            (_("Of these, personal data"), ", ".join(personal)),
            (_("Limited to creators"), ", ".join(payload["creators"]) or _("All")),
            (_("Days until it expires"), payload["days"]),
        ]

    def carry_out(
        self, payload: Payload, *, request: ChangeRequest, now: datetime
    ) -> dict[str, Any]:
        """Allow the key; who asked for it makes it with `make_approved_key`."""
        return {"until": (now + ALLOWED_FOR).isoformat()}


def _may_be_made(request: ChangeRequest, *, now: datetime) -> bool:
    is_allowed = (
        request.kind == ServiceKeyGrant.code and request.state == ChangeState.DONE
    )
    if not is_allowed or "prefix" in request.result:
        return False
    return now < datetime.fromisoformat(request.result["until"])


def _form(payload: Payload, *, now: datetime) -> KeyForm:
    return KeyForm(
        name=payload["name"],
        scopes=tuple(payload["scopes"]),
        creators=tuple(payload["creators"]),
        expires_at=now + timedelta(days=payload["days"]),
    )


def _check_scopes(scopes: Any) -> None:
    if not _is_texts(scopes):
        raise InvalidChange("scopes", "a list of scopes")
    try:
        check_scopes(scopes)
    except (UnknownScope, ForbiddenScopes) as exc:
        raise InvalidChange("scopes", "scopes that one key may hold") from exc
    if not needs_approval(scopes):
        raise InvalidChange("scopes", "one that gives personal data at least")


def _check_names(payload: Payload) -> None:
    creators = payload["creators"]
    if not _is_texts(creators) or len(creators) > MAX_CREATORS:
        raise InvalidChange("creators", f"at most {MAX_CREATORS} external ids")
    try:
        check_identifier(payload["name"], field="name", max_length=MAX_NAME_LENGTH)
        for creator in creators:
            check_identifier(creator, field="creators")
    except InvalidIdentifier as exc:
        raise InvalidChange(exc.field, exc.expected) from exc


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)
