"""Exports at the desk: of one relationship, of one user, of several; and the file.

The page says what will be made and for whom; where it stands is the page of the run,
on which whoever asked takes the file, once.

>>> reverse("admin:export_user", args=[user_id])  # doctest: +SKIP
"""

from functools import partial
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import (
    Http404,
    HttpRequest,
    HttpResponseBase,
    HttpResponseRedirect,
    StreamingHttpResponse,
)
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from consent import exports
from consent.errors import ConsentError
from consent.models import ChangeRequest, ExportRun
from identity.models import GlobalUser
from identity.types import RelationshipRef
from memsys.desk.carrying_out import sentence_of, try_out
from memsys.desk.exporting import (
    ExportForm,
    SeveralForm,
    ask_for_minor,
    is_closed_minor,
    list_choices,
    propose_export,
)
from memsys.desk.forms import WordsForm
from memsys.desk.linking import note_for_request
from memsys.desk.pages import page, show
from memsys.desk.permissions import Permission
from memsys.desk.recording import note_reason
from memsys.desk.subjects import open_relationship, open_user
from memsys.desk.views.deeds import user_url
from memsys.desk.views.reveals import name_of, relationship_url
from memsys.kernel.pages.columns import list_url, page_url, visible_text
from memsys.kernel.pages.read_only import actor_of


@page(
    "relationships/<uuid:relationship_id>/export/",
    name="export_relationship",
    permission=Permission.EXPORT,
    methods=("GET", "POST"),
    is_proof_asked=True,
)
def export_relationship(
    request: HttpRequest, relationship_id: UUID
) -> HttpResponseBase:
    """Export one relationship."""
    found = open_relationship(request.user, relationship_id)
    user = GlobalUser.objects.get(pk=found.user_id)
    return _export(request, user, relationship=found, back=relationship_url(found.id))


@page(
    "people/<uuid:user_id>/export/",
    name="export_user",
    permission=Permission.EXPORT,
    methods=("GET", "POST"),
    is_proof_asked=True,
)
def export_user(request: HttpRequest, user_id: UUID) -> HttpResponseBase:
    """Export all of a user."""
    user = open_user(request.user, user_id)
    return _export(request, user, relationship=None, back=user_url(user.pk))


@page(
    "exports/several/",
    name="export_several",
    permission=Permission.EXPORT,
    methods=("GET", "POST"),
    is_proof_asked=True,
)
def export_several(request: HttpRequest) -> HttpResponseBase:
    """Ask for an export of each of several users; another person decides."""
    choices = list_choices(request.user, is_whole_user=True)
    form = SeveralForm(request.POST or None, choices=choices)

    def deed() -> str:
        return propose_export(request, form.cleaned_data["users"], form)

    done = _("You asked for the exports. Nothing is made until another person agrees.")
    answer = try_out(request, form, deed, done=done, back=request.path)
    return answer or show(
        request,
        "desk/deed.html",
        title=_("Export several users"),
        form=form,
        back=list_url(ExportRun),
        button=_("Ask a second person"),
        sentences=[
            _(
                "When another person has agreed, a job makes one file for each of them. "
                "You can take each file once, within %(hours)d hours."
            )
            % {"hours": settings.EXPORT_STAFF_HOURS},
        ],
    )


@page(
    "exports/<uuid:run_id>/take/",
    name="take_export",
    permission=Permission.EXPORT,
    methods=("POST",),
    is_proof_asked=True,
)
def take_export(request: HttpRequest, run_id: UUID) -> HttpResponseBase:
    """Take the file of an export that one asked for oneself, once."""
    actor = actor_of(request)
    rows = ExportRun.objects.filter(pk=run_id, for_staff=True, requested_by=actor)
    run = rows.first()
    if run is None:
        raise Http404
    user = open_user(request.user, run.global_user_id)
    if is_closed_minor(request, user):
        return HttpResponseRedirect(reverse("admin:export_user", args=[user.pk]))
    try:
        pieces = exports.open_file(run_id, by=actor, now=timezone.now())
    except ConsentError as exc:
        messages.error(request, sentence_of(exc))
        return HttpResponseRedirect(page_url(ExportRun, run_id))
    answer = StreamingHttpResponse(pieces, content_type="application/zip")
    answer.headers["Content-Length"] = str(run.size_bytes)
    answer.headers["Content-Disposition"] = f'attachment; filename="{run.pk}.zip"'
    return answer


