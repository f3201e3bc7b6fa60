"""Asking for an export: of all of a user, or of one relationship.

Owns what can be asked for, and the rows that wait for a worker. Asked for again while
it is under way, it is the same one.

>>> request(Wish(user_id), by="user:0192…", reason_code="user-request", now=now).state
... # doctest: +SKIP
'queued'
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from consent.enqueue import enqueue
from consent.errors import InvalidExport
from consent.models import ExportRun
from consent.types import ExportState
from identity.errors import RelationshipNotFound
from identity.models import GlobalUser, Relationship
from memsys.kernel.audit.chain import Deed, deed_chain, record
from memsys.kernel.exporting import STAFF_PARTS, USER_PARTS, ExportPart

RUN_EXPORT = "consent.run_export"
HTML, JSON, CSV, JSONL = "html", "json", "csv", "jsonl"
FORMATS = (HTML, JSON, CSV)
STAFF_FORMATS = (*FORMATS, JSONL)
OPEN_STATES = (ExportState.QUEUED, ExportState.RUNNING)


@dataclass(frozen=True)
class Wish:
    """What is to be in the file; empty `parts` stand for all that there can be."""

    user_id: UUID
    relationship_id: UUID | None = None
    parts: Sequence[str] = ()
    formats: Sequence[str] = FORMATS
    for_staff: bool = False


def list_parts(*, is_whole_user: bool, for_staff: bool) -> list[ExportPart]:
    """Return the parts that can be asked for; those for the staff alone are last."""
    barred = frozenset() if for_staff else STAFF_PARTS
    if not is_whole_user:
        barred = barred | USER_PARTS
    return [part for part in ExportPart if part not in barred]


def list_formats(*, for_staff: bool) -> tuple[str, ...]:
    """Return the formats that can be asked for."""
    return STAFF_FORMATS if for_staff else FORMATS


def check_wish(wish: Wish) -> tuple[list[str], list[str]]:
    """Return the parts and formats of a wish, each once, in their usual order.

    Raises:
        InvalidExport: one is not known or not for whom it is; there is no format.
    """
    known = list_parts(
        is_whole_user=wish.relationship_id is None, for_staff=wish.for_staff
    )
    usual = [str(part) for part in known if part not in STAFF_PARTS]
    parts = _choose("parts", wish.parts or usual, [str(part) for part in known])
    formats = _choose(
        "formats", wish.formats, list(list_formats(for_staff=wish.for_staff))
    )
    return parts, formats


def _choose(field: str, wanted: Sequence[str], known: list[str]) -> list[str]:
    if not wanted or not set(wanted) <= set(known):
        raise InvalidExport(field, "a list of " + ", ".join(known))
    return [one for one in known if one in wanted]


def request(wish: Wish, *, by: str, reason_code: str, now: datetime) -> ExportRun:
    """Ask for an export; a worker makes it. A legal hold does not bar it.

    Raises:
        InvalidExport: see `check_wish`.
        RelationshipNotFound: there is no such user, or the relationship is not theirs.
    """
    parts, formats = check_wish(wish)
    wanted: dict[str, Any] = {
        "global_user_id": wish.user_id,
        "relationship_id": wish.relationship_id,
        "parts": parts,
        "formats": formats,
        "for_staff": wish.for_staff,
        "requested_by": by,
        "reason_code": reason_code,
    }
    with transaction.atomic():
        _lock_user(wish)
        open_ones = ExportRun.objects.filter(**wanted, state__in=OPEN_STATES)
        run = open_ones.order_by("requested_at", "id").first()
        if run is None:
            run = ExportRun.objects.create(**wanted, requested_at=now)
            details = {"parts": parts, "formats": formats, "for_staff": wish.for_staff}
            note(run, "export.requested", by=by, details=details)
        enqueue(RUN_EXPORT, run_id=run.pk)
    return run


def _lock_user(wish: Wish) -> None:
    """Let one wish about a user at a time be made.

    Raises:
        RelationshipNotFound: there is no such user, or the relationship is not theirs.
    """
    users = GlobalUser.objects.select_for_update(no_key=True)
    if users.filter(pk=wish.user_id).first() is None:
        raise RelationshipNotFound("There is no such user.")
    one, own = wish.relationship_id, Relationship.objects.of_user(wish.user_id)
    if one is not None and not own.filter(pk=one).exists():
        raise RelationshipNotFound("There is no such relationship of this user.")


def note(
    run: ExportRun, action: str, *, by: str, details: dict[str, Any] | None = None
) -> None:
    """Record a deed about an export in the transaction that does it."""
    record(
        Deed(
            chain=deed_chain(run.global_user_id),
            action=action,
            actor=by,
            object_ref=f"export:{run.pk}",
            reason_code=run.reason_code,
            subject=run.global_user_id,
            details=details or {},
        )
    )
