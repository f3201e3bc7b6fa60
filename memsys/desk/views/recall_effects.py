"""What a change of a recall policy does to labelled questions, before it is decided.

>>> reverse("admin:recall_effect", args=[change_id])  # doctest: +SKIP
"""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponseBase
from django.utils.translation import gettext as _

from consent.models import ChangeRequest
from memories.errors import MemoriesError
from memsys.desk.pages import page, show
from memsys.desk.permissions import Permission
from memsys.evaluation.effects import Effect, measure_effect
from memsys.kernel.pages.columns import page_url
from recall.changes import COUNTS, SHARES, WAS, RecallPolicyChange
from recall.types import Fusion, Policy

MEASURES = ("recall_1", "recall_3", "recall_5", "recall_10", "mrr", "ndcg_5")


@page(
    "recall-policies/changes/<uuid:change_id>/effect/",
    name="recall_effect",
    permission=Permission.SEE_CHANGES,
)
def recall_effect(request: HttpRequest, change_id: UUID) -> HttpResponseBase:
    """Show what a change that was asked for does, to whoever decides it."""
    change = ChangeRequest.objects.filter(
        pk=change_id, kind=RecallPolicyChange.code
    ).first()
    if change is None:
        raise Http404
    return show(
        request,
        "desk/recall_effect.html",
        title=_("What the change does"),
        back=page_url(ChangeRequest, change.pk),
        **effect_context(change.payload[WAS], change.payload),
    )


def effect_context(
    before: Mapping[str, Any] | None, after: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what the component of an effect shows: the measures, and what moved."""
    try:
        effect = measure_effect(_to_policy(before), _to_policy(after))
    except MemoriesError:
        return {"is_effect_unknown": True}
    return {"effect": effect, "measures": [*_lines(effect)]}


def _lines(effect: Effect) -> Any:
    labels = {
        "recall_1": _("Found in the first place"),
        "recall_3": _("Found among the first three"),
        "recall_5": _("Found among the first five"),
        "recall_10": _("Found among the first ten"),
        "mrr": _("Mean reciprocal rank"),
        "ndcg_5": _("nDCG of the first five"),
    }
    for name in MEASURES:
        was, now = getattr(effect.before, name), getattr(effect.after, name)
        tone = "" if abs(now - was) < 0.0005 else "good" if now > was else "bad"
        yield {
            "label": labels[name],
            "before": f"{was:.3f}",
            "after": f"{now:.3f}",
            "difference": f"{now - was:+.3f}" if tone else "0",
            "tone": tone,
        }


def _to_policy(values: Mapping[str, Any] | None) -> Policy:
    if values is None:
        return Policy()
    numbers = {name: values[name] for name in (*SHARES, *COUNTS)}
    return Policy(fusion=Fusion(values["fusion"]), **numbers)
