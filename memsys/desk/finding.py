"""Finds people, requests and receipts by what names them exactly.

Owns what one box takes: a user's external id, the id of a user, relationship, request
or run, a request's number, the code of a receipt. No part of a name finds anything.

>>> find(request.user, "R-20261201-7K3QF80A1")  # doctest: +SKIP
[Found(title='R-20261201-7K3QF80A1', ...)]
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.utils.translation import gettext_lazy as _

from consent.erasures.wishes import bucket_of_receipt
from consent.models import ChangeRequest, ErasureRun, LegalHold, SubjectRequest
from identity.models import GlobalUser, Relationship
from memsys.desk.subjects import (
    requests_within_reach,
    runs_within_reach,
    within_reach,
)
from memsys.kernel.pages.columns import page_url, visible_text
from memsys.kernel.sharding.ids import bucket_of_user

MOST = 50
LONGEST = 200
# Tables whose rows are found by their id, and what their pages ask of a reader.
BY_ID: tuple[tuple[Any, str, Any], ...] = (
    (GlobalUser, "identity.view_globaluser", _("User")),
    (SubjectRequest, "consent.view_subjectrequest", _("Request")),
    (ErasureRun, "consent.view_erasurerun", _("Erasure")),
    (LegalHold, "consent.view_legalhold", _("Hold")),
    (ChangeRequest, "consent.view_changerequest", _("Change")),
)


@dataclass(frozen=True)
class Found:
    """One page that a term leads to."""

    kind: Any
    title: Any
    url: str
    note: Any = ""


def find(user: Any, term: str) -> list[Found]:
    """Return the pages that a term names and this person may open. At most 7 queries."""
    text = term.replace("\0", "").strip()[:LONGEST]
    if not text:
        return []
    key = _parse(text)
    hits = _by_id(user, key) if key is not None else _by_name(user, text)
    return list(hits)


def _by_id(user: Any, key: UUID) -> Iterator[Found]:
    yield from _relationships(user, pk=key)
    for model, permission, kind in BY_ID:
        if user.has_perm(permission) and _reached(user, model, key).exists():
            yield Found(kind, key, page_url(model, key))


def _reached(user: Any, model: Any, key: UUID) -> Any:
    """Return the row of this id, if this person may open it."""
    rows = model.objects.filter(pk=key)
    if model is SubjectRequest:
        return requests_within_reach(user, rows)
    return runs_within_reach(user, rows) if model is ErasureRun else rows


def _by_name(user: Any, text: str) -> Iterator[Found]:
    yield from _requests(user, text)
    yield from _receipts(user, text)
    bucket = bucket_of_user(text)
    owner = GlobalUser.objects.filter(shard=bucket, external_id=text).first()
    if owner is None:
        return
    if user.has_perm("identity.view_globaluser"):
        yield Found(_("User"), visible_text(text), page_url(GlobalUser, owner.pk))
    yield from _relationships(user, global_user_id=owner.pk)


def _relationships(user: Any, **wanted: Any) -> Iterator[Found]:
    rows = Relationship.objects.with_sides().filter(**wanted)
    for row in within_reach(user, rows).order_by("pk")[:MOST]:
        title = f"{row.global_user.external_id} · {row.persona.display_name}"
        yield Found(
            _("Relationship"),
            visible_text(title),
            page_url(Relationship, row.pk),
            row.get_status_display(),
        )


def _requests(user: Any, number: str) -> Iterator[Found]:
    if not user.has_perm("consent.view_subjectrequest"):
        return
    typed = number[:20]
    named = SubjectRequest.objects.filter(number__in={typed, typed.upper()})
    for row in requests_within_reach(user, named).order_by("pk")[:MOST]:
        yield Found(
            _("Request"),
            visible_text(row.number),
            page_url(SubjectRequest, row.pk),
            row.get_state_display(),
        )


def _receipts(user: Any, code: str) -> Iterator[Found]:
    bucket = bucket_of_receipt(code)
    if bucket is None or not user.has_perm("consent.view_erasurerun"):
        return
    rows = ErasureRun.objects.filter(shard=bucket, receipt_code=code.upper())
    for row in runs_within_reach(user, rows).order_by("pk")[:MOST]:
        yield Found(
            _("Receipt"),
            row.receipt_code,
            page_url(ErasureRun, row.pk),
            row.get_state_display(),
        )


def _parse(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
