"""What stands before the facts of a row: what happens next, and the deeds on it.

Owns the sentences and which forms a person sees. The forms lead to the pages of
`memsys.desk.views`, which ask again who may.

>>> change_panel(request, change).sentences  # doctest: +SKIP
"""

from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.models import User
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from consent import approvals
from consent.errors import ConsentError
from consent.models import (
    ChangeRequest,
    ErasureRun,
    ExportRun,
    LegalHold,
    ReleasePolicy,
)
from consent.releases import FieldRelease
from consent.types import ChangeState, ErasureState, ExportState
from memsys.desk.forms import DecisionForm, NothingForm, WordsForm
from memsys.desk.permissions import Permission
from memsys.desk.reasons import DeskForm
from memsys.desk.registers.marks import kind_label
from memsys.desk.registers.progress import bulk_facts
from memsys.desk.roles import may
from memsys.kernel.pages.columns import page_url, told
from memsys.kernel.pages.read_only import actor_of
from recall.changes import RecallPolicyChange


@dataclass(frozen=True)
class PanelForm:
    """A deed as a form: where it goes, what it asks, what its button says."""

    url: str
    form: DeskForm
    button: Any
    is_danger: bool = False


@dataclass(frozen=True)
class Panel:
    """Sentences, facts and deeds about one row."""

    sentences: tuple[Any, ...] = ()
    facts: tuple[tuple[Any, Any], ...] = ()
    links: tuple[tuple[Any, str], ...] = ()
    forms: tuple[PanelForm, ...] = field(default=())


def change_panel(request: HttpRequest, row: ChangeRequest) -> Panel:
    """Show what would change, bound by its hash, and the decision."""
    facts: list[tuple[Any, Any]]
    try:
        facts = [(label, told(one)) for label, one in _describe(row)]
    except ConsentError:
        facts = [(_("What would change"), _("This kind of change is not known."))]
    facts.append((_("Hash of what is asked for"), row.payload_hash))
    return Panel(
        sentences=(_change_sentence(row),),
        facts=(*_asked(row), *bulk_facts(row), *facts),
        links=_change_links(row),
        forms=_change_forms(request, row),
    )


def _describe(row: ChangeRequest) -> list[tuple[Any, Any]]:
    return approvals.describe(row)


def _asked(row: ChangeRequest) -> tuple[tuple[Any, Any], ...]:
    kind = kind_label(row.kind)
    return ((_("What is asked for"), told(kind)), (_("Why"), told(row.reason)))


def _change_links(row: ChangeRequest) -> tuple[tuple[Any, str], ...]:
    """Return the ways to what the change is about, and to what came of it."""
    links: list[tuple[Any, str]] = []
    subject, _colon, key = row.object_ref.partition(":")
    if row.kind == RecallPolicyChange.code:
        url = reverse("admin:recall_effect", args=[row.pk])
        links.append((_("Show the effect on labelled questions"), url))
    if subject == "hold":
        links.append((_("The hold"), page_url(LegalHold, key)))
    if row.kind == FieldRelease.code and row.state == ChangeState.DONE:
        url = page_url(ReleasePolicy, row.result["policy"])
        links.append((_("The release in force"), url))
    return tuple(links)


def _change_sentence(row: ChangeRequest) -> str:
    names = name_staff({row.requested_by, row.decided_by})
    values = {
        "who": names[row.requested_by],
        "other": names[row.decided_by],
        "until": _time(row.expires_at),
    }
    return {
        ChangeState.OPEN: _(
            "%(who)s asks for this. Another person decides; if nobody has by "
            "%(until)s, it lapses and nothing happens."
        ),
        ChangeState.APPROVED: _("%(other)s approved it; a job is carrying it out."),
        ChangeState.DONE: _("%(other)s approved it, and it was carried out once."),
        ChangeState.FAILED: _(
            "%(other)s approved it, but it could not be carried out; nothing was done."
        ),
        ChangeState.REFUSED: _("%(other)s refused it; nothing was done."),
        ChangeState.WITHDRAWN: _("%(who)s took it back; nothing was done."),
        ChangeState.EXPIRED: _("Nobody decided in time; nothing was done."),
    }[ChangeState(row.state)] % values


def _change_forms(request: HttpRequest, row: ChangeRequest) -> tuple[PanelForm, ...]:
    me, now = int(request.user.pk or 0), timezone.now()
    if row.state != ChangeState.OPEN or now >= row.expires_at:
        return ()
    if row.requested_by == me:
        url = reverse("admin:withdraw_change", args=[row.pk])
        return (PanelForm(url, NothingForm(), _("Take it back")),)
    may_decide = may(request.user, Permission.DECIDE_CHANGES)
    if not may_decide or not approvals.may_decide(row, by=me, now=now):
        return ()
    decision = DecisionForm(initial={"payload_hash": row.payload_hash})
    return (
        PanelForm(
            reverse("admin:approve_change", args=[row.pk]), decision, _("Approve")
        ),
        PanelForm(
            reverse("admin:refuse_change", args=[row.pk]),
            WordsForm(auto_id="id_refuse_%s"),
            _("Refuse"),
            is_danger=True,
        ),
    )


