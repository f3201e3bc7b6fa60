"""Records deeds in the audit chains.

Owns when and in which order entries are written: last in the transaction of the
deed, several in the order of their chains, so that two writers cannot deadlock.

>>> record(Deed("deeds-07", "memory.erased", "service:ab12"))  # doctest: +SKIP
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db import connection

from memsys.kernel.audit.errors import AuditOutsideTransaction, ImproperDeed
from memsys.kernel.audit.forms import fault_of
from memsys.kernel.audit.models import AuditEntry, AuditPayload
from memsys.kernel.scope import find_scope
from memsys.kernel.sharding.ids import bucket_of, new_id

DEED_CHAINS = 16
WRITE_LAST = 100


@dataclass(frozen=True)
class Deed:
    """One thing that somebody did.

    `actor` is a kind and an id, such as `service:<key prefix>` or `staff:<id>`.
    `object_ref` is a kind and an id. `details` go into the erasable payload, together
    with `subject`, the user whom they are about; no personal text elsewhere.
    """

    chain: str
    action: str
    actor: str
    object_ref: str = ""
    field_names: tuple[str, ...] = ()
    reason_code: str = ""
    subject: UUID | None = None
    details: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse what is no id or code in a column that can never be erased.

        Raises:
            ImproperDeed: a column has not its form; the value is not repeated.
        """
        columns = ("chain", "action", "actor", "object_ref", "reason_code")
        faults = [fault_of(one, getattr(self, one)) for one in columns]
        faults += [fault_of("field_name", one) for one in self.field_names]
        if named := [one for one in faults if one is not None]:
            raise ImproperDeed(f"Ids and codes only: {', '.join(named)}.")


def deed_chain(user_id: UUID) -> str:
    """Return the chain of deeds about one user: one of 16, by the user's bucket."""
    return f"deeds-{bucket_of(user_id) % DEED_CHAINS:02d}"


def record(deed: Deed) -> None:
    """Record a deed in the transaction that does it.

    Inside an access scope it is written last, before the commit; otherwise at once.

    Raises:
        AuditOutsideTransaction: no transaction is open.
    """
    if not connection.in_atomic_block:
        raise AuditOutsideTransaction("A deed is recorded in its own transaction.")
    scope = find_scope()
    if scope is None:
        _write([deed])
        return
    waiting = scope.waiting_deeds
    waiting.append(deed)
    scope.finish("audit", WRITE_LAST, lambda: _write_waiting(waiting))


def _write_waiting(waiting: list[Any]) -> None:
    """Write what waits, and leave nothing that a later call would write again."""
    deeds = list(waiting)
    waiting.clear()
    _write(deeds)


def _write(deeds: list[Any]) -> None:
    """Write payloads, then entries in the order of their chains; two statements."""
    entries, payloads = [], []
    for deed in sorted(deeds, key=lambda one: str(one.chain)):
        entry = _entry(deed)
        entries.append(entry)
        if deed.details:
            payloads.append(
                AuditPayload(
                    entry_id=entry.pk,
                    subject=deed.subject,
                    salt=os.urandom(16),
                    body=dict(deed.details),
                )
            )
    AuditPayload.objects.bulk_create(payloads)
    AuditEntry.objects.bulk_create(entries)


def _entry(deed: Deed) -> AuditEntry:
    return AuditEntry(
        id=new_id(),
        chain=deed.chain,
        actor=deed.actor,
        action=deed.action,
        object_ref=deed.object_ref,
        field_names=sorted(deed.field_names),
        reason_code=deed.reason_code,
    )
