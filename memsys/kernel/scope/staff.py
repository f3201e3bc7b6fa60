"""The staff's database role, for tables that are not content.

Owns the transaction in which the desk reads what the login itself may not read: the
audit chains. It opens no content: that takes `access_scope`.

>>> with staff_role():  # doctest: +SKIP
...     AuditHead.objects.count()
"""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction

from memsys.kernel.scope.access import find_scope
from memsys.kernel.scope.errors import ScopeConflict


@contextmanager
def staff_role() -> Iterator[None]:
    """Open one durable transaction as the staff's role. Two statements.

    Raises:
        ScopeConflict: an access scope is open, which has a role of its own.
        RuntimeError: another transaction is open.
    """
    if find_scope() is not None:
        raise ScopeConflict("An access scope is open.")
    with transaction.atomic(durable=True):
        _set_role("memsys_staff")
        yield
    if connection.in_atomic_block:
        # An outer transaction goes on: in tests.
        _set_role("NONE")


def _set_role(name: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL ROLE {name}")
