"""Deeds on changes, holds, releases and erasures: each a POST and one service call.

>>> reverse("admin:approve_change", args=[change_id])  # doctest: +SKIP
"""

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext as _

from consent import approvals, erasures, holds, releases
from consent.models import ChangeRequest, ErasureRun, LegalHold, ReleasePolicy
from memsys.desk.carrying_out import carry_out
from memsys.desk.forms import DecisionForm, NothingForm, WordsForm
from memsys.desk.pages import page
from memsys.desk.permissions import Permission
from memsys.kernel.pages.columns import page_url
from memsys.kernel.pages.read_only import actor_of


@page(
    "changes/<uuid:change_id>/approve/",
    name="approve_change",
    permission=Permission.DECIDE_CHANGES,
    methods=("POST",),
    is_proof_asked=True,
)
def approve_change(request: HttpRequest, change_id: UUID) -> HttpResponseBase:
    """Approve what another person asked for; it is carried out once."""
    form = DecisionForm(request.POST)
    return carry_out(
        request,
        form,
        lambda: approvals.approve(
            change_id,
            by=_me(request),
            payload_hash=form.cleaned_data["payload_hash"],
            note=form.cleaned_data["note"],
            now=timezone.now(),
        ),
        done=_("You approved it. What became of it stands below."),
        back=page_url(ChangeRequest, change_id),
    )


@page(
    "changes/<uuid:change_id>/refuse/",
    name="refuse_change",
    permission=Permission.DECIDE_CHANGES,
    methods=("POST",),
)
def refuse_change(request: HttpRequest, change_id: UUID) -> HttpResponseBase:
    """Refuse what another person asked for."""
    form = WordsForm(request.POST)
    return carry_out(
        request,
        form,
        lambda: approvals.refuse(
            change_id, by=_me(request), note=form.words, now=timezone.now()
        ),
        done=_("You refused it. Nothing was done."),
        back=page_url(ChangeRequest, change_id),
    )


@page(
    "changes/<uuid:change_id>/withdraw/",
    name="withdraw_change",
    permission=Permission.SEE_CHANGES,
    methods=("POST",),
)
def withdraw_change(request: HttpRequest, change_id: UUID) -> HttpResponseBase:
    """Take back what one asked for oneself."""
    return carry_out(
        request,
        NothingForm(request.POST),
        lambda: approvals.withdraw(change_id, by=_me(request), now=timezone.now()),
        done=_("You took it back. Nothing was done."),
        back=page_url(ChangeRequest, change_id),
    )


@page(
    "holds/<uuid:hold_id>/lift/",
    name="lift_hold",
    permission=Permission.PROPOSE_LIFTING,
    methods=("POST",),
)
def lift_hold(request: HttpRequest, hold_id: UUID) -> HttpResponseBase:
    """Ask for a hold to be lifted."""
    form = WordsForm(request.POST)

    def deed() -> str:
        change = holds.propose_lifting(
            hold_id, reason=form.words, by=_me(request), now=timezone.now()
        )
        return page_url(ChangeRequest, change.pk)

    return carry_out(
        request,
        form,
        deed,
        done=_("You asked for the hold to be lifted. It stays until another agrees."),
        back=page_url(LegalHold, hold_id),
    )


@page(
    "releases/<uuid:policy_id>/stop/",
    name="stop_release",
    permission=Permission.STOP_RELEASE,
    methods=("POST",),
    is_proof_asked=True,
)
def stop_release(request: HttpRequest, policy_id: UUID) -> HttpResponseBase:
    """Stop a release at once; it takes one person."""
    form = WordsForm(request.POST)
    return carry_out(
        request,
        form,
        lambda: releases.revoke(
            policy_id, by=_me(request), reason=form.words, now=timezone.now()
        ),
        done=_("You stopped the release. The next context does without the field."),
        back=page_url(ReleasePolicy, policy_id),
    )


@page(
    "erasures/<uuid:run_id>/undo/",
    name="undo_erasure",
    permission=Permission.UNDO_ERASURE,
    methods=("POST",),
)
def undo_erasure(request: HttpRequest, run_id: UUID) -> HttpResponseBase:
    """Undo an erasure that has not begun."""
    return carry_out(
        request,
        NothingForm(request.POST),
        lambda: erasures.undo(run_id, by=actor_of(request), now=timezone.now()),
        done=_("You undid the erasure. Everything is as it was."),
        back=page_url(ErasureRun, run_id),
    )


def _me(request: HttpRequest) -> Any:
    return int(request.user.pk or 0)
