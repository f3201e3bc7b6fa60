"""Logs each refused attempt to change the audit chains.

Owns the watch on every statement that fails for lack of rights on an audit table;
the attempt's own transaction is lost, so the log is where it stays.
"""

import logging
from collections.abc import Callable
from typing import Any

from django.db import ProgrammingError
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

logger = logging.getLogger("memsys.audit")

INSUFFICIENT_PRIVILEGE = "42501"


def watch() -> None:
    """Watch every connection that this process opens."""
    connection_created.connect(_add_wrapper, dispatch_uid="memsys-audit-refusals")


def note_refusal(*, by: str) -> None:
    """Log that a change of the chains was refused, by the models or the database."""
    logger.warning("audit.change_refused", extra={"refused_by": by})


def _add_wrapper(connection: BaseDatabaseWrapper, **kwargs: Any) -> None:
    if _log_refusal not in connection.execute_wrappers:
        connection.execute_wrappers.append(_log_refusal)


def _log_refusal(
    execute: Callable[..., Any],
    sql: str,
    params: Any,
    many: bool,
    context: dict[str, Any],
) -> Any:
    try:
        return execute(sql, params, many, context)
    except ProgrammingError as exc:
        state = getattr(exc.__cause__, "sqlstate", None)
        # A statement may be composed, and then is no plain text.
        if state == INSUFFICIENT_PRIVILEGE and "kernel_audit" in str(sql):
            note_refusal(by="database")
        raise
