"""The queue of requests: its filters, and the panel with what can be done with one.

Owns the sentences and which forms a person sees. The words of a request are shown to
those who may work on it, and their page is recorded before it is sent.

>>> request_panel(request, row).sentences  # doctest: +SKIP
"""

from collections.abc import Iterator
from typing import Any

from django.contrib.admin import SimpleListFilter
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from consent import requests
from consent.models import ErasureRun, ExportRun, SubjectRequest, SubjectRequestNote
from consent.types import RequestKind, RequestState
from identity.models import Relationship
from memsys.desk.forms import NothingForm
from memsys.desk.pages import PAGES
from memsys.desk.permissions import Permission
from memsys.desk.registers.panels import Panel, PanelForm
from memsys.desk.request_forms import (
    NOBODY,
    AnswerForm,
    AssignForm,
    MergeForm,
    PauseForm,
    RefusalForm,
)
from memsys.desk.roles import may
from memsys.kernel.pages.actors import actor_words, know_staff
from memsys.kernel.pages.columns import page_url, visible_text
from memsys.kernel.scope import Purpose, access_scope

OPEN = (RequestState.OPEN, RequestState.PAUSED)
# What a kind of request asks for: a page of a relationship, and one of a user.
DEEDS: dict[str, tuple[tuple[str, str], Any]] = {
    RequestKind.ACCESS: (
        ("export_relationship", "export_user"),
        gettext_lazy("Make the export"),
    ),
    RequestKind.TRANSFER: (
        ("export_relationship", "export_user"),
        gettext_lazy("Make the export"),
    ),
    RequestKind.ERASE: (
        ("erase_relationship", "erase_user"),
        gettext_lazy("Start the erasure"),
    ),
    RequestKind.RESTRICT: (
        ("change_standing", ""),
        gettext_lazy("Pause or restrict"),
    ),
    RequestKind.EXPLAIN: (("", "consents"), gettext_lazy("See the consents")),
}
PAGE_OF = {"erasure": ErasureRun, "export": ExportRun}


class StandingFilter(SimpleListFilter):
    """What is worked on, unless what is closed is asked for."""

    title = gettext_lazy("State")
    parameter_name = "standing"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [
            *((one.value, one.label) for one in RequestState),
            ("all", _("All")),
        ]

    def choices(self, changelist: Any) -> Iterator[Any]:
        """Say what stands there without a choice: what is worked on."""
        for place, one in enumerate(super().choices(changelist)):
            yield one if place else {**one, "display": _("Open and paused")}

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[SubjectRequest]
    ) -> QuerySet[SubjectRequest]:
        if self.value() == "all" or "state__exact" in request.GET:
            return queryset
        if self.value() in RequestState.values:
            return queryset.filter(state=self.value())
        # As the index of the queue says it.
        return queryset.filter(state__in=OPEN)


class WorkerFilter(SimpleListFilter):
    """Who has it: whoever looks, or nobody."""

    title = gettext_lazy("Worked on by")
    parameter_name = "worker"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("me", _("Me")), ("nobody", _("Nobody"))]

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[SubjectRequest]
    ) -> QuerySet[SubjectRequest]:
        if self.value() == "me":
            return queryset.filter(assigned_to=request.user.pk)
        if self.value() == "nobody":
            return queryset.filter(assigned_to=None)
        return queryset


def request_panel(request: HttpRequest, row: SubjectRequest) -> Panel:
    """Say what happens next with a request, and offer the deeds on it."""
    is_worker = may(request.user, Permission.WORK_REQUESTS)
    is_open = row.state in requests.OPEN_STATES
    return Panel(
        (_sentence(row),),
        facts=_words(row) if is_worker else (),
        links=tuple(_links(request, row, is_worker=is_worker)),
        forms=tuple(_forms(request, row)) if is_worker and is_open else (),
    )


