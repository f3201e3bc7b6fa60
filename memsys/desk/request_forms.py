"""Forms of the deeds on a request of a person.

>>> PauseForm({"code": "identity_proof"}).is_valid()  # doctest: +SKIP
True
"""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.utils.translation import gettext_lazy as _

from consent.models import SubjectRequest
from consent.requests import MAX_WORDS
from consent.types import OutcomeCode, PauseCode, RefusalCode, RequestKind
from memsys.desk.permissions import Permission
from memsys.desk.reasons import DeskForm
from memsys.desk.roles import ROLES, Reach, reach_of

MOST_STAFF = 200
NOBODY = "nobody"


class WordsToPerson(DeskForm):
    """What the person reads."""

    words = forms.CharField(
        label=_("What the person reads"),
        max_length=MAX_WORDS,
        help_text=_("Phone numbers, names and the like are taken out of it."),
        widget=forms.Textarea(attrs={"rows": 4}),
    )


class AssignForm(DeskForm):
    """Who works on it from now on; support can take it or give it back."""

    to = forms.ChoiceField(label=_("Worked on by"))

    def __init__(self, *args: Any, by: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["to"].choices = [  # type: ignore[attr-defined]
            (NOBODY, _("Nobody")),
            *_list_workers(by),
        ]

    @property
    def number(self) -> int | None:
        chosen = self.cleaned_data["to"]
        return int(chosen) if chosen != NOBODY else None


def _list_workers(by: Any) -> list[tuple[int, str]]:
    """Return the staff whom this person may give a request to. One query."""
    if reach_of(by) == Reach.OWN_REQUESTS:
        return [(by.pk, by.username)]
    names = [
        role.name for role in ROLES if Permission.WORK_REQUESTS in role.permissions
    ]
    rows = User.objects.filter(is_active=True, is_staff=True, groups__name__in=names)
    found = rows.distinct().order_by("username").values_list("pk", "username")
    return list(found[:MOST_STAFF])


class PauseForm(DeskForm):
    """What the person has to give before it can go on."""

    code = forms.ChoiceField(label=_("It waits for"), choices=PauseCode.choices)


class AnswerForm(WordsToPerson):
    """An answer and how it ended."""

    outcome = forms.ChoiceField(label=_("Outcome"), choices=OutcomeCode.choices)
    field_order = ("outcome", "words")


class RefusalForm(WordsToPerson):
    """A refusal; the letter adds the way to object."""

    reason = forms.ChoiceField(label=_("Reason"), choices=RefusalCode.choices)
    field_order = ("reason", "words")


class MergeForm(DeskForm):
    """The request that this one becomes part of."""

    into = forms.ChoiceField(label=_("Part of"))

    def __init__(
        self, *args: Any, same: Sequence[SubjectRequest], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.fields["into"].choices = [  # type: ignore[attr-defined]
            (str(row.pk), row.number) for row in same
        ]


class ReceiveForm(DeskForm):
    """A request as it came in: the kind, about what, and in which words."""

    kind = forms.ChoiceField(label=_("What they ask for"), choices=RequestKind.choices)
    relationship = forms.ChoiceField(label=_("About"), required=False)
    words = forms.CharField(
        label=_("In their words"),
        max_length=MAX_WORDS,
        required=False,
        help_text=_("Phone numbers, names and the like are taken out of it."),
        widget=forms.Textarea(attrs={"rows": 4}),
    )

    def __init__(
        self, *args: Any, relationships: Sequence[tuple[str, str]], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.fields["relationship"].choices = [  # type: ignore[attr-defined]
            ("", _("All of the user")),
            *relationships,
        ]
