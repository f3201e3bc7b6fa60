"""Exports as a right: asked for, made by a worker, taken once, and gone in time.

Owns the file, and how it comes to be; what is in a section is each app's own
(`export_sections` of its `personal_data`).

>>> request(Wish(user_id), by="user:0192…", reason_code="user-request", now=now).state
... # doctest: +SKIP
'queued'
"""

from consent.exports.running import list_due, run
from consent.exports.stores import EXPORTED, LEFT_OUT, REASONS
from consent.exports.taking import expire, list_expired, open_file
from consent.exports.wishes import (
    FORMATS,
    RUN_EXPORT,
    STAFF_FORMATS,
    Wish,
    check_wish,
    list_formats,
    list_parts,
    request,
)

__all__ = [
    "EXPORTED",
    "FORMATS",
    "LEFT_OUT",
    "REASONS",
    "RUN_EXPORT",
    "STAFF_FORMATS",
    "Wish",
    "check_wish",
    "expire",
    "list_due",
    "list_expired",
    "list_formats",
    "list_parts",
    "open_file",
    "request",
    "run",
]
