"""Deeds on one relationship, memory or user: correct, pause, hold, erase.

Each page asks for a reason, says what will happen, and makes one service call; what
became of it stands on the page that it leads to.

>>> reverse("admin:erase_relationship", args=[relationship_id])  # doctest: +SKIP
"""

from functools import partial
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext as _

from consent import erasures, holds
from consent.models import LegalHold
from identity.models import GlobalUser, Relationship
from identity.scopes import service_scope
from identity.types import RelationshipRef, RelationshipStatus
from memories.services import correct_memory
from memories.statements import prepare_statement
from memories.types import MemoryAuthor
from memsys.desk.carrying_out import try_out
from memsys.desk.forms import CorrectionForm, HoldForm, StandingForm
from memsys.desk.pages import page, show
from memsys.desk.permissions import Permission
from memsys.desk.reasons import ReasonForm
from memsys.desk.recording import note_reason
from memsys.desk.revealing import Item, find_demand
from memsys.desk.subjects import open_relationship, open_user
from memsys.desk.views.reveals import name_of, relationship_url
from memsys.kernel.pages.columns import list_url, page_url, visible_text
from memsys.kernel.pages.leading import leads
from memsys.kernel.pages.read_only import actor_of

FROM_NOW_ON = (
    RelationshipStatus.ACTIVE,
    RelationshipStatus.PAUSED,
    RelationshipStatus.RESTRICTED,
)


@page(
    "relationships/<uuid:relationship_id>/standing/",
    name="change_standing",
    permission=Permission.CHANGE_STANDING,
    methods=("GET", "POST"),
)
def change_standing(request: HttpRequest, relationship_id: UUID) -> HttpResponseBase:
    """Pause, restrict or resume a relationship."""
    relationship = open_relationship(request.user, relationship_id)
    choices = [(one, one.label) for one in FROM_NOW_ON if one != relationship.status]
    form = StandingForm(request.POST or None, choices=choices)

    def deed() -> None:
        erasures.change_status(
            relationship,
            form.cleaned_data["status"],
            by=actor_of(request),
            reason_code=form.code,
            come_from=FROM_NOW_ON,
        )
        _note(request, relationship, "relationship.standing_reason", form)

    done = _("You changed it. The next message and the next recall go by it.")
    answer = try_out(request, form, deed, done=done, back=_back(relationship))
    return answer or _ask(
        request,
        relationship,
        form,
        title=_("Pause, restrict, resume"),
        sentences=[
            _("It is %(status)s now.")
            % {"status": RelationshipStatus(relationship.status).label.lower()},
            _(
                "While it is paused or restricted nothing is written and nothing is "
                "recalled; the chat goes on. What is remembered stays."
            ),
        ],
        button=_("Change it"),
    )


@page(
    "relationships/<uuid:relationship_id>/hold/",
    name="hold_relationship",
    permission=Permission.PLACE_HOLD,
    methods=("GET", "POST"),
)
def hold_relationship(request: HttpRequest, relationship_id: UUID) -> HttpResponseBase:
    """Place a hold on a relationship."""
    relationship = open_relationship(request.user, relationship_id)
    return _hold(
        request, relationship.user_id, name_of(relationship), relationship=relationship
    )


@page(
    "people/<uuid:user_id>/hold/",
    name="hold_user",
    permission=Permission.PLACE_HOLD,
    methods=("GET", "POST"),
)
def hold_user(request: HttpRequest, user_id: UUID) -> HttpResponseBase:
    """Place a hold on all of a user."""
    user = open_user(request.user, user_id)
    return _hold(request, user.pk, visible_text(user.external_id), relationship=None)


@page(
    "relationships/<uuid:relationship_id>/memories/<uuid:memory_id>/correct/",
    name="correct_memory",
    permission=Permission.CORRECT,
    methods=("GET", "POST"),
)
def correct(
    request: HttpRequest, relationship_id: UUID, memory_id: UUID
) -> HttpResponseBase:
    """Put a memory right."""
    relationship = open_relationship(request.user, relationship_id)
    find_demand(Item("memory", relationship, memory_id))
    form = CorrectionForm(request.POST or None)

    def deed() -> None:
        statement = prepare_statement(
            form.cleaned_data["statement"], names=relationship.names
        )
        with service_scope(relationship):
            correct_memory(
                relationship,
                memory_id,
                statement,
                by=actor_of(request),
                author=MemoryAuthor.STAFF,
                now=timezone.now(),
            )
        _note(request, relationship, "memory.correction_reason", form, memory=memory_id)

    done = _("You put it right. The old wording is kept as superseded.")
    answer = try_out(request, form, deed, done=done, back=_back(relationship))
    return answer or _ask(
        request,
        relationship,
        form,
        title=_("Put a memory right"),
        sentences=[
            _("What you write is what is recalled from now on; it is marked as yours."),
        ],
        button=_("Put it right"),
    )


def _hold(
    request: HttpRequest,
    user_id: UUID,
    whose: Any,
    *,
    relationship: RelationshipRef | None,
) -> HttpResponseBase:
    form = HoldForm(request.POST or None)
    back = _back(relationship) if relationship else user_url(user_id)
    place = partial(_place, request, user_id, relationship, form)
    done = _("You placed a hold. It works from now on; two persons can lift it.")
    answer = try_out(request, form, place, done=done, back=back)
    return answer or show(
        request,
        "desk/deed.html",
        title=_("Place a hold"),
        form=form,
        back=back,
        whose=whose,
        sentences=[
            _(
                "Nothing of it is erased or expires until two persons lift the hold, "
                "not even when the user asks. Erasures asked for meanwhile wait."
            ),
        ],
        button=_("Place the hold"),
    )


def _place(
    request: HttpRequest,
    user_id: UUID,
    relationship: RelationshipRef | None,
    form: HoldForm,
) -> str:
    hold = holds.place(
        user_id,
        relationship_id=relationship.id if relationship else None,
        reason_code=form.code,
        case_ref=form.cleaned_data["case_ref"],
        by=actor_of(request),
        now=timezone.now(),
    )
    note_reason(
        request,
        user_id=user_id,
        object_ref=f"hold:{hold.pk}",
        action="hold.reason",
        form=form,
    )
    return page_url(LegalHold, hold.pk)


def _ask(
    request: HttpRequest,
    relationship: RelationshipRef,
    form: ReasonForm,
    *,
    title: Any,
    sentences: list[Any],
    button: Any,
) -> HttpResponseBase:
    return show(
        request,
        "desk/deed.html",
        title=title,
        form=form,
        sentences=sentences,
        button=button,
        whose=name_of(relationship),
        back=_back(relationship),
    )


def _note(
    request: HttpRequest,
    relationship: RelationshipRef,
    action: str,
    form: ReasonForm,
    *,
    memory: UUID | None = None,
) -> None:
    object_ref = f"memory:{memory}" if memory else f"relationship:{relationship.id}"
    note_reason(
        request,
        user_id=relationship.user_id,
        object_ref=object_ref,
        action=action,
        form=form,
    )


def _back(relationship: RelationshipRef) -> str:
    return relationship_url(relationship.id)


def user_url(user_id: UUID) -> str:
    """Return the address of a user's page; for who may not open it, the list of theirs."""
    url = page_url(GlobalUser, user_id)
    if leads(url):
        return url
    return f"{list_url(Relationship)}?global_user={user_id}"
