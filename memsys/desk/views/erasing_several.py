"""Asking for the erasure of several people at once, for another person to agree.

>>> reverse("admin:erase_several")
'/desk/erasures/several/'
"""

from django import forms
from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from consent.bulk import MAX_USERS, BulkErasure
from consent.models import ErasureRun
from memsys.desk.carrying_out import try_out
from memsys.desk.pages import page, show
from memsys.desk.permissions import Permission
from memsys.desk.proposing import propose
from memsys.desk.reasons import ReasonForm
from memsys.kernel.pages.columns import list_url

LONGEST_LIST = 40_000


class SeveralErasuresForm(ReasonForm):
    """Whom all is erased of, and how many they are: the number confirms the list."""

    users = forms.CharField(
        label=gettext_lazy("Whom"),
        help_text=gettext_lazy("The platform's names of the users, one on each line."),
        max_length=LONGEST_LIST,
        widget=forms.Textarea(attrs={"rows": 5, "spellcheck": "false"}),
    )
    count = forms.IntegerField(
        label=gettext_lazy("How many they are"),
        help_text=gettext_lazy("Counted by you: it must be the number of the lines."),
        min_value=1,
        max_value=MAX_USERS,
    )
    field_order = ("users", "count", "reason_code", "reason")

    def clean_users(self) -> list[str]:
        """Return the names, each once."""
        lines = str(self.cleaned_data["users"]).splitlines()
        return list(dict.fromkeys(one.strip() for one in lines if one.strip()))

    def clean_count(self) -> int:
        """Return the number, which must be that of the names."""
        count = int(self.cleaned_data["count"])
        if count != len(self.cleaned_data.get("users", ())):
            raise forms.ValidationError(_("The list names another number of users."))
        return count


@page(
    "erasures/several/",
    name="erase_several",
    permission=Permission.PROPOSE_BULK_ERASURE,
    methods=("GET", "POST"),
    is_proof_asked=True,
)
def erase_several(request: HttpRequest) -> HttpResponseBase:
    """Ask for all of several people to be erased; another person decides."""
    form = SeveralErasuresForm(request.POST or None)

    def deed() -> str:
        payload = {"users": form.cleaned_data["users"], "reason_code": form.code}
        return propose(
            request, BulkErasure.code, payload, object_ref="users", words=form.words
        )

    done = _("You asked for the erasures. Nothing goes until another person agrees.")
    answer = try_out(request, form, deed, done=done, back=request.path)
    return answer or show(
        request,
        "desk/deed.html",
        title=_("Erase several users"),
        form=form,
        back=list_url(ErasureRun),
        button=_("Ask a second person"),
        sentences=[
            _(
                "When another person has agreed, a job asks for one erasure after the "
                "other; the page of the request shows how far it is. Each can be "
                "undone for %(hours)d hours, waits for a legal hold that bars it, and "
                "has a receipt of its own."
            )
            % {"hours": settings.ERASURE_UNDO_HOURS},
        ],
    )