def name_staff(numbers: set[Any]) -> dict[Any, str]:
    """Return how members of staff are told: user name and number. One query."""
    wanted = {one for one in numbers if one is not None}
    known = dict(User.objects.filter(pk__in=wanted).values_list("pk", "username"))
    return {one: f"{known.get(one, '')} (staff:{one})".strip() for one in numbers}


def hold_panel(request: HttpRequest, row: LegalHold) -> Panel:
    """Say what the hold does, and let somebody ask for its lifting."""
    if row.lifted_at is not None:
        return Panel((_("This hold was lifted by two persons; it bars nothing."),))
    waiting = ChangeRequest.objects.filter(
        object_ref=f"hold:{row.pk}", state=ChangeState.OPEN
    ).first()
    sentence = _(
        "Nothing that this covers is erased or expires. Erasures asked for meanwhile "
        "wait, and go on by themselves when two persons have lifted the hold."
    )
    links: tuple[tuple[Any, str], ...] = ()
    forms: tuple[PanelForm, ...] = ()
    if waiting is not None:
        url = reverse("admin:consent_changerequest_change", args=[waiting.pk])
        links = ((_("Its lifting was asked for, and waits for a second person"), url),)
    elif may(request.user, Permission.PROPOSE_LIFTING):
        url = reverse("admin:lift_hold", args=[row.pk])
        forms = (PanelForm(url, WordsForm(), _("Ask for it to be lifted")),)
    return Panel((sentence,), links=links, forms=forms)


def erasure_panel(request: HttpRequest, row: ErasureRun) -> Panel:
    """Say where an erasure stands, and let it be undone while there is time."""
    sentence = {
        ErasureState.WAITING: _(
            "It was asked for and can be undone until %(run_from)s. Meanwhile nothing "
            "of it is recalled or written."
        ),
        ErasureState.BLOCKED: _(
            "A legal hold bars it. It goes on by itself when the hold is lifted; "
            "meanwhile nothing of it is recalled or written."
        ),
        ErasureState.RUNNING: _("It is running; a step that was cut off is repeated."),
        ErasureState.DONE: _(
            "It is done. After 24 hours it is looked for again in every store."
        ),
        ErasureState.UNDONE: _("It was undone; everything is as it was."),
    }[ErasureState(row.state)]
    forms: tuple[PanelForm, ...] = ()
    can_undo = row.state == ErasureState.WAITING and row.run_from > timezone.now()
    if can_undo and may(request.user, Permission.UNDO_ERASURE):
        url = reverse("admin:undo_erasure", args=[row.pk])
        forms = (PanelForm(url, NothingForm(), _("Undo the erasure")),)
    return Panel(
        (sentence % {"run_from": _time(row.run_from)},),
        links=_erasure_links(row),
        forms=forms,
    )


def _erasure_links(row: ErasureRun) -> tuple[tuple[Any, str], ...]:
    """Return the way to what bars it, or back to it while it runs."""
    if row.state == ErasureState.RUNNING:
        return ((_("Look again"), page_url(ErasureRun, row.pk)),)
    if row.state != ErasureState.BLOCKED:
        return ()
    keys = [key for stay in row.stays for key in stay.get("holds", ())]
    return tuple((_("The hold"), page_url(LegalHold, key)) for key in keys)


def export_panel(request: HttpRequest, row: ExportRun) -> Panel:
    """Say where an export stands, and let it be taken."""
    sentence = {
        ExportState.QUEUED: _("It waits for a worker."),
        ExportState.RUNNING: _("It is being made: %(progress)d %% are done."),
        ExportState.READY: _(
            "The file is there. Whoever asked for it can take it once, until "
            "%(until)s; then it is deleted."
        ),
        ExportState.TAKEN: _(
            "The file was taken on %(taken)s and deleted. It goes once; ask for "
            "another export if it was lost."
        ),
        ExportState.EXPIRED: _(
            "Its time is over, or something in it was erased; the file was deleted."
        ),
        ExportState.FAILED: _(
            "It could not be made, and nothing of it is kept; ask for it again."
        ),
    }[ExportState(row.state)]
    values = {
        "progress": row.progress,
        "until": _time(row.expires_at),
        "taken": _time(row.taken_at),
    }
    return Panel(
        (sentence % values,),
        links=_export_links(row),
        forms=_export_forms(request, row),
    )


def _export_links(row: ExportRun) -> tuple[tuple[Any, str], ...]:
    if row.state not in (ExportState.QUEUED, ExportState.RUNNING):
        return ()
    return ((_("Look again"), page_url(ExportRun, row.pk)),)


def _export_forms(request: HttpRequest, row: ExportRun) -> tuple[PanelForm, ...]:
    is_there = row.for_staff and row.state == ExportState.READY
    is_own = row.requested_by == actor_of(request)
    if not (is_there and is_own and may(request.user, Permission.EXPORT)):
        return ()
    url = reverse("admin:take_export", args=[row.pk])
    return (PanelForm(url, NothingForm(), _("Take the file")),)


def _time(at: Any) -> str:
    return f"{localtime(at):%Y-%m-%d %H:%M}" if at is not None else "-"
