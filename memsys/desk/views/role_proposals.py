"""Asking for a role to be given or taken, for another person to decide.

>>> reverse("admin:propose_role")
'/desk/roles/propose/'
"""

from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memsys.desk.carrying_out import try_out
from memsys.desk.changes import RoleGrant
from memsys.desk.forms import WordsForm
from memsys.desk.pages import page, show
from memsys.desk.permissions import Permission
from memsys.desk.proposing import propose
from memsys.desk.roles import ROLES

CHANGES = (("give", gettext_lazy("Give it")), ("take", gettext_lazy("Take it away")))


class RoleForm(WordsForm):
    """Whose role, which, and whether it is given or taken."""

    staff = forms.CharField(
        label=gettext_lazy("User name"),
        max_length=150,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    role = forms.ChoiceField(
        label=gettext_lazy("Role"), choices=[(role.name, role.label) for role in ROLES]
    )
    change = forms.ChoiceField(label=gettext_lazy("Change"), choices=CHANGES)
    field_order = ("staff", "role", "change", "reason")

    def clean_staff(self) -> int:
        """Return the account of a member of staff, by its number."""
        rows = User.objects.filter(username=self.cleaned_data["staff"], is_staff=True)
        found = rows.values_list("pk", flat=True).first()
        if found is None:
            raise forms.ValidationError(_("Nobody at the desk has this name."))
        return int(found)

    def payload(self) -> dict[str, Any]:
        """Return what is asked for, as the change keeps it."""
        told = self.cleaned_data
        return {
            "staff": told["staff"],
            "role": told["role"],
            "is_given": told["change"] == "give",
        }


@page(
    "roles/propose/",
    name="propose_role",
    permission=Permission.PROPOSE_ROLE,
    methods=("GET", "POST"),
)
def propose_role(request: HttpRequest) -> HttpResponseBase:
    """Ask for a role to be given or taken; another person decides."""
    form = RoleForm(request.POST or None)

    def deed() -> str:
        return propose(
            request,
            RoleGrant.code,
            form.payload(),
            object_ref=f"staff:{form.cleaned_data['staff']}",
            words=form.words,
        )

    done = _("You asked for it. Nothing changes until another person agrees.")
    answer = try_out(request, form, deed, done=done, back=request.path)
    return answer or show(
        request,
        "desk/deed.html",
        title=_("Give or take a role"),
        form=form,
        back=reverse("admin:roles"),
        button=_("Ask for it"),
        sentences=[
            _("Whoever gains the role cannot be the one who agrees."),
        ],
    )
