"""Erasing one memory, one relationship, or all of a user: preview, then typed consent.

The page says what goes from which store, what stays and why, and what bars it; the
receipt is the page of the run.

>>> reverse("admin:erase_user", args=[user_id])  # doctest: +SKIP
"""

from functools import partial
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from consent import erasures, holds
from consent.models import ErasureRun, LegalHold
from memsys.desk.carrying_out import try_out
from memsys.desk.forms import ErasureForm
from memsys.desk.linking import note_for_request
from memsys.desk.pages import page, show
from memsys.desk.permissions import Permission
from memsys.desk.recording import note_reason
from memsys.desk.roles import may
from memsys.desk.subjects import open_relationship, open_user
from memsys.desk.views.deeds import user_url
from memsys.desk.views.reveals import name_of, relationship_url
from memsys.kernel.pages.codes import words_of
from memsys.kernel.pages.columns import page_url, visible_text
from memsys.kernel.pages.read_only import actor_of

CODE_CHARS = 8


@page(
    "relationships/<uuid:relationship_id>/erase/",
    name="erase_relationship",
    permission=Permission.START_ERASURE,
    methods=("GET", "POST"),
    is_proof_asked=True,
)
def erase_relationship(request: HttpRequest, relationship_id: UUID) -> HttpResponseBase:
    """Erase a relationship."""
    found = open_relationship(request.user, relationship_id)
    target = erasures.Target(found.user_id, found.id)
    return _erase(
        request, target, whose=name_of(found), back=relationship_url(found.id)
    )


@page(
    "relationships/<uuid:relationship_id>/memories/<uuid:memory_id>/erase/",
    name="erase_memory",
    permission=Permission.START_ERASURE,
    methods=("GET", "POST"),
    is_proof_asked=True,
)
def erase_memory(
    request: HttpRequest, relationship_id: UUID, memory_id: UUID
) -> HttpResponseBase:
    """Erase one memory."""
    found = open_relationship(request.user, relationship_id)
    target = erasures.Target(found.user_id, found.id, memory_id)
    return _erase(
        request, target, whose=name_of(found), back=relationship_url(found.id)
    )


@page(
    "people/<uuid:user_id>/erase/",
    name="erase_user",
    permission=Permission.START_ERASURE,
    methods=("GET", "POST"),
    is_proof_asked=True,
)
def erase_user(request: HttpRequest, user_id: UUID) -> HttpResponseBase:
    """Erase everything of a user."""
    found = open_user(request.user, user_id)
    target = erasures.Target(found.pk)
    return _erase(
        request, target, whose=visible_text(found.external_id), back=user_url(found.pk)
    )


def _erase(
    request: HttpRequest, target: erasures.Target, *, whose: Any, back: str
) -> HttpResponseBase:
    code = str(target.memory_id or target.relationship_id or target.user_id)
    code = code[-CODE_CHARS:]
    form = ErasureForm(request.POST or None, code=code)
    done = _("You asked for the erasure. Where it stands is told below.")
    deed = partial(_ask_for, request, target, form)
    answer = try_out(request, form, deed, done=done, back=back)
    if answer is not None:
        return answer
    preview = erasures.preview(target)
    return show(
        request,
        "desk/erase.html",
        title=_title(target),
        whose=whose,
        form=form,
        code=code,
        back=back,
        preview=preview,
        counts=[
            (words_of("counts", store), count)
            for store, count in sorted(preview.counts.items())
        ],
        holds=_tell_holds(request, preview),
        is_memory=target.memory_id is not None,
    )


def _ask_for(request: HttpRequest, target: erasures.Target, form: ErasureForm) -> str:
    """Ask for the erasure, keep why, and return the page of its run."""
    run = erasures.request(
        target,
        by=actor_of(request),
        reason_code=form.code,
        at_once=form.cleaned_data["at_once"],
        now=timezone.now(),
    )
    note_reason(
        request,
        user_id=target.user_id,
        object_ref=f"erasure:{run.pk}",
        action="erasure.reason",
        form=form,
    )
    note_for_request(request, f"erasure:{run.pk}", user_id=target.user_id)
    return page_url(ErasureRun, run.pk)


def _tell_holds(
    request: HttpRequest, preview: erasures.Preview
) -> list[tuple[Any, str]]:
    """Return why each hold was placed, and its page for those who may open it."""
    rows = holds.list_active(preview.target.user_id).filter(pk__in=preview.holds)
    if not may(request.user, Permission.SEE_HOLDS):
        return [(_("Ask the legal reviewers why."), "") for _row in rows[:1]]
    return [
        (
            visible_text(
                _("%(case)s: %(reason)s, placed on %(date)s")
                % {
                    "case": row.case_ref,
                    "reason": words_of("reason_code", row.reason_code),
                    "date": f"{localtime(row.placed_at):%Y-%m-%d %H:%M}",
                }
            ),
            page_url(LegalHold, row.pk),
        )
        for row in rows
    ]


def _title(target: erasures.Target) -> Any:
    if target.memory_id is not None:
        return _("Erase one memory")
    if target.relationship_id is not None:
        return _("Erase this relationship")
    return _("Erase everything of this user")