def _sentence(row: SubjectRequest) -> str:
    sentence = {
        RequestState.OPEN: _(
            "It must be answered by %(due)s, and should be by %(target)s. Working days "
            "in China count. While it is open, nothing that it is about expires."
        ),
        RequestState.PAUSED: _(
            "It is paused; the days of the pause do not count. It was due on %(due)s."
        ),
        RequestState.DONE: _("It was answered; nothing is left to do."),
        RequestState.REFUSED: _(
            "It was refused with its reason; the letter tells the person how to object."
        ),
    }[RequestState(row.state)]
    if row.duplicate_of is not None:
        sentence = _("The same was asked for before; it is answered there.")
    target = requests.target_date(row.received_at)
    return sentence % {
        "due": f"{row.due_date:%Y-%m-%d}",
        "target": f"{min(target, row.due_date):%Y-%m-%d}",
    }


def _words(row: SubjectRequest) -> tuple[tuple[Any, Any], ...]:
    """Return what the person wrote and what was answered, each with who and when."""
    know_staff()
    with access_scope(Purpose.DESK, user=row.global_user_id):
        notes = requests.list_notes(row)
    return tuple((_who_and_when(one), visible_text(one.text)) for one in notes)


def _who_and_when(note: SubjectRequestNote) -> Any:
    told = {"date": f"{localtime(note.written_at):%Y-%m-%d %H:%M}"}
    words = _("Answered on %(date)s") if note.is_answer else _("Asked for on %(date)s")
    return format_html("{} · {}", words % told, actor_words(note.author))


def _links(
    request: HttpRequest, row: SubjectRequest, *, is_worker: bool
) -> Iterator[tuple[Any, str]]:
    if row.duplicate_of is not None:
        yield _("The request that it became part of"), _page(row.duplicate_of)
    for one in requests.list_duplicates(row)[:20]:
        yield _("Part of it: %(number)s") % {"number": one.number}, _page(one.pk)
    for deed in row.deeds:
        kind, _colon, key = deed.partition(":")
        if kind in PAGE_OF:
            yield _("What was done for it"), page_url(PAGE_OF[kind], key)
    if not is_worker:
        return
    if row.letter_version is not None:
        url = reverse("admin:request_letter", args=[row.pk])
        yield _("The letter, to print or to send"), url
    if row.state in requests.OPEN_STATES:
        yield from _deed_links(request, row)


def _deed_links(request: HttpRequest, row: SubjectRequest) -> Iterator[tuple[Any, str]]:
    """Yield the way to do what is asked for, which notes that it was done for this."""
    if row.relationship_id is not None and may(
        request.user, Permission.SEE_RELATIONSHIPS
    ):
        yield _("The relationship"), page_url(Relationship, row.relationship_id)
    (of_relationship, of_user), words = DEEDS.get(row.kind, (("", ""), ""))
    name = of_relationship if row.relationship_id is not None else of_user
    key = row.relationship_id or row.global_user_id
    permissions = {one.name: one.permission for one in PAGES}
    wanted = permissions.get(name)
    if wanted is not None and may(request.user, wanted):
        yield words, f"{reverse(f'admin:{name}', args=[key])}?request={row.pk}"


def _page(key: Any) -> str:
    return page_url(SubjectRequest, key)


def _forms(request: HttpRequest, row: SubjectRequest) -> Iterator[PanelForm]:
    def url(name: str) -> str:
        return reverse(f"admin:{name}", args=[row.pk])

    assign = AssignForm(
        by=request.user,
        auto_id="id_assign_%s",
        initial={"to": row.assigned_to or NOBODY},
    )
    yield PanelForm(url("assign_request"), assign, _("Say who works on it"))
    if row.state == RequestState.PAUSED:
        yield PanelForm(url("resume_request"), NothingForm(), _("Let it go on"))
    else:
        pause = PauseForm(auto_id="id_pause_%s")
        yield PanelForm(url("pause_request"), pause, _("Pause it"))
    same = list(requests.list_same(row)[:20])
    if same:
        merge = MergeForm(same=same, auto_id="id_merge_%s")
        yield PanelForm(url("merge_request"), merge, _("Make them one"))
    answer = AnswerForm(auto_id="id_answer_%s")
    yield PanelForm(url("answer_request"), answer, _("Answer and close it"))
    refusal = RefusalForm(auto_id="id_refuse_%s")
    yield PanelForm(
        url("refuse_request"), refusal, _("Refuse and close it"), is_danger=True
    )
