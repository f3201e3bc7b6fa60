"""Canaries: what is planted first and must be found, or the search proves nothing.

One in a table of each kind, in a transaction that is taken back; one key of each type;
one file. All are gone before the text is searched for.

>>> check_tables(connections["maintenance"])  # doctest: +SKIP
"""

import base64
import secrets
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.db import models, transaction
from django.utils import timezone

from consent.models import ChangeRequest, ExportChunk, ProfileValue, SubjectRequest
from identity.models import Creator, UserFacet
from memories.models import ErasureTombstone, Memory, Message
from memsys.kernel.outbox import OutboxEvent
from memsys.kernel.sharding.ids import new_id
from memsys.scanning.files import search_files
from memsys.scanning.forms import forms_of
from memsys.scanning.keys import search_keys
from memsys.scanning.results import Found, ScanFailed
from memsys.scanning.tables import list_columns, search_table

ALIAS = "maintenance"
SECONDS_TO_LIVE = 60
BUCKET = 7


class CanaryNotFound(ScanFailed):
    """The search misses what is there."""


def check_tables(connection: Any) -> None:
    """Plant a canary in a table of each kind, find it, and take all of it back.

    Raises:
        CanaryNotFound: one was not found.
    """
    canary = _new_canary()
    forms = forms_of(canary)
    columns = list_columns(connection)
    with transaction.atomic(using=ALIAS):
        planted = _plant(canary)
        for place in planted:
            table, column = place.split(".")
            chosen = [one for one in columns if one[:2] == (table, column)]
            if not chosen:
                raise CanaryNotFound(f"The search does not look at {place}.")
            _expect(place, search_table(connection, forms, table, chosen))
        transaction.set_rollback(True, using=ALIAS)


def _plant(canary: str) -> list[str]:
    """Make the rows; return each as table and column."""
    own = {"global_user_id": new_id(bucket=BUCKET), "relationship_id": _id()}
    user, now = {"global_user_id": own["global_user_id"]}, timezone.now()
    moments = dict.fromkeys(("occurred_at", "valid_from", "recorded_at"), now)
    session = {"session_id": _id(), "author_kind": "user", "sent_at": now}
    kinds = {"kind": "note", "dimension": "other", "author": "rules"}
    return [
        _make(Message, "text", canary, **own, **session),
        _make(
            Memory, "tokens", ["a", canary], **own, **moments, **kinds,
            text="", lineage=_id(), stability_days=1,
        ),
        _make(
            ErasureTombstone, "digest", canary.encode(), **own, salt=b"",
            blocks_until=now,
        ),
        _make(
            ProfileValue, "value", canary, **user, field_id="region", source="",
            updated_at=now,
        ),
        _make(ExportChunk, "data", canary.encode(), **user, export_id=_id(), number=0),
        _make(
            SubjectRequest, "received_by", canary, **user,
            number=secrets.token_hex(8), kind="access", received_at=now,
            due_date=now.date(),
        ),
        _make(UserFacet, "nickname", canary, **user, key=canary[:10]),
        _make(Creator, "display_name", canary, external_id=secrets.token_hex(8)),
        _make(OutboxEvent, "data", {"x": canary}, name="hold.set", user_id=_id()),
        _make(
            ChangeRequest, "reason", canary, kind="x", payload={}, payload_hash="",
            requested_by=0, expires_at=now,
        ),
    ]  # fmt: skip


def _make(model: type[models.Model], field: str, value: Any, **others: Any) -> str:
    model._default_manager.using(ALIAS).create(**{field: value}, **others)
    return f"{model._meta.db_table}.{field}"


def _id() -> Any:
    return new_id(bucket=BUCKET)


def check_keys(client: Any) -> None:
    """Plant a key of each type, find it, and delete it.

    Raises:
        CanaryNotFound: one was not found.
    """
    canary = _new_canary()
    prefix = f"memsys:scan:{uuid4()}:"
    queued = base64.b64encode(f'{{"x": "{canary}"}}'.encode()).decode()
    plants: dict[str, Callable[[str], Any]] = {
        "string": lambda key: client.set(key, canary),
        "hash": lambda key: client.hset(key, "field", canary),
        "list": lambda key: client.rpush(key, "a", canary),
        "queue": lambda key: client.rpush(key, f'{{"body": "{queued}"}}'),
        "set": lambda key: client.sadd(key, "a", canary),
        "zset": lambda key: client.zadd(key, {canary: 1}),
        "stream": lambda key: client.xadd(key, {"field": canary}),
    }
    try:
        for kind, plant in plants.items():
            plant(prefix + kind)
            client.expire(prefix + kind, SECONDS_TO_LIVE)
        found = search_keys(client, forms_of(canary), match=prefix + "*")
        places = {one.place.removeprefix(f"valkey: {prefix}") for one in found}
        if missed := set(plants) - places:
            raise CanaryNotFound(f"The search misses {', '.join(sorted(missed))} keys.")
    finally:
        client.delete(*(prefix + kind for kind in plants))


def check_files(folder: Path) -> None:
    """Plant a file, find it, and remove it.

    Raises:
        CanaryNotFound: it was not found.
        ScanFailed: the folder takes no file.
    """
    canary = _new_canary()
    try:
        with tempfile.NamedTemporaryFile(dir=folder, prefix="scan-") as file:
            file.write(b"x" * 100 + canary.encode())
            file.flush()
            _expect("a file", search_files([Path(file.name)], forms_of(canary)))
    except OSError as exc:
        raise ScanFailed(f"{folder} takes no file.") from exc


def _new_canary() -> str:
    return f"暗号{secrets.token_hex(8)}"


def _expect(place: str, found: Iterable[Found]) -> None:
    if not list(found):
        raise CanaryNotFound(f"The search misses what is in {place}.")
