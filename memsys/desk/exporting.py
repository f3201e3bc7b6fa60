"""What the staff can have exported, and by whose leave: the forms, and a minor's data.

Owns which parts a person at the desk can choose. One person has one user or one
relationship exported; sensitive memories, and several users, take a second person.

>>> list_choices(request.user, is_whole_user=False)[0]  # doctest: +SKIP
('account', 'Account and relationships')
"""

from typing import Any
from uuid import UUID

from django import forms
from django.conf import settings
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from consent import exports, minor_access
from consent.bulk import MAX_USERS, BulkExport
from identity.models import GlobalUser
from identity.types import AgeBand
from memsys.desk.forms import WordsForm
from memsys.desk.permissions import Permission
from memsys.desk.proposing import propose
from memsys.desk.reasons import ReasonForm
from memsys.desk.roles import may
from memsys.kernel.exporting import STAFF_PARTS, ExportPart

MINORS = (AgeBand.MINOR_14_17, AgeBand.UNDER_14)
FORMATS: dict[str, Any] = {
    "html": _("Pages to read"),
    "csv": _("CSV, for spreadsheets"),
    "json": _("JSON, for programs"),
    "jsonl": _("JSONL, for programs that read line by line"),
}
LONGEST_LIST = 40_000


def list_choices(user: Any, *, is_whole_user: bool) -> list[tuple[str, Any]]:
    """Return the parts that a person can choose, with their labels."""
    barred = set() if is_whole_user else {ExportPart.SENSITIVE}
    if not may(user, Permission.REVEAL_PRIVATE):
        barred.add(ExportPart.PRIVATE)
    if not may(user, Permission.REVEAL_SENSITIVE):
        barred.add(ExportPart.SENSITIVE)
    parts = exports.list_parts(is_whole_user=is_whole_user, for_staff=True)
    return [(str(part), part.label) for part in parts if part not in barred]


class ExportForm(ReasonForm):
    """What an export is to hold, in which kinds of files, and why."""

    parts = forms.MultipleChoiceField(
        label=_("What to take"), widget=forms.CheckboxSelectMultiple
    )
    formats = forms.MultipleChoiceField(
        label=_("Kinds of files"),
        widget=forms.CheckboxSelectMultiple,
        choices=list(FORMATS.items()),
        initial=list(exports.FORMATS),
    )
    field_order: tuple[str, ...] = ("parts", "formats", "reason_code", "reason")

    def __init__(
        self, *args: Any, choices: list[tuple[str, Any]], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.fields["parts"].choices = choices  # type: ignore[attr-defined]
        self.fields["parts"].initial = [
            code for code, _label in choices if code not in STAFF_PARTS
        ]

    @property
    def needs_second_person(self) -> bool:
        return ExportPart.SENSITIVE in self.cleaned_data["parts"]


class SeveralForm(ExportForm):
    """An export of each of several people, whom the platform's names tell."""

    users = forms.CharField(
        label=_("Whom"),
        help_text=_("The platform's names of the users, one on each line."),
        max_length=LONGEST_LIST,
        widget=forms.Textarea(attrs={"rows": 5, "spellcheck": "false"}),
    )
    field_order = ("users", "parts", "formats", "reason_code", "reason")

    def clean_users(self) -> list[str]:
        """Return the names, each once."""
        lines = str(self.cleaned_data["users"]).splitlines()
        names = list(dict.fromkeys(one.strip() for one in lines if one.strip()))
        if not 1 <= len(names) <= MAX_USERS:
            raise forms.ValidationError(_("Name one to a thousand users."))
        return names


def propose_export(request: HttpRequest, users: list[str], form: ExportForm) -> str:
    """Ask a second person for an export of users; return where it is decided."""
    payload = {
        "users": users,
        "reason_code": form.code,
        "parts": form.cleaned_data["parts"],
        "formats": form.cleaned_data["formats"],
    }
    return propose(
        request, BulkExport.code, payload, object_ref="users", words=form.words
    )


def is_closed_minor(request: HttpRequest, user: GlobalUser) -> bool:
    """Say whether it is a minor's, and nobody agreed that this person opens it now."""
    is_minor = user.age_band in MINORS or (
        user.age_band == AgeBand.UNKNOWN and settings.MINORS_UNKNOWN_COUNT_AS_MINOR
    )
    return is_minor and not minor_access.may_open_minor(
        user.pk, staff=int(request.user.pk or 0), now=timezone.now()
    )


def ask_for_minor(request: HttpRequest, user_id: UUID, form: WordsForm) -> UUID:
    """Ask a second person to agree; return the change that they decide."""
    change = minor_access.propose_access(
        user_id,
        reason=form.words,
        by=int(request.user.pk or 0),
        now=timezone.now(),
    )
    return change.pk
