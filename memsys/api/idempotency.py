"""Writes that may be sent twice: the second one gets the first one's answer.

Owns the `Idempotency-Key` header and the stored answers. The work is done first and
its answer kept last, in one transaction: when another request was first, all of the
work is rolled back, audit rows and jobs included, and the kept answer is sent. Answers
hold ids and counts, never text.

>>> answer_once(request, deed, relationship=relationship)  # doctest: +SKIP
"""

import hashlib
import hmac
import json
import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import OperationalError, connection, transaction
from django.db.models.functions import Now
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from identity.scopes import service_scope
from identity.types import RelationshipRef
from memsys.api.authentication import Caller
from memsys.api.errors import (
    DOMAIN_ERRORS,
    IdempotencyKeyReused,
    RequestInProgress,
)
from memsys.api.models import IdempotencyRecord
from memsys.kernel.scope import Purpose, access_scope
from memsys.kernel.sql import load_sql

HEADER = "Idempotency-Key"
REPLAYED = "Idempotency-Replayed"
VALID_FOR = timedelta(hours=24)
LOCK_NOT_AVAILABLE = "55P03"

_KEY = re.compile(r"[\x21-\x7e]{1,200}")
_EXPECTED = "1 to 200 printable ASCII characters without spaces"


@dataclass(frozen=True)
class Answer:
    """What a write answers: ids and counts only, since it may be kept for a day."""

    body: dict[str, Any]
    status: int = 200

    def render(self, **headers: str) -> Response:
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        return Response(self.body, status=self.status, headers=names)


@dataclass(frozen=True)
class Token:
    """An idempotency key, whose it is, and for which request."""

    client: str
    key: str
    digest: bytes


@dataclass(frozen=True)
class _Whose:
    """Of whom a request tells, so that an erasure finds the digest of it."""

    relationship: UUID | None = None
    user: UUID | None = None


class _AlreadyAnswered(Exception):
    """Another request with this key was first; rolls the work back."""


def answer_once(
    request: Request,
    deed: Callable[[], Answer],
    *,
    relationship: RelationshipRef | None = None,
    user: UUID | None = None,
    about: UUID | None = None,
) -> Response:
    """Do a write in one transaction and answer it, or repeat the answer it had.

    With a relationship, the transaction is its access scope; with a user alone, that
    of the user. `about` is the user of whom the request tells something, where neither
    is given. One statement more than the deed when the request names an idempotency key.

    Raises:
        IdempotencyKeyReused: the key belongs to another request.
        RequestInProgress: a request with the key holds what this one needs.
    """
    token, opened = read_token(request), _transaction(relationship, user)
    if token is None:
        with opened:
            return deed().render()
    whose = _Whose(user=user or about)
    if relationship is not None:
        whose = _Whose(relationship.id, relationship.user_id)
    try:
        return _first_answer(token, deed, opened, whose=whose).render()
    except _AlreadyAnswered as exc:
        answer = _find_answer(token)
        if answer is None:
            raise RequestInProgress("Whoever had the key has just given up.") from exc
    except DOMAIN_ERRORS:
        # Done already, a deed may fail the second time: what it erased is gone.
        answer = _find_answer(token)
        if answer is None:
            raise
    return answer.render(Idempotency_Replayed="true")


def read_token(request: Request) -> Token | None:
    """Return what the request's idempotency key stands for; None without one.

    Raises:
        ValidationError: the header is not a usable key.
    """
    key = request.headers.get(HEADER)
    if key is None:
        return None
    if not _KEY.fullmatch(key):
        raise ValidationError({HEADER: ValidationError(_EXPECTED, "invalid").detail})
    caller = request.auth
    assert isinstance(caller, Caller)
    named = f"{request.method} {request.path}\n".encode()
    return Token(caller.prefix, key, hashlib.sha256(named + request.body).digest())


def _first_answer(
    token: Token,
    deed: Callable[[], Answer],
    opened: AbstractContextManager[object],
    *,
    whose: _Whose,
) -> Answer:
    try:
        with opened:
            with connection.cursor() as cursor:
                cursor.execute("SET LOCAL lock_timeout = '3s'")
            answer = deed()
            _keep(token, answer, whose=whose)
            return answer
    except OperationalError as exc:
        if getattr(exc.__cause__, "sqlstate", None) != LOCK_NOT_AVAILABLE:
            raise
        raise RequestInProgress("Another request holds what this needs.") from exc


def _transaction(
    relationship: RelationshipRef | None, user: UUID | None
) -> AbstractContextManager[object]:
    if relationship is not None:
        return service_scope(relationship)
    if user is not None:
        return access_scope(Purpose.SERVICE, user=user)
    return transaction.atomic(durable=True)


def _keep(token: Token, answer: Answer, *, whose: _Whose) -> None:
    """Keep the answer. One query.

    Raises:
        _AlreadyAnswered: the key has an answer of the last day.
    """
    values: list[Any] = [
        token.client, token.key, whose.relationship, whose.user, token.digest,
        answer.status, json.dumps(answer.body),
    ]  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute(load_sql("api", "store_answer"), values)
        if cursor.fetchone() is None:
            raise _AlreadyAnswered


def _find_answer(token: Token) -> Answer | None:
    """Return the kept answer. One query.

    Raises:
        IdempotencyKeyReused: it answers another request.
    """
    row = IdempotencyRecord.objects.filter(
        client=token.client, key=token.key, created_at__gte=Now() - VALID_FOR
    ).first()
    if row is None:
        return None
    if not hmac.compare_digest(bytes(row.request_digest), token.digest):
        raise IdempotencyKeyReused("The key belongs to another request.")
    return Answer(row.answer, row.status_code)


def delete_expired(*, now: datetime) -> int:
    """Delete the answers that are no longer replayed; return how many."""
    rows = IdempotencyRecord.objects.filter(created_at__lt=now - VALID_FOR)
    return rows.delete()[0]
