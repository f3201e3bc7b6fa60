"""Deeds that take two persons: one asks, another decides, and it is done once.

Owns the request from the asking to the end. What a kind of change does is in its class
(`kinds`); who may ask or decide is the desk's to say. That nobody decides what they
asked for is said here and in the database. Persons are accounts of the desk, by their
ids: somebody with two roles is still one.

Each step is a deed in the chain `governance`, written last in its transaction. None of
this runs inside an access scope: it opens transactions of its own.

>>> request = propose("recall_policy", payload, object_ref="recall_policy:global",
...                   reason="…", by=3, now=now)  # doctest: +SKIP
>>> approve(request.pk, by=4, payload_hash=request.payload_hash, now=now).state
... # doctest: +SKIP
'done'
"""

from consent.approvals.approved import (
    add_result,
    carry_out_claimed,
    check_unchanged,
    list_waiting,
    lock,
)
from consent.approvals.kinds import ChangeKind, Payload, get_kind, list_kinds
from consent.approvals.records import GOVERNANCE_CHAIN
from consent.approvals.steps import (
    approve,
    describe,
    expire_due,
    may_decide,
    propose,
    refuse,
    withdraw,
)

__all__ = [
    "GOVERNANCE_CHAIN",
    "ChangeKind",
    "Payload",
    "add_result",
    "approve",
    "carry_out_claimed",
    "check_unchanged",
    "describe",
    "expire_due",
    "get_kind",
    "list_kinds",
    "list_waiting",
    "lock",
    "may_decide",
    "propose",
    "refuse",
    "withdraw",
]
