"""Asking for what a second person decides: the release of a field.

>>> reverse("admin:propose_release")
'/desk/releases/propose/'
"""

from contextlib import suppress
from datetime import date, datetime, time
from typing import Any
from uuid import UUID

from django import forms
from django.db.models import Q
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from consent.models import ProfileField, ReleasePolicy
from consent.releases import FieldRelease
from consent.types import DataClass, TargetKind
from identity.models import Creator
from memsys.desk.carrying_out import try_out
from memsys.desk.forms import WordsForm
from memsys.desk.pages import page, show
from memsys.desk.permissions import Permission
from memsys.desk.proposing import propose
from memsys.desk.word_search import Where, find_target
from memsys.kernel.pages.codes import with_code
from memsys.kernel.pages.columns import list_url, spelled_out

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
    recipient = forms.CharField(
        label=gettext_lazy("Which creator or persona"),
        max_length=400,
        required=False,
        help_text=gettext_lazy(
            "An id; for a creator also the external id, for a persona also "
            "creator/persona. Everywhere takes none."
        ),
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
            (row.key, spelled_out(with_code(row.label_in(get_language()), row.key)))
            for row in rows.order_by("key")[:MOST_FIELDS]
        ]

    def clean_expires_at(self) -> date:
        """Return the last day if it is not over."""
        last: date = self.cleaned_data["expires_at"]
        if last < timezone.localdate():
            raise forms.ValidationError(_("This day is over."))
        return last

    def clean(self) -> dict[str, Any]:
        """Put the recipient's id in the place of the name that was typed."""
        told: dict[str, Any] = super().clean() or self.cleaned_data
        kind, name = told.get("recipient_kind"), told.get("recipient", "").strip()
        told["recipient"] = _find_recipient(kind, name) if name else None
        if kind == TargetKind.ALL and name:
            fault = _("Everywhere means all of them; leave this empty.")
            self.add_error("recipient", fault)
        elif kind != TargetKind.ALL and told["recipient"] is None:
            self.add_error("recipient", _("There is nothing of this name."))
        return told

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


def _find_recipient(kind: Any, name: str) -> UUID | None:
    """Return the creator or persona that an id or a name of the platform's means."""
    if kind == TargetKind.PERSONA:
        persona = find_target(Where.PERSONA, name)
        return persona.id if persona is not None else None
    wanted = Q(external_id=name)
    with suppress(ValueError):
        wanted |= Q(pk=UUID(name))
    creators = Creator.objects.filter(wanted).values_list("pk", flat=True)
    found: UUID | None = creators.first()
    return found


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
    done = _("You asked for the release. Nothing is released until another agrees.")
    answer = try_out(request, form, deed, done=done, back=request.path)
    return answer or show(
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
