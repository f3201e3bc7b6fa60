"""Why staff open or change what is a person's: codes, and the form that asks.

Owns the codes and that a reason is a sentence: at least eight characters besides the
code. The words go to the audit's payload, which can be erased.

>>> ReasonCode("subject_request").label
'The person asked'
"""

from typing import Any

from django import forms
from django.core.validators import MinLengthValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from memsys.kernel.text.clean import clean_text

SHORTEST, LONGEST = 8, 400
WITHOUT_FRAME = (forms.CheckboxInput, forms.CheckboxSelectMultiple, forms.HiddenInput)


class ReasonCode(models.TextChoices):
    SUBJECT_REQUEST = "subject_request", _("The person asked")
    COMPLAINT = "complaint", _("A complaint is looked into")
    SAFETY = "safety", _("Somebody's safety")
    LEGAL = "legal", _("A legal duty")
    QUALITY = "quality", _("A fault is looked into")


class DeskForm(forms.Form):
    """A form in the desk's look."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            if not isinstance(field.widget, WITHOUT_FRAME):
                field.widget.attrs.setdefault("class", "desk-input")


class ReasonForm(DeskForm):
    """A reason: its code and its words."""

    reason_code = forms.ChoiceField(label=_("Reason"), choices=ReasonCode.choices)
    reason = forms.CharField(
        label=_("In your words"),
        help_text=_("At least eight characters. It is kept with your name."),
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
    def code(self) -> str:
        return str(self.cleaned_data["reason_code"])

    @property
    def words(self) -> str:
        return str(self.cleaned_data["reason"])
