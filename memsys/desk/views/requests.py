"""Deeds on requests of people: taking one down, working on it, closing it, its letter.

>>> reverse("admin:answer_request", args=[request_id])  # doctest: +SKIP
"""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponseBase
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.translation import gettext as _

from consent import requests
from consent.models import SubjectRequest
from consent.requests import RequestForm
from identity.models import Relationship
from memsys.desk.carrying_out import carry_out, try_out
from memsys.desk.forms import NothingForm
from memsys.desk.pages import page, show
from memsys.desk.permissions import Permission
from memsys.desk.reasons import DeskForm
from memsys.desk.request_forms import (
    AnswerForm,
    AssignForm,
    MergeForm,
    PauseForm,
    ReceiveForm,
    RefusalForm,
)
from memsys.desk.subjects import open_request, open_user
from memsys.desk.views.deeds import user_url
from memsys.kernel.audit.chain import Deed, deed_chain, record
from memsys.kernel.pages.columns import page_url, visible_text
from memsys.kernel.pages.read_only import actor_of
from memsys.kernel.scope import Purpose, access_scope

MOST_RELATIONSHIPS = 200


@page(
    "people/<uuid:user_id>/request/",
    name="receive_request",
    permission=Permission.WORK_REQUESTS,
    methods=("GET", "POST"),
)
def receive_request(request: HttpRequest, user_id: UUID) -> HttpResponseBase:
    """Take down what a person asked for by letter, by telephone or in the chat."""
    user = open_user(request.user, user_id)
    form = ReceiveForm(request.POST or None, relationships=_list_relationships(user_id))

    def deed() -> str:
        told = form.cleaned_data
        about = told["relationship"]
        row = requests.receive(
            RequestForm(
                user.pk,
                told["kind"],
                relationship_id=UUID(about) if about else None,
                words=told["words"],
            ),
            by=actor_of(request),
            now=timezone.now(),
        )
        return page_url(SubjectRequest, row.pk)

    done = _("You took it down. Its number and due date stand below.")
    answer = try_out(request, form, deed, done=done, back=user_url(user.pk))
    return answer or show(
        request,
        "desk/deed.html",
        title=_("Take down a request"),
        form=form,
        back=user_url(user.pk),
        button=_("Take it down"),
        sentences=[
            visible_text(user.external_id),
            _(
                "It gets a number and a due date. While it is open, nothing that it is "
                "about expires."
            ),
        ],
    )


def _list_relationships(user_id: UUID) -> list[tuple[str, str]]:
    rows = Relationship.objects.with_sides().filter(global_user_id=user_id)
    return [
        (str(row.pk), f"{row.persona.display_name} · …{str(row.pk)[-12:]}")
        for row in rows.order_by("pk")[:MOST_RELATIONSHIPS]
    ]


def _work(
    request: HttpRequest,
    request_id: UUID,
    make_form: Callable[[SubjectRequest], DeskForm],
    deed: Callable[[Any], Any],
    *,
    done: Any,
) -> HttpResponseBase:
    """Do a deed that stands as a form on the page of a request within reach."""
    row = open_request(request.user, request_id)
    form = make_form(row)
    back = page_url(SubjectRequest, row.pk)
    return carry_out(request, form, lambda: deed(form), done=done, back=back)


@page(
    "requests/<uuid:request_id>/assign/",
    name="assign_request",
    permission=Permission.WORK_REQUESTS,
    methods=("POST",),
)
def assign_request(request: HttpRequest, request_id: UUID) -> HttpResponseBase:
    """Give a request to somebody, or back."""

    def deed(form: AssignForm) -> None:
        requests.assign(request_id, to=form.number, by=actor_of(request))

    return _work(
        request,
        request_id,
        lambda _row: AssignForm(request.POST, by=request.user),
        deed,
        done=_("You said who works on it."),
    )


