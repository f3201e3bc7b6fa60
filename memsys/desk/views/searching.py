"""The search: one box for what names something, one form for words in a chosen place.

Words are posted, so that they stand in no address, history or log.

>>> reverse("admin:find")
'/desk/find/'
"""

from functools import partial
from typing import Any
from uuid import UUID

from django import forms
from django.http import HttpRequest, HttpResponseBase
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from memsys.desk.finding import find
from memsys.desk.pages import page, show
from memsys.desk.permissions import Permission
from memsys.desk.reasons import DeskForm
from memsys.desk.roles import may
from memsys.desk.subjects import within_reach
from memsys.desk.word_search import Result, Target, Where, find_target, search_words
from memsys.kernel.pages.columns import visible_text
from memsys.kernel.pages.read_only import actor_of
from memsys.kernel.text.clean import clean_text

WHERE = (
    (Where.RELATIONSHIP.value, gettext_lazy("One relationship")),
    (Where.USER.value, gettext_lazy("One user")),
    (Where.PERSONA.value, gettext_lazy("One persona")),
)
MODES = (
    ("words", gettext_lazy("All of these words")),
    ("exact", gettext_lazy("Exactly this phrase")),
)


class WordsInForm(DeskForm):
    """Where to look, and for what."""

    where = forms.ChoiceField(label=gettext_lazy("Look in"), choices=WHERE)
    name = forms.CharField(
        label=gettext_lazy("Which one"),
        max_length=400,
        help_text=gettext_lazy(
            "An id; for a user also the external id, for a persona also creator/persona."
        ),
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    words = forms.CharField(
        label=pgettext_lazy("what to find", "Words"),
        max_length=200,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    mode = forms.ChoiceField(label=pgettext_lazy("how", "Find"), choices=MODES)
    after = forms.UUIDField(required=False, widget=forms.HiddenInput)

    def clean_words(self) -> str:
        """Return the words without what nobody can see."""
        words = clean_text(self.cleaned_data["words"])
        if not words:
            raise forms.ValidationError(_("Write at least one visible character."))
        return words


@page("find/", name="find", permission=Permission.SEE_RELATIONSHIPS)
def find_page(request: HttpRequest) -> HttpResponseBase:
    """Show both ways of searching, and what a term names."""
    term = request.GET.get("q", "")
    found = find(request.user, term) if term else []
    return _show(request, WordsInForm(), term=term, found=found)


@page(
    "find/words/",
    name="find_words",
    permission=Permission.SEARCH_WORDS,
    methods=("GET", "POST"),
)
def find_words(request: HttpRequest) -> HttpResponseBase:
    """Look for words in the chosen place."""
    form = WordsInForm(request.POST or None)
    target = _find_target(form) if form.is_valid() else None
    if target is None:
        return _show(request, form)
    result = _search(request, form, target)
    return _show(
        request,
        form,
        result=result,
        groups=_groups(result),
        next_form=_next(form, result) if result.next else None,
    )


def _show(request: HttpRequest, form: WordsInForm, **context: Any) -> HttpResponseBase:
    return show(
        request,
        "desk/find.html",
        title=_("Search"),
        form=form,
        may_search_words=may(request.user, Permission.SEARCH_WORDS),
        **context,
    )


def _find_target(form: WordsInForm) -> Target | None:
    name = form.cleaned_data["name"].strip()
    target = find_target(Where(form.cleaned_data["where"]), name)
    if target is None:
        form.add_error("name", _("There is nothing of this name."))
    return target


def _search(request: HttpRequest, form: WordsInForm, target: Target) -> Result:
    after: UUID | None = form.cleaned_data["after"]
    return search_words(
        target,
        form.cleaned_data["words"],
        is_exact=form.cleaned_data["mode"] == "exact",
        after=after,
        by=actor_of(request),
        within=partial(within_reach, request.user),
    )


def _groups(result: Result) -> list[dict[str, Any]]:
    return [
        {
            "id": group.relationship.id,
            "title": visible_text(
                f"{group.relationship.user_external_id} · "
                f"{group.relationship.persona_name}"
            ),
            "hits": group.hits,
        }
        for group in result.groups
    ]


def _next(form: WordsInForm, result: Result) -> dict[str, Any]:
    """Return what the form that goes on posts again."""
    told = {
        name: form.cleaned_data[name] for name in ("where", "name", "words", "mode")
    }
    return {**told, "after": str(result.next)}
