"""Forms of the deeds at the desk, besides the reason.

>>> DecisionForm(data).is_valid()  # doctest: +SKIP
"""

from django import forms
from django.core.validators import MinLengthValidator
from django.utils.translation import gettext_lazy as _

from memsys.desk.reasons import LONGEST, SHORTEST, DeskForm, ReasonForm
from memsys.kernel.text.clean import clean_text


class NothingForm(DeskForm):
    """A deed that asks nothing but to be wanted."""


class WordsForm(DeskForm):
    """Words that say why."""

    reason = forms.CharField(
        label=_("Why"),
        max_length=LONGEST,
        widget=forms.Textarea(attrs={"rows": 2}),
        validators=[MinLengthValidator(SHORTEST)],
    )

    def clean_reason(self) -> str:
        """Return the words without what only looks like words."""
        words = clean_text(self.cleaned_data["reason"])
        if len(words) < SHORTEST:
            raise forms.ValidationError(_("Say it in at least eight characters."))
        return words

    @property
    def words(self) -> str:
        return str(self.cleaned_data["reason"])


class DecisionForm(DeskForm):
    """An approval, tied to what was shown."""

    payload_hash = forms.CharField(widget=forms.HiddenInput, max_length=64)
    note = forms.CharField(
        label=_("Note"),
        max_length=LONGEST,
        required=False,
        widget=forms.TextInput,
    )


class HoldForm(ReasonForm):
    """A hold: the case that it belongs to."""

    case_ref = forms.CharField(
        label=_("Reference of the case"),
        max_length=100,
        help_text=_("As your files name it; no names of people."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    field_order = ("case_ref", "reason_code", "reason")


class StandingForm(ReasonForm):
    """What a relationship is to be from now on."""

    status = forms.ChoiceField(label=_("From now on"))
    field_order = ("status", "reason_code", "reason")

    def __init__(self, *args: object, choices: object = (), **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self.fields["status"].choices = choices  # type: ignore[attr-defined]


class CorrectionForm(ReasonForm):
    """What a memory should say."""

    statement = forms.CharField(
        label=_("What is true"),
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_(
            "It replaces what was remembered; the old wording is kept as superseded."
        ),
    )
    field_order = ("statement", "reason_code", "reason")


class ErasureForm(ReasonForm):
    """An erasure, confirmed by typing what it is about."""

    confirmation = forms.CharField(
        label=_("Type the code shown above"),
        max_length=20,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    at_once = forms.BooleanField(
        label=_("At once: it cannot be undone"), required=False
    )
    field_order = ("reason_code", "reason", "at_once", "confirmation")

    def __init__(self, *args: object, code: str = "", **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self._code = code

    def clean_confirmation(self) -> str:
        """Return what was typed if it is the code."""
        typed = str(self.cleaned_data["confirmation"]).strip()
        if typed != self._code:
            raise forms.ValidationError(_("This is not the code shown above."))
        return typed
