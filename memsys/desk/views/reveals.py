"""Pages that open one memory or message, and that say who saw it.

Masked until a reason was given; then for ten minutes, to this person alone, with
their name across it. Who may, and the audit, are in `memsys.desk.revealing`.

>>> reverse("admin:reveal", args=["memory", relationship_id, memory_id])
... # doctest: +SKIP
"""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponseBase, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from consent.models import ChangeRequest
from identity.types import RelationshipRef
from memsys.desk import revealing
from memsys.desk.deeds import list_memory_deeds
from memsys.desk.pages import page, show
from memsys.desk.permissions import PROSE, Permission
from memsys.desk.reasons import ReasonCode, ReasonForm
from memsys.desk.roles import may
from memsys.desk.subjects import open_relationship
from memsys.kernel.pages.codes import words_of
from memsys.kernel.pages.columns import visible_text
from memsys.kernel.pages.labels import LABELS

KINDS = {"memory": gettext_lazy("Memory"), "message": gettext_lazy("Message")}


@page(
    "reveal/<str:kind>/<uuid:relationship_id>/<uuid:item_id>/",
    name="reveal",
    permission=Permission.REVEAL,
    methods=("GET", "POST"),
    is_proof_asked=True,
)
def reveal(
    request: HttpRequest, kind: str, relationship_id: UUID, item_id: UUID
) -> HttpResponseBase:
    """Ask for a reason, or show the item while its window is open."""
    item, now = _find_item(request, kind, relationship_id, item_id), timezone.now()
    demand = revealing.find_demand(item)
    lacking = [one for one in demand.permissions if not may(request.user, one)]
    if lacking:
        return _ask(request, item, form=None, lacking=[PROSE[one] for one in lacking])
    agreement = _find_agreement(request, item, demand)
    is_agreed = agreement is not None or not demand.agreement
    window = revealing.find_window(item, staff_id=_me(request), now=now)
    if request.method == "GET" and window is not None and is_agreed:
        return _show_values(request, item, window)
    form = ReasonForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        if not is_agreed:
            return _ask_second_person(request, item, demand.agreement, form)
        revealing.open_window(
            item, staff_id=_me(request), reason=form, agreement=agreement, now=now
        )
        return HttpResponseRedirect(request.path)
    return _ask(request, item, form=form, is_agreed=is_agreed)


@page(
    "readers/<str:kind>/<uuid:relationship_id>/<uuid:item_id>/",
    name="readers",
    permission=Permission.SEE_RELATIONSHIPS,
)
def readers(
    request: HttpRequest, kind: str, relationship_id: UUID, item_id: UUID
) -> HttpResponseBase:
    """Say who saw an item: staff by name, services by their key."""
    item = _find_item(request, kind, relationship_id, item_id)
    reveals = revealing.list_reveals(item)
    names = names_of({one.staff for one in reveals})
    return show(
        request,
        "desk/readers.html",
        title=_("Who saw it"),
        item=item,
        kind=KINDS[kind],
        whose=name_of(item.relationship),
        reveals=[
            {
                "who": visible_text(names.get(one.staff, f"staff:{one.staff}")),
                "at": one.revealed_at,
                "why": _label_of(one.reason_code),
                "until": one.until,
            }
            for one in reveals
        ],
        reads=revealing.list_reads(item),
        back=relationship_url(relationship_id),
    )


def relationship_url(relationship_id: UUID) -> str:
    """Return the address of a relationship's page."""
    return reverse("admin:identity_relationship_change", args=[relationship_id])


def name_of(relationship: RelationshipRef) -> Any:
    """Return both sides of a relationship by name, as harmless HTML."""
    sides = f"{relationship.user_external_id} · {relationship.persona_name}"
    return visible_text(sides)


def names_of(staff: set[int]) -> dict[int, str]:
    """Return the user names of members of staff. One query."""
    return dict(User.objects.filter(pk__in=staff).values_list("pk", "username"))


def _find_item(
    request: HttpRequest, kind: str, relationship_id: UUID, item_id: UUID
) -> revealing.Item:
    if kind not in KINDS:
        raise Http404
    relationship = open_relationship(request.user, relationship_id)
    return revealing.Item(kind, relationship, item_id)


def _find_agreement(
    request: HttpRequest, item: revealing.Item, demand: revealing.Demand
) -> ChangeRequest | None:
    if not demand.agreement:
        return None
    return revealing.find_agreement(
        item, demand.agreement, staff_id=_me(request), now=timezone.now()
    )


def _ask(
    request: HttpRequest,
    item: revealing.Item,
    *,
    form: ReasonForm | None,
    lacking: Any = (),
    is_agreed: bool = True,
) -> HttpResponseBase:
    return show(
        request,
        "desk/reveal_ask.html",
        title=_("Open a memory") if item.kind == "memory" else _("Open a message"),
        status=403 if lacking else 200,
        item=item,
        kind=KINDS[item.kind],
        whose=name_of(item.relationship),
        form=form,
        lacking=lacking,
        is_agreed=is_agreed,
        back=relationship_url(item.relationship.id),
    )


def _ask_second_person(
    request: HttpRequest, item: revealing.Item, kind: str, form: ReasonForm
) -> HttpResponseBase:
    revealing.ask_for_agreement(
        item, kind, staff_id=_me(request), words=form.words, now=timezone.now()
    )
    messages.success(
        request,
        _(
            "Nothing was opened. A second person was asked; once they agree you may "
            "open it for an hour, and are asked for the reason again."
        ),
    )
    return HttpResponseRedirect(relationship_url(item.relationship.id))


def _show_values(
    request: HttpRequest, item: revealing.Item, window: Any
) -> HttpResponseBase:
    rows = revealing.read_item(item, window)
    now = localtime()
    who = f"{request.user.get_username()} · staff:{request.user.pk}"
    mark = f"{who} · {now:%Y-%m-%d %H:%M:%S}"
    return show(
        request,
        "desk/reveal.html",
        title=_("Open until %(time)s") % {"time": f"{localtime(window.until):%H:%M}"},
        item=item,
        kind=KINDS[item.kind],
        whose=name_of(item.relationship),
        versions=[_facts(item, row) for row in rows],
        reason=_label_of(window.reason_code),
        marks=[mark] * 24,
        deeds=list_memory_deeds(request.user, item.relationship.id, item.id)
        if item.kind == "memory"
        else [],
        back=relationship_url(item.relationship.id),
    )


def _facts(item: revealing.Item, row: Any) -> dict[str, Any]:
    values = [(name, getattr(row, name)) for name in revealing.SHOWN[item.kind]]
    return {
        "at": getattr(row, "recorded_at", None) or row.sent_at,
        "facts": [
            (LABELS[name], visible_text(words_of(name, str(value))))
            for name, value in values
            if value not in (None, "")
        ],
    }


def _label_of(code: str) -> Any:
    return ReasonCode(code).label if code in ReasonCode.values else code


def _me(request: HttpRequest) -> int:
    return int(request.user.pk or 0)