@page(
    "requests/<uuid:request_id>/pause/",
    name="pause_request",
    permission=Permission.WORK_REQUESTS,
    methods=("POST",),
)
def pause_request(request: HttpRequest, request_id: UUID) -> HttpResponseBase:
    """Let no day count until the person has given what is needed."""

    def deed(form: PauseForm) -> None:
        code = form.cleaned_data["code"]
        now = timezone.now()
        requests.pause(request_id, code=code, by=actor_of(request), now=now)

    return _work(
        request,
        request_id,
        lambda _row: PauseForm(request.POST),
        deed,
        done=_("You paused it. The days until it goes on do not count."),
    )


@page(
    "requests/<uuid:request_id>/resume/",
    name="resume_request",
    permission=Permission.WORK_REQUESTS,
    methods=("POST",),
)
def resume_request(request: HttpRequest, request_id: UUID) -> HttpResponseBase:
    """Let the days of a request count again."""
    return _work(
        request,
        request_id,
        lambda _row: NothingForm(request.POST),
        lambda _form: requests.resume(
            request_id, by=actor_of(request), now=timezone.now()
        ),
        done=_("It goes on. Its due date has moved by the working days of the pause."),
    )


@page(
    "requests/<uuid:request_id>/answer/",
    name="answer_request",
    permission=Permission.WORK_REQUESTS,
    methods=("POST",),
)
def answer_request(request: HttpRequest, request_id: UUID) -> HttpResponseBase:
    """Answer a request and close it."""

    def deed(form: AnswerForm) -> None:
        told = form.cleaned_data
        requests.answer(
            request_id,
            outcome=told["outcome"],
            words=told["words"],
            by=actor_of(request),
            now=timezone.now(),
        )

    return _work(
        request,
        request_id,
        lambda _row: AnswerForm(request.POST),
        deed,
        done=_("You answered it, and it is closed."),
    )


@page(
    "requests/<uuid:request_id>/refuse/",
    name="refuse_request",
    permission=Permission.WORK_REQUESTS,
    methods=("POST",),
)
def refuse_request(request: HttpRequest, request_id: UUID) -> HttpResponseBase:
    """Refuse a request with its reason and close it."""

    def deed(form: RefusalForm) -> None:
        told = form.cleaned_data
        requests.refuse(
            request_id,
            reason=told["reason"],
            words=told["words"],
            by=actor_of(request),
            now=timezone.now(),
        )

    return _work(
        request,
        request_id,
        lambda _row: RefusalForm(request.POST),
        deed,
        done=_("You refused it. The letter below is for the person."),
    )


@page(
    "requests/<uuid:request_id>/merge/",
    name="merge_request",
    permission=Permission.WORK_REQUESTS,
    methods=("POST",),
)
def merge_request(request: HttpRequest, request_id: UUID) -> HttpResponseBase:
    """Make a request part of another one."""

    def deed(form: MergeForm) -> None:
        into = UUID(form.cleaned_data["into"])
        now = timezone.now()
        requests.merge(request_id, into=into, by=actor_of(request), now=now)

    return _work(
        request,
        request_id,
        lambda row: MergeForm(request.POST, same=list(requests.list_same(row)[:20])),
        deed,
        done=_("It is part of the other request now."),
    )


@page(
    "requests/<uuid:request_id>/letter/",
    name="request_letter",
    permission=Permission.WORK_REQUESTS,
)
def request_letter(request: HttpRequest, request_id: UUID) -> HttpResponseBase:
    """Show the letter of a refusal, in the person's language, ready to print."""
    row = open_request(request.user, request_id)
    letter = requests.find_letter(row)
    if letter is None:
        raise Http404
    with access_scope(Purpose.DESK, user=row.global_user_id):
        answers = [one.text for one in requests.list_notes(row) if one.is_answer]
    with transaction.atomic():
        record(
            Deed(
                chain=deed_chain(row.global_user_id),
                action="desk.letter_viewed",
                actor=actor_of(request),
                object_ref=f"request:{row.pk}",
            )
        )
    return TemplateResponse(
        request,
        "desk/letter.html",
        {
            "letter": letter,
            "answers": [visible_text(one) for one in answers],
            "back": page_url(SubjectRequest, row.pk),
        },
    )
