"""Problem details (RFC 9457): the one form in which the API says no.

Owns the form and the titles. Which error becomes which problem is decided in
`errors`. A problem never repeats what the caller sent.

>>> Problem("not-found", 404).body(trace_id="0af7")["type"]
'urn:memsys:problem:not-found'
"""

import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

MEDIA_TYPE = "application/problem+json"
TYPE_PREFIX = "urn:memsys:problem:"
MAX_ERRORS = 100

TITLES = {
    "invalid-request": "The request is not valid.",
    "invalid-json": "The body is not one strict JSON object in UTF-8.",
    "invalid-cursor": "The cursor is not one that this API gave out.",
    "missing-key": "A service key is needed.",
    "invalid-key": "The service key is not valid.",
    "missing-scope": "The service key lacks the scope for this.",
    "not-found": "There is no such thing for this key.",
    "method-not-allowed": "This address does not take this method.",
    "not-acceptable": "The API answers in JSON only.",
    "request-in-progress": "A request with this idempotency key is still running.",
    "length-required": "The body needs a Content-Length.",
    "too-large": "The body is too large.",
    "unsupported-media-type": "The API takes application/json in UTF-8 only.",
    "idempotency-key-reused": "This idempotency key belongs to another request.",
    "rate-limited": "Too many requests with this key; wait and try again.",
    "internal-error": "Something went wrong here.",
    "unavailable": "The service cannot answer now; wait and try again.",
    "forbidden": "This is refused.",
    "relationship-ended": "The relationship has ended.",
    "relationship-paused": "The user has paused this relationship's memory.",
    "relationship-restricted": "This relationship is restricted.",
    "user-closed": "The user's account is closed.",
    "minor-restricted": "This relationship is closed for minors.",
    "intake-conflict": "Another request stores the same messages; try again.",
    "memory-conflict": "This cannot stand beside another memory.",
    "sensitive-without-grant": "The user has not allowed to keep what this tells.",
    "policy-text-mismatch": "The text that was shown is not the one in force.",
    "policy-text-outdated": "A newer text took the place of this one; show that.",
    "evidence-reused": "This proof stands for another grant already.",
    "minor-cannot-consent": "Nobody can consent to this for a minor.",
    "guardian-needed": "Only a guardian can consent to this.",
    "status-conflict": "The relationship's status now does not allow this.",
    "legal-hold": "A legal hold keeps this from being erased.",
    "erasure-not-undoable": "The erasure has begun or is over; it stays so.",
    "erasure-ledger-behind": "Erasures must be done again first; try again later.",
    "erasure-ledger-damaged": "The erasure ledger is damaged; nothing is erased now.",
    "erasure-ledger-unwritable": "The erasure ledger takes no line; try again later.",
    "export-not-ready": "The file is not there yet, or could not be made.",
    "export-gone": "The file was taken before, or its time is over.",
    "too-many-webhooks": "There are as many webhooks as there may be.",
    "webhook-body-gone": "What was to be sent is no longer kept.",
    "embedding-failed": "The text cannot be indexed now; wait and try again.",
}

_TRACE_PARENT = re.compile(r"[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-[0-9a-f]{16}-.{2}")


class HasMeta(Protocol):
    """A request, as far as its trace is concerned."""

    @property
    def META(self) -> dict[str, Any]: ...


@dataclass(frozen=True)
class FieldError:
    """One fault of a request: where, which, and what was expected instead."""

    field: str
    code: str
    expected: str


@dataclass(frozen=True)
class Problem:
    """What went wrong, by a stable code; `headers` go with the answer.

    `holds` are the ids of the legal holds that refuse an erasure.
    """

    code: str
    status: int
    errors: tuple[FieldError, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    holds: tuple[str, ...] = ()

    def body(self, *, trace_id: str) -> dict[str, Any]:
        """Return the members of the problem; at most 100 faults are listed."""
        told: dict[str, Any] = {
            "type": f"{TYPE_PREFIX}{self.code}",
            "title": TITLES.get(self.code, TITLES["forbidden"]),
            "status": self.status,
            "trace_id": trace_id,
            "errors": [vars(one) for one in self.errors[:MAX_ERRORS]],
        }
        return told | ({"holds": list(self.holds)} if self.holds else {})


def trace_id_of(request: HasMeta) -> str:
    """Return the id of this request in logs and problems: the caller's trace or new."""
    known: str | None = request.META.get("memsys.trace_id")
    if known is None:
        parent = _TRACE_PARENT.fullmatch(request.META.get("HTTP_TRACEPARENT", ""))
        known = parent[1] if parent else uuid.uuid4().hex
        request.META["memsys.trace_id"] = known
    return known
