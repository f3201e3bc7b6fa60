"""Erasing one memory, one relationship, or all of a user: preview, then typed consent.

The page says what goes from which store, what stays and why, and what bars it; the
receipt is the page of the run.

>>> reverse("admin:erase_user", args=[user_id])  # doctest: +SKIP
"""

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext as _

from consent import erasures
from consent.models import ErasureRun, LegalHold
from memsys.desk.carrying_out import carry_out
from memsys.desk.forms import ErasureForm
from memsys.desk.pages import page, show
from memsys.desk.permissions import Permission
from memsys.desk.recording import note_reason
from memsys.desk.subjects import open_relationship, open_user
from memsys.desk.views.deeds import user_url
from memsys.desk.views.reveals import relationship_url
from memsys.kernel.pages.columns import page_url
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
    return _erase(request, target, back=relationship_url(found.id))


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
    return _erase(request, target, back=relationship_url(found.id))


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
    return _erase(request, erasures.Target(found.pk), back=user_url(found.pk))


def _erase(
    request: HttpRequest, target: erasures.Target, *, back: str
) -> HttpResponseBase:
    code = str(target.memory_id or target.relationship_id or target.user_id)
    code = code[-CODE_CHARS:]
    form = ErasureForm(request.POST or None, code=code)

    def deed() -> str:
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
        return page_url(ErasureRun, run.pk)

    if request.method == "POST" and form.is_valid():
        done = _("You asked for the erasure. Where it stands is told below.")
        return carry_out(request, form, deed, done=done, back=back)
    preview = erasures.preview(target)
    return show(
        request,
        "desk/erase.html",
        title=_title(target),
        form=form,
        code=code,
        back=back,
        preview=preview,
        counts=sorted(preview.counts.items()),
        holds=[(one, page_url(LegalHold, one)) for one in preview.holds],
        is_memory=target.memory_id is not None,
    )


def _title(target: erasures.Target) -> Any:
    if target.memory_id is not None:
        return _("Erase one memory")
    if target.relationship_id is not None:
        return _("Erase this relationship")
    return _("Erase everything of this user")
