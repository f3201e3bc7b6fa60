"""`access_scope` opens the only transactions in which content can be touched.

Owns the transaction, the database role and the settings that row-level security
reads, and what runs last before the commit (version bump, audit rows). Does not
decide who may open a scope: that is `consent.gate` and the permissions above.

>>> with access_scope(Purpose.JOB, relationship=relationship_id) as scope:
...     scope.finish("audit", 20, write_audit_rows)  # doctest: +SKIP
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from psycopg.pq import TransactionStatus

from memsys.kernel.scope.errors import ScopeBroken, ScopeConflict, ScopeMissing

NOBODY = UUID(int=0)


class Purpose(StrEnum):
    """Why content is opened; it decides the database role."""

    SERVICE = "service"
    JOB = "job"
    DESK = "desk"
    PORTAL = "portal"


ROLES = {Purpose.DESK: "memsys_staff", Purpose.PORTAL: "memsys_portal"}


@dataclass(frozen=True)
class Scope:
    """One open scope: the purpose, and the relationship or user it is limited to.

    With both it is limited to the content of the relationship, and to what is the
    user's own over all of them, such as grants.

    `notes` is what services leave for their own last deeds, each under its own name.
    One that `is_read` changes nothing that anybody waits for: see `access_scope`.
    """

    purpose: Purpose
    relationship: UUID | None
    user: UUID | None
    is_read: bool = False
    waiting_deeds: list[Any] = field(default_factory=list, compare=False)
    notes: dict[str, Any] = field(default_factory=dict, compare=False)
    _last: dict[str, tuple[int, Callable[[], None]]] = field(
        default_factory=dict, compare=False
    )

    def finish(self, key: str, order: int, deed: Callable[[], None]) -> None:
        """Run `deed` once, right before the commit; lower orders run first.

        Raises:
            ScopeConflict: the scope was opened to read.
        """
        if self.is_read:
            raise ScopeConflict("A scope that was opened to read has no last deeds.")
        self._last[key] = (order, deed)

    def run_last_deeds(self) -> None:
        """Run what `finish` collected, in its order, and what a deed adds to it."""
        while self._last:
            key = min(self._last, key=lambda one: self._last[one][0])
            _, deed = self._last.pop(key)
            deed()


_open_scope: ContextVar[Scope | None] = ContextVar("memsys_open_scope", default=None)


def find_scope() -> Scope | None:
    """Return the open scope, or None outside of one."""
    return _open_scope.get()


def require_scope(
    *, relationship: UUID | None = None, user: UUID | None = None
) -> Scope:
    """Return the open scope; services call this before they touch content.

    Raises:
        ScopeMissing: none is open, or its transaction is not.
        ScopeConflict: it is open for another relationship, or not for this user.
    """
    scope = _open_scope.get()
    if scope is None or not connection.in_atomic_block:
        raise ScopeMissing("Content is read and written inside an access scope only.")
    if relationship is not None and scope.relationship != relationship:
        raise ScopeConflict("The open scope belongs to another relationship.")
    if user is not None and scope.user != user:
        raise ScopeConflict("The open scope is not for this user.")
    return scope


@contextmanager
def access_scope(
    purpose: Purpose,
    *,
    relationship: UUID | None = None,
    user: UUID | None = None,
    is_read: bool = False,
) -> Iterator[Scope]:
    """Open one durable transaction limited to one relationship, one user, or both.

    Both are for services and jobs; the caller answers for it that the relationship is
    the user's. Opening the same scope again inside it joins it. Two statements: BEGIN
    and one batch of SET LOCAL.

    With `is_read` the commit does not wait for the disk: a crash of the database may
    lose the last half second of what such scopes wrote, which are records of reads.

    Raises:
        TypeError: the purpose is not a Purpose, or the target not a UUID.
        ValueError: neither `relationship` nor `user` was given, or both for a purpose
            whose role sees all relationships of a user.
        ScopeConflict: a scope for something else is open.
        ScopeBroken: a statement failed and its error was caught: nothing is stored.
        RuntimeError: another transaction is open.
    """
    wanted = Scope(purpose, _checked(relationship), _checked(user), is_read)
    _check_target(wanted)
    if (already := _find_same(wanted)) is not None:
        yield already
        return
    with transaction.atomic(durable=True):
        _enter(wanted)
        token = _open_scope.set(wanted)
        try:
            yield wanted
            wanted.run_last_deeds()
            _check_transaction()
        finally:
            _open_scope.reset(token)
    if connection.in_atomic_block:
        _leave(wanted)


def _find_same(wanted: Scope) -> Scope | None:
    """Return the open scope if it is the one that is wanted, None when none is."""
    already = _open_scope.get()
    if already is not None:
        if already != wanted:
            raise ScopeConflict("A scope for something else is open.")
        # A thread that copied the context has the scope, but not its transaction.
        require_scope()
    return already


def _check_target(wanted: Scope) -> None:
    if not isinstance(wanted.purpose, Purpose):
        raise TypeError("A scope takes a Purpose.")
    if wanted.relationship is None and wanted.user is None:
        raise ValueError("A scope is for a relationship or for a user.")
    has_both = wanted.relationship is not None and wanted.user is not None
    if has_both and wanted.purpose in ROLES:
        raise ValueError("This role would see all relationships of the user.")


def _checked(target: UUID | None) -> UUID | None:
    """Refuse what is not an id, so that nothing but a UUID reaches the statement.

    Raises:
        TypeError: the value is not a UUID.
        ValueError: it is the nil UUID, which stands for nobody.
    """
    if target is None:
        return None
    if not isinstance(target, UUID):
        raise TypeError("A scope takes a UUID.")
    if target == NOBODY:
        raise ValueError("The nil UUID stands for nobody.")
    return UUID(int=target.int)


def _enter(scope: Scope) -> None:
    role = ROLES.get(scope.purpose)
    statements = [
        *([f"SET LOCAL ROLE {role}"] if role else []),
        f"SET LOCAL memsys.purpose = '{scope.purpose.value}'",
        f"SET LOCAL memsys.relationship = '{scope.relationship or NOBODY}'",
        f"SET LOCAL memsys.\"user\" = '{scope.user or NOBODY}'",
        *(["SET LOCAL synchronous_commit = off"] if scope.is_read else []),
    ]
    with connection.cursor() as cursor:
        cursor.execute("; ".join(statements))


def _check_transaction() -> None:
    """Refuse to commit what PostgreSQL would silently roll back.

    Raises:
        ScopeBroken: a statement of this transaction failed.
    """
    status = connection.connection.info.transaction_status
    if status == TransactionStatus.INERROR:
        raise ScopeBroken("A statement failed in this scope; nothing is stored.")


def _leave(scope: Scope) -> None:
    """Undo the settings where an outer transaction goes on: in tests."""
    statements = [
        "SET LOCAL ROLE NONE",
        "SET LOCAL memsys.purpose = ''",
        "SET LOCAL memsys.relationship = ''",
        "SET LOCAL memsys.\"user\" = ''",
        *(["SET LOCAL synchronous_commit TO DEFAULT"] if scope.is_read else []),
    ]
    with connection.cursor() as cursor:
        cursor.execute("; ".join(statements))
