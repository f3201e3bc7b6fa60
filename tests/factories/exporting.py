"""Exports for tests: asked for, made and read.

>>> read_file(make_export(ann)).keys()  # doctest: +SKIP
dict_keys(['html/account.html', …])
"""

import csv
import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.utils import timezone

from consent import exports
from consent.models import ExportChunk, ExportRun
from identity.types import RelationshipRef
from memsys.kernel.csv_cells import unguard
from memsys.kernel.scope import Purpose, access_scope

BY = "user:tests"
PLANTED = b"PK planted"


class Crashed(Exception):
    """Stands for whatever may end a worker."""


@dataclass
class Midway:
    """What happens while a file is made; `rows` are how many the section then has."""

    deed: Callable[[], None] = lambda: None
    rows: list[int] = field(default_factory=list)

    def crash(self) -> None:
        def deed() -> None:
            raise Crashed

        self.deed = deed

    def go_on(self) -> None:
        self.deed = lambda: None


def ask_export(
    ann: RelationshipRef, *, by: str = BY, now: datetime | None = None, **wish: Any
) -> ExportRun:
    """Ask for an export of all of a user; nothing is made yet."""
    return exports.request(
        exports.Wish(ann.user_id, **wish),
        by=by,
        reason_code="user-request",
        now=now or timezone.now(),
    )


def plant_export(ann: RelationshipRef, **fields: Any) -> ExportRun:
    """Make the row of an export that a service asked for and that is ready."""
    now = timezone.now()
    run = ExportRun.objects.create(
        **{
            "global_user_id": ann.user_id,
            "relationship_id": ann.id,
            "parts": ["memories"],
            "formats": ["json"],
            "for_staff": False,
            "state": "ready",
            "requested_by": "service:tests",
            "reason_code": "user-request",
            "requested_at": now,
            "ready_at": now,
            "expires_at": now + timedelta(days=7),
            "size_bytes": len(PLANTED),
        }
        | fields
    )
    with access_scope(Purpose.JOB, user=ann.user_id):
        ExportChunk.objects.create(
            global_user_id=ann.user_id, export=run, number=0, data=PLANTED
        )
    return run


def make_export(ann: RelationshipRef, **wish: Any) -> ExportRun:
    """Ask for an export and make it."""
    done = exports.run(ask_export(ann, **wish).pk, now=timezone.now())
    assert done is not None
    assert done.state == "ready"
    return done


def open_export(run: ExportRun) -> zipfile.ZipFile:
    """Return the file as it is stored, without taking it."""
    with access_scope(Purpose.JOB, user=run.global_user_id):
        pieces = ExportChunk.objects.filter(
            global_user_id=run.global_user_id, export_id=run.pk
        )
        data = pieces.order_by("number").values_list("data", flat=True)
        return zipfile.ZipFile(io.BytesIO(b"".join(map(bytes, data))))


def read_file(run: ExportRun) -> dict[str, str]:
    """Return the files in an export by their paths."""
    with open_export(run) as packed:
        return {name: packed.read(name).decode() for name in packed.namelist()}


def read_section(run: ExportRun, name: str) -> list[dict[str, Any]]:
    """Return the rows of a section, from the JSON file."""
    rows: list[dict[str, Any]] = json.loads(read_file(run)[f"json/{name}.json"])["rows"]
    return rows


def read_csv(text: str) -> list[list[str]]:
    """Return the cells of a CSV file as they were stored, the names left out."""
    lines = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""))
    return [[unguard(cell) for cell in line] for line in lines][1:]


def count_pieces(user_id: UUID) -> int:
    """Return how many pieces of files a user has."""
    with access_scope(Purpose.JOB, user=user_id):
        return ExportChunk.objects.filter(global_user_id=user_id).count()
