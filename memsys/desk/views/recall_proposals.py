"""Asking for other weights of recall, with what is in force beside them.

>>> reverse("admin:propose_recall_policy", args=[policy_id])  # doctest: +SKIP
"""

from typing import Any
from uuid import UUID

from django import forms
from django.http import Http404, HttpRequest, HttpResponseBase
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memsys.desk.carrying_out import try_out
from memsys.desk.forms import WordsForm
from memsys.desk.pages import page, show
from memsys.desk.permissions import Permission
from memsys.desk.proposing import propose
from memsys.desk.views.recall_effects import effect_context
from memsys.kernel.pages.columns import list_url
from recall.changes import (
    COUNTS,
    FUSIONS,
    LABELS,
    SHARES,
    SWITCHES,
    VALUES,
    RecallPolicyChange,
    read_values,
)
from recall.models import RecallPolicy

SWITCH_HELP = gettext_lazy(
    "The rules on anthropomorphic services in force since July 2026 forbid to "
    "cultivate dependence; leave it off unless counsel agrees."
)


class PolicyForm(WordsForm):
    """All values of a policy, each within its caps."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["fusion"] = forms.ChoiceField(
            label=LABELS["fusion"], choices=[*FUSIONS.items()]
        )
        for name, (low, high) in SHARES.items():
            self.fields[name] = forms.FloatField(
                label=LABELS[name],
                min_value=low,
                max_value=high,
                widget=forms.NumberInput(attrs={"step": "any"}),
            )
        for name, (least, most) in COUNTS.items():
            self.fields[name] = forms.IntegerField(
                label=LABELS[name], min_value=least, max_value=most
            )
        for name in SWITCHES:
            self.fields[name] = forms.BooleanField(
                label=LABELS[name], required=False, help_text=SWITCH_HELP
            )
        for name in ("fusion", *SHARES, *COUNTS):
            self.fields[name].widget.attrs["class"] = "desk-input"
        self.order_fields([*VALUES, "reason"])


@page(
    "recall-policies/<uuid:policy_id>/propose/",
    name="propose_recall_policy",
    permission=Permission.PROPOSE_RECALL_POLICY,
    methods=("GET", "POST"),
)
def propose_recall_policy(request: HttpRequest, policy_id: UUID) -> HttpResponseBase:
    """Ask for other values of a policy; another person decides."""
    row = RecallPolicy.objects.filter(pk=policy_id).first()
    if row is None:
        raise Http404
    now_in_force = read_values(persona_id=row.persona_id, scenario=row.scenario)
    form = PolicyForm(request.POST or None, initial=now_in_force)

    def deed() -> str:
        return propose(
            request,
            RecallPolicyChange.code,
            _place(row) | {name: form.cleaned_data[name] for name in VALUES},
            object_ref=f"recall_policy:{row.pk}",
            words=form.words,
        )

    effect = _measure(request, form, now_in_force)
    done = _("You asked for it. Recall goes on as before until another agrees.")
    answer = None
    if not effect:
        answer = try_out(request, form, deed, done=done, back=request.path)
    return answer or show(
        request,
        "desk/recall_proposal.html",
        title=_("Ask for other weights of recall"),
        form=form,
        back=list_url(RecallPolicy),
        button=_("Ask for it"),
        sentences=[
            _(
                "See the effect before you ask, and say it in the reason. "
                "`manage.py evaluate recall FILE` measures larger sets of your own."
            ),
        ],
        **effect,
    )


def _measure(
    request: HttpRequest, form: PolicyForm, now_in_force: dict[str, Any]
) -> dict[str, Any]:
    """Return the effect when it is asked for and the values will do; no reason yet."""
    if request.method != "POST" or "measure" not in request.POST:
        return {}
    if not form.is_valid():
        form.errors.pop("reason", None)
    if form.errors:
        return {"is_unmeasured": True}
    return effect_context(now_in_force, form.cleaned_data)


def _place(row: RecallPolicy) -> dict[str, Any]:
    return {
        "persona": str(row.persona_id) if row.persona_id else None,
        "scenario": row.scenario,
    }
