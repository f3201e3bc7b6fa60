"""Taking the file of an export, which goes once, and deleting it when its time is over.

Owns that the taking is in the audit, committed, before the first byte leaves.

>>> b"".join(open_file(run_id, by="user:0192…", now=now))[:2]  # doctest: +SKIP
b'PK'
"""

from collections.abc import Iterator
from datetime import datetime
from uuid import UUID

from django.db import transaction

from consent.errors import ExportGone, ExportNotFound, ExportNotReady
from consent.exports.pieces import delete_pieces, read_pieces
from consent.exports.running import ACTOR
from consent.exports.wishes import OPEN_STATES, note
from consent.models import ExportRun
from consent.types import ExportState
from memsys.kernel.scope import Purpose, access_scope

WITH_FILE = (ExportState.READY, ExportState.TAKEN)
DUE_LIMIT = 200


def open_file(run_id: UUID, *, by: str, now: datetime) -> Iterator[bytes]:
    """Take the file; its pieces are read as they are asked for, and deleted at the end.

    A file that breaks off on its way is lost: ask for another export.

    Raises:
        ExportNotFound: there is no such export.
        ExportNotReady: it is not made yet, or failed.
        ExportGone: it was taken before, or its time is over.
    """
    with transaction.atomic():
        run = ExportRun.objects.select_for_update().filter(pk=run_id).first()
        if run is None:
            raise ExportNotFound("There is no such export.")
        _check_there(run, now=now)
        run.state, run.taken_at, run.taken_by = ExportState.TAKEN, now, by
        run.save(update_fields=["state", "taken_at", "taken_by"])
        note(run, "export.taken", by=by, details={"sha256": run.sha256})
    return _send(run)


def _check_there(run: ExportRun, *, now: datetime) -> None:
    if run.state in (*OPEN_STATES, ExportState.FAILED):
        raise ExportNotReady("The file is not there.")
    is_over = run.expires_at is not None and run.expires_at <= now
    if run.state != ExportState.READY or is_over:
        raise ExportGone("The file was taken, or its time is over.")


def _send(run: ExportRun) -> Iterator[bytes]:
    yield from read_pieces(run)
    with access_scope(Purpose.JOB, user=run.global_user_id):
        delete_pieces(run)


def list_expired(*, now: datetime) -> list[UUID]:
    """Return exports whose time is over and whose row does not say so yet."""
    rows = ExportRun.objects.filter(expires_at__lte=now, state__in=WITH_FILE)
    ordered = rows.order_by("expires_at", "id").values_list("id", flat=True)
    return list(ordered[:DUE_LIMIT])


def expire(run_id: UUID, *, now: datetime) -> ExportRun | None:
    """Delete the file of an export whose time is over; None when it is not."""
    found = ExportRun.objects.filter(pk=run_id).first()
    if found is None:
        return None
    with access_scope(Purpose.JOB, user=found.global_user_id):
        rows = ExportRun.objects.select_for_update().filter(
            pk=run_id, expires_at__lte=now, state__in=WITH_FILE
        )
        run = rows.first()
        if run is None:
            return None
        delete_pieces(run)
        run.state = ExportState.EXPIRED
        run.save(update_fields=["state"])
        note(run, "export.expired", by=ACTOR)
    return run
