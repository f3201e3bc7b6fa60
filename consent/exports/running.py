"""Making the file of an export, which a worker does and another can begin again.

A lease keeps two workers from one run; it is renewed with each piece. A run that is
killed is begun again, and what it had made is thrown away. What fails so often that it
always will is given up with a code. An erasure ends a run under way.

>>> run(run_id, now=now).state  # doctest: +SKIP
'ready'
"""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from importlib import import_module
from uuid import UUID
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db.models import F, Q
from django.utils import timezone, translation

from consent.exports.about import tell_about
from consent.exports.packing import RowsChanged, pack
from consent.exports.pieces import Pieces, add_piece, delete_pieces
from consent.exports.wishes import OPEN_STATES, note
from consent.models import ExportRun
from consent.types import ExportState
from identity.models import GlobalUser, Relationship
from memsys.kernel.exporting import ExportSubject, Section
from memsys.kernel.scope import Purpose, access_scope

logger = logging.getLogger("memsys.exports")

ACTOR = "system:exports"
LEASE = timedelta(minutes=6)
MAX_ATTEMPTS = 3
GIVEN_UP = "tries-exhausted"
DUE_LIMIT = 200


class _Lost(Exception):
    """Another worker has the run, or it was ended."""


class _Held:
    """A run that this worker has; each deed on it asks whether it still does."""

    def __init__(self, run: ExportRun, *, now: datetime) -> None:
        self.run = run
        self._now, self._began = now, time.monotonic()

    def moment(self) -> datetime:
        """Return how late it is by now."""
        return self._now + timedelta(seconds=time.monotonic() - self._began)

    @contextmanager
    def open(self) -> Iterator[ExportRun]:
        """Open a scope of the user with the run locked, and renew the lease.

        Raises:
            _Lost: the run is another's, or was ended.
        """
        with access_scope(Purpose.JOB, user=self.run.global_user_id):
            rows = ExportRun.objects.select_for_update().filter(
                pk=self.run.pk,
                state=ExportState.RUNNING,
                lease_until=self.run.lease_until,
            )
            locked = rows.first()
            if locked is None:
                raise _Lost
            locked.lease_until = self.moment() + LEASE
            yield locked
            locked.save(update_fields=["lease_until", "progress"])
        self.run = locked

    def store(self, number: int, data: bytes) -> None:
        """Keep a piece of the file."""
        with self.open() as locked:
            add_piece(locked, number, data)

    def note_progress(self, percent: int) -> None:
        """Tell how much is done."""
        with self.open() as locked:
            locked.progress = percent


def list_due(*, now: datetime) -> list[UUID]:
    """Return runs that wait for a worker, the oldest first."""
    rows = ExportRun.objects.filter(_is_free(now), state__in=OPEN_STATES)
    ordered = rows.order_by("requested_at", "id")
    return list(ordered.values_list("id", flat=True)[:DUE_LIMIT])


def run(run_id: UUID, *, now: datetime) -> ExportRun | None:
    """Make the file of an export; None when it is not due, or is being made.

    It ends `ready`, `failed` after too many tries, or as what it was ended by.
    """
    found = _claim(run_id, now=now)
    if found is None or found.state == ExportState.FAILED:
        return found
    held = _Held(found, now=now)
    try:
        return _make(held)
    except RowsChanged:
        # The sweep has it begun again, which counts as another try.
        ExportRun.objects.filter(pk=found.pk, lease_until=held.run.lease_until).update(
            lease_until=None
        )
    except _Lost:
        logger.info("export.lost", extra={"export": str(run_id)})
    return ExportRun.objects.get(pk=run_id)


def list_sections(subject: ExportSubject, parts: list[str]) -> list[Section]:
    """Return the sections of all apps that are of these parts, in the parts' order."""
    modules = [import_module(path) for path in settings.PERSONAL_DATA_MODULES]
    found = [
        section
        for module in modules
        if hasattr(module, "export_sections")
        for section in module.export_sections(subject)
        if section.part in parts
    ]
    return sorted(found, key=lambda section: parts.index(section.part))


def _is_free(now: datetime) -> Q:
    return Q(lease_until=None) | Q(lease_until__lte=now)


def _claim(run_id: UUID, *, now: datetime) -> ExportRun | None:
    """Lease a run that is due to this worker; give it up after too many tries."""
    rows = ExportRun.objects.filter(_is_free(now), state__in=OPEN_STATES, pk=run_id)
    found = rows.first()
    if found is None:
        return None
    if found.attempts >= MAX_ATTEMPTS:
        return _give_up(found, now=now)
    until = now + LEASE
    taken = rows.update(
        state=ExportState.RUNNING, lease_until=until, attempts=F("attempts") + 1
    )
    if not taken:
        return None
    return ExportRun.objects.filter(pk=run_id, lease_until=until).first()


def _give_up(found: ExportRun, *, now: datetime) -> ExportRun | None:
    with access_scope(Purpose.JOB, user=found.global_user_id):
        rows = ExportRun.objects.select_for_update().filter(_is_free(now), pk=found.pk)
        row = rows.filter(state__in=OPEN_STATES).first()
        if row is None:
            return None
        delete_pieces(row)
        row.state, row.error_code = ExportState.FAILED, GIVEN_UP
        row.lease_until, row.progress = None, 0
        row.save(update_fields=["state", "error_code", "lease_until", "progress"])
        note(row, "export.failed", by=ACTOR, details={"attempts": row.attempts})
    logger.error("export.failed", extra={"export": str(row.pk)})
    return row


def _make(held: _Held) -> ExportRun:
    with held.open() as locked:
        # What an earlier try has left.
        delete_pieces(locked)
        locked.progress = 0
    user = GlobalUser.objects.get(pk=held.run.global_user_id)
    about = tell_about(held.run, user, now=held.moment())
    sections = list_sections(_subject_of(held.run), list(held.run.parts))
    pieces = Pieces(held.store)
    zone = ZoneInfo(about.time_zone)
    with translation.override(about.language), timezone.override(zone):
        pack(about, sections, out=pieces, note_progress=held.note_progress)
    return _finish(held, pieces)


def _subject_of(found: ExportRun) -> ExportSubject:
    own = Relationship.objects.of_user(found.global_user_id)
    if found.relationship_id is not None:
        own = own.filter(pk=found.relationship_id)
    rows = own.filter(created_at__lte=found.requested_at).order_by("created_at", "pk")
    return ExportSubject(
        user_id=found.global_user_id,
        relationships=tuple(rows.values_list("pk", flat=True)),
        is_whole_user=found.relationship_id is None,
        until=found.requested_at,
        for_staff=found.for_staff,
    )


def _finish(held: _Held, pieces: Pieces) -> ExportRun:
    digest = pieces.finish()
    with held.open() as row:
        at = held.moment()
        row.state, row.progress, row.ready_at = ExportState.READY, 100, at
        row.expires_at = at + lifetime(for_staff=row.for_staff)
        row.size_bytes, row.sha256 = pieces.size_bytes, digest
        row.lease_until = None
        row.save()
        details = {"bytes": row.size_bytes, "sha256": digest}
        note(row, "export.ready", by=ACTOR, details=details)
    return row


def lifetime(*, for_staff: bool) -> timedelta:
    """Return how long a file waits to be taken."""
    if for_staff:
        return timedelta(hours=settings.EXPORT_STAFF_HOURS)
    return timedelta(days=settings.EXPORT_USER_DAYS)
