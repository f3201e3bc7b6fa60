"""Erasure as a right: preview, wish, undo, run, check, receipt, and the ledger's replay.

Owns how an erasure goes; what is deleted in a step is each app's own (`ERASURE_STEPS`
of its `personal_data`).

>>> request(Target(user_id), by="user:0192…", reason_code="user-request",
...         at_once=False, now=now).state  # doctest: +SKIP
'waiting'
"""

from consent.erasures.ending import change_status, end
from consent.erasures.replaying import Replayed, make_up, replay
from consent.erasures.running import erase_now, list_due, run
from consent.erasures.stores import (
    ERASED,
    KEPT,
    OTHERS,
    REASONS,
    describe_stays,
    list_stays,
)
from consent.erasures.targets import Preview, Receipt, Stay, Target, target_of
from consent.erasures.verifying import (
    count_late,
    find_receipt,
    list_unverified,
    to_receipt,
    verify,
)
from consent.erasures.wishes import RUN_ERASURE, preview, request, undo

__all__ = [
    "ERASED",
    "KEPT",
    "OTHERS",
    "REASONS",
    "RUN_ERASURE",
    "Preview",
    "Receipt",
    "Replayed",
    "Stay",
    "Target",
    "change_status",
    "count_late",
    "describe_stays",
    "end",
    "erase_now",
    "find_receipt",
    "list_due",
    "list_stays",
    "list_unverified",
    "make_up",
    "preview",
    "replay",
    "request",
    "run",
    "target_of",
    "to_receipt",
    "undo",
    "verify",
]