def _export(
    request: HttpRequest,
    user: GlobalUser,
    *,
    relationship: RelationshipRef | None,
    back: str,
) -> HttpResponseBase:
    if is_closed_minor(request, user):
        return _ask_for_minor(request, user, relationship=relationship, back=back)
    choices = list_choices(request.user, is_whole_user=relationship is None)
    form = ExportForm(request.POST or None, choices=choices)
    deed = partial(_ask_for, request, user, relationship, form)
    done = _("You asked for it. Where it stands is told below.")
    answer = try_out(request, form, deed, done=done, back=back)
    return answer or show(
        request,
        "desk/deed.html",
        title=_("Export this relationship") if relationship else _("Export this user"),
        form=form,
        whose=_whose(user, relationship),
        back=back,
        button=_("Make the file"),
        sentences=_foretell(is_whole_user=relationship is None),
    )


def _whose(user: GlobalUser, relationship: RelationshipRef | None) -> Any:
    return name_of(relationship) if relationship else visible_text(user.external_id)


def _foretell(*, is_whole_user: bool) -> list[Any]:
    told = [
        _(
            "A job makes one ZIP with pages to read, tables, and a manifest. You alone "
            "can take it, once, within %(hours)d hours; your number and the time stand "
            "in it, and the taking is recorded. A legal hold does not bar it."
        )
        % {"hours": settings.EXPORT_STAFF_HOURS},
    ]
    if is_whole_user:
        told.append(
            _("With sensitive memories in it, nothing is made until another agrees.")
        )
    else:
        told.append(
            _(
                "What is the user's over all relationships is not in it, and sensitive "
                "memories are not: export the user for those."
            )
        )
    return told


def _ask_for(
    request: HttpRequest,
    user: GlobalUser,
    relationship: RelationshipRef | None,
    form: ExportForm,
) -> str:
    """Ask for the export, keep why, and return the page on which it stands."""
    if form.needs_second_person:
        return propose_export(request, [user.external_id], form)
    wish = exports.Wish(
        user.pk,
        relationship.id if relationship is not None else None,
        parts=form.cleaned_data["parts"],
        formats=form.cleaned_data["formats"],
        for_staff=True,
    )
    run = exports.request(
        wish, by=actor_of(request), reason_code=form.code, now=timezone.now()
    )
    note_reason(
        request,
        user_id=user.pk,
        object_ref=f"export:{run.pk}",
        action="export.reason",
        form=form,
    )
    note_for_request(request, f"export:{run.pk}", user_id=user.pk)
    return page_url(ExportRun, run.pk)


def _ask_for_minor(
    request: HttpRequest,
    user: GlobalUser,
    *,
    relationship: RelationshipRef | None,
    back: str,
) -> HttpResponseBase:
    """Ask a second person first: it is a minor's data."""
    form = WordsForm(request.POST or None)

    def deed() -> str:
        return page_url(ChangeRequest, ask_for_minor(request, user.pk, form))

    done = _("You asked for access. When another agrees, come back within 60 minutes.")
    answer = try_out(request, form, deed, done=done, back=back)
    return answer or show(
        request,
        "desk/deed.html",
        title=_("Access to a minor's data"),
        form=form,
        whose=_whose(user, relationship),
        back=back,
        button=_("Ask a second person"),
        sentences=[
            _(
                "This user is a minor, or may be one: before anything of theirs is "
                "exported or taken, a second person must agree."
            ),
        ],
    )
