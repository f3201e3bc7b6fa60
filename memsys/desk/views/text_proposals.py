"""Drafting a new version of a policy text, for another person to publish.

>>> reverse("admin:propose_text", args=["release"])
'/desk/texts/release/propose/'
"""

from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from consent.consents import PolicyTextChange
from consent.models import PolicyVersion
from consent.texts import LOCALES, list_current
from consent.types import DOCUMENTS
from memsys.desk.carrying_out import try_out
from memsys.desk.forms import WordsForm
from memsys.desk.pages import page, show
from memsys.desk.permissions import Permission
from memsys.desk.proposing import propose
from memsys.kernel.pages.codes import words_of
from memsys.kernel.pages.columns import list_url

LANGUAGES = {
    "zh-hans": gettext_lazy("Simplified Chinese"),
    "en": gettext_lazy("English"),
}


class TextForm(WordsForm):
    """A title and a text in each language, and whether consents must be renewed."""

    is_material = forms.BooleanField(
        label=gettext_lazy("Material: earlier consents count no more from now on"),
        required=False,
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for locale in LOCALES:
            name = LANGUAGES.get(locale, locale)
            self.fields[f"title_{locale}"] = forms.CharField(
                label=_("Title, %(language)s") % {"language": name},
                max_length=200,
                widget=forms.TextInput(attrs={"class": "desk-input", "lang": locale}),
            )
            self.fields[f"text_{locale}"] = forms.CharField(
                label=_("Text, %(language)s") % {"language": name},
                max_length=20_000,
                widget=forms.Textarea(
                    attrs={"class": "desk-input", "rows": 10, "lang": locale}
                ),
            )
        self.order_fields(
            [
                *(f"{part}_{one}" for one in LOCALES for part in ("title", "text")),
                "is_material",
                "reason",
            ]
        )

    def payload(self, document: str) -> dict[str, Any]:
        """Return what is asked for, as the change keeps it."""
        told = self.cleaned_data
        return {
            "document": document,
            "is_material": told["is_material"],
            "renewal_from": None,
            "texts": {
                one: {"title": told[f"title_{one}"], "text": told[f"text_{one}"]}
                for one in LOCALES
            },
        }


@page(
    "texts/<str:document>/propose/",
    name="propose_text",
    permission=Permission.PROPOSE_TEXT,
    methods=("GET", "POST"),
)
def propose_text(request: HttpRequest, document: str) -> HttpResponseBase:
    """Draft the next version of a text; another person publishes it."""
    if document not in DOCUMENTS:
        raise Http404
    form = TextForm(request.POST or None, initial=_current(document))

    def deed() -> str:
        return propose(
            request,
            PolicyTextChange.code,
            form.payload(document),
            object_ref=f"policy_text:{document}",
            words=form.words,
        )

    done = _("You drafted it. People go on seeing the old text until another agrees.")
    answer = try_out(request, form, deed, done=done, back=request.path)
    return answer or show(
        request,
        "desk/deed.html",
        title=_("Draft the next text: %(document)s")
        % {"document": words_of("document", document)},
        form=form,
        back=list_url(PolicyVersion),
        button=_("Hand it to a second person"),
        sentences=[
            _(
                "All languages are published together. A version that is not material "
                "leaves earlier consents as they are."
            ),
        ],
    )


def _current(document: str) -> dict[str, str]:
    """Return the texts in force, to start from."""
    found: dict[str, str] = {}
    for row in list_current(now=timezone.now()):
        if row.document == document:
            found[f"title_{row.locale}"] = row.title
            found[f"text_{row.locale}"] = row.text
    return found
