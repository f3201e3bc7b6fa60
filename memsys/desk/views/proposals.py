"""Asking for what a second person decides: the release of a field.

>>> reverse("admin:propose_release")
'/desk/releases/propose/'
"""

from datetime import datetime, time
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from consent.models import ProfileField, ReleasePolicy
from consent.releases import FieldRelease
from consent.types import DataClass, TargetKind
from memsys.desk.carrying_out import carry_out
from memsys.desk.forms import WordsForm
from memsys.desk.pages import page, show
from memsys.desk.permissions import Permission
from memsys.desk.proposing import propose
from memsys.kernel.pages.columns import list_url

RECIPIENTS = (TargetKind.ALL, TargetKind.CREATOR, TargetKind.PERSONA)
MOST_FIELDS = 200


class ReleaseForm(WordsForm):
    """Which field, to whom, for what, until when."""

    field = forms.ChoiceField(label=gettext_lazy("Field"))
    purpose = forms.CharField(
        label=gettext_lazy("Purpose"),
        max_length=200,
        help_text=gettext_lazy("What the recipients use it for; users can read this."),
        widget=forms.TextInput,
    )
    recipient_kind = forms.ChoiceField(
        label=gettext_lazy("Recipients"),
        choices=[(one.value, one.label) for one in RECIPIENTS],
    )
    recipient = forms.UUIDField(
        label=gettext_lazy("Id of the creator or persona"),
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    assessment_ref = forms.CharField(
        label=gettext_lazy("Impact assessment"),
        max_length=100,
        help_text=gettext_lazy("The number under which it is filed."),
        widget=forms.TextInput,
    )
    expires_at = forms.DateField(
        label=gettext_lazy("Last day"),
        widget=forms.DateInput(attrs={"type": "date"}),
    )
    field_order = (
        "field", "purpose", "recipient_kind", "recipient", "assessment_ref",
        "expires_at", "reason",
    )  # fmt: skip

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        rows = ProfileField.objects.exclude(data_class=DataClass.SENSITIVE)
        self.fields["field"].choices = [  # type: ignore[attr-defined]
            (row.key, f"{row.label} ({row.key})")
            for row in rows.order_by("key")[:MOST_FIELDS]
        ]

    def payload(self) -> dict[str, Any]:
        """Return what is asked for, as the change keeps it."""
        told = self.cleaned_data
        end = datetime.combine(told["expires_at"], time(23, 59, 59))
        recipient = told["recipient"]
        return {
            "field": told["field"],
            "purpose": told["purpose"],
            "recipient_kind": told["recipient_kind"],
            "recipient": str(recipient) if recipient else None,
            "assessment_ref": told["assessment_ref"],
            "expires_at": timezone.make_aware(end).isoformat(),
        }


@page(
    "releases/propose/",
    name="propose_release",
    permission=Permission.PROPOSE_RELEASE,
    methods=("GET", "POST"),
)
def propose_release(request: HttpRequest) -> HttpResponseBase:
    """Ask for a field to be released; another person decides."""
    form = ReleaseForm(request.POST or None)

    def deed() -> str:
        return propose(
            request,
            FieldRelease.code,
            form.payload(),
            object_ref=f"field:{form.cleaned_data['field']}",
            words=form.words,
        )

    back = list_url(ReleasePolicy)
    if request.method == "POST" and form.is_valid():
        done = _("You asked for the release. Nothing is released until another agrees.")
        return carry_out(request, form, deed, done=done, back=request.path)
    return show(
        request,
        "desk/deed.html",
        title=_("Ask for a release"),
        form=form,
        back=back,
        button=_("Ask for it"),
        sentences=[
            _(
                "A release alone shows nothing: the user must have granted it too, and "
                "sensitive fields cannot be released at all."
            ),
        ],
    )
