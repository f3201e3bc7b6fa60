"""Carries out a deed that a form asked for, and tells the person what became of it.

Owns the sentences for what services refuse, looked up by the stable code, and the way
back to a page. The deed itself is one call of a service.

>>> carry_out(request, form, lambda: holds.place(...), done="…", back=url)
... # doctest: +SKIP
"""

from collections.abc import Callable, Mapping
from typing import Any

from django.contrib import messages
from django.forms import Form
from django.http import HttpRequest, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from consent.errors import ConsentError, HeldByLaw
from identity.errors import IdentityError
from memories.errors import MemoriesError
from memsys.kernel.text.clean import InvalidIdentifier
from recall.errors import RecallError

REFUSALS = (ConsentError, IdentityError, MemoriesError, RecallError, InvalidIdentifier)
SENTENCES: Mapping[str, Any] = {
    "not-found": gettext_lazy("It is not there any more."),
    "change-closed": gettext_lazy("It was decided, taken back or lapsed before."),
    "same-person": gettext_lazy("Another person must decide this."),
    "not-the-requester": gettext_lazy("Only the person who asked can take it back."),
    "stale-change": gettext_lazy(
        "It is not what you were shown any more; look at it again."
    ),
    "invalid-change": gettext_lazy("This cannot be asked for as it stands."),
    "legal-hold": gettext_lazy("A legal hold keeps this; nothing of it was erased."),
    "erasure-not-undoable": gettext_lazy(
        "It has begun or is over, and cannot be undone."
    ),
    "erasure-ledger-unwritable": gettext_lazy(
        "The erasure ledger cannot be written, so nothing is erased."
    ),
    "status-conflict": gettext_lazy("What it is now does not allow this."),
    "empty-statement": gettext_lazy("Nothing visible is left of what you wrote."),
    "memory-conflict": gettext_lazy("This was erased, and was said before that."),
    "sensitive-without-grant": gettext_lazy(
        "This is sensitive, and the user has not allowed it to be kept."
    ),
    "release-over": gettext_lazy("The release has ended, or was stopped before."),
}


def carry_out(
    request: HttpRequest,
    form: Form,
    deed: Callable[[], Any],
    *,
    done: Any,
    back: str,
) -> HttpResponseRedirect:
    """Do the deed of a valid form; go on to `back`, or to what the deed returned.

    A deed that returns an address is gone on to; nothing is done for a form that is
    not valid, and the page says what is missing.
    """
    if not form.is_valid():
        for name, errors in form.errors.items():
            label = form.fields[name].label if name in form.fields else ""
            messages.error(request, f"{label}: {' '.join(map(str, errors))}")
        return HttpResponseRedirect(back)
    try:
        result = deed()
    except REFUSALS as exc:
        messages.error(request, sentence_of(exc))
        return HttpResponseRedirect(back)
    messages.success(request, done)
    return HttpResponseRedirect(result if isinstance(result, str) else back)


def sentence_of(refusal: Exception) -> str:
    """Return what staff read of a refusal."""
    code = str(getattr(refusal, "code", ""))
    words = SENTENCES.get(code, _("It was refused (%(code)s); nothing was done."))
    text = str(words) % {"code": code} if code not in SENTENCES else str(words)
    if isinstance(refusal, HeldByLaw):
        return f"{text} ({', '.join(str(one) for one in refusal.holds)})"
    return text
