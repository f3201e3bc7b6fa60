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
from memsys.kernel.pages.codes import list_words
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
    "export-not-ready": gettext_lazy("The file is not there yet."),
    "export-gone": gettext_lazy("The file was taken before, or its time is over."),
    "erasure-ledger-unwritable": gettext_lazy(
        "The erasure ledger cannot be written, so nothing is erased."
    ),
    "status-conflict": gettext_lazy("What it is now does not allow this."),
    "empty-statement": gettext_lazy("Nothing visible is left of what you wrote."),
    "memory-conflict": gettext_lazy("This was erased, and was said before that."),
    "sensitive-without-grant": gettext_lazy(
        "This is sensitive, and the user has not allowed it to be kept."
    ),
    "request-closed": gettext_lazy(
        "What the request is now does not allow this; look at it again."
    ),
    "invalid-request": gettext_lazy("The request cannot take this as it stands."),
    "no-duplicate": gettext_lazy("The two requests are not about the same."),
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

    A deed that returns an address is gone on to. For forms that stand on the page of
    what they change: nothing is done for one that is not valid, and the page says what
    is missing.
    """
    answer = try_out(request, form, deed, done=done, back=back)
    if answer is not None:
        return answer
    for name, errors in form.errors.items():
        label = form.fields[name].label if name in form.fields else None
        for error in errors:
            messages.error(request, _tell(label, error))
    return HttpResponseRedirect(back)


def try_out(
    request: HttpRequest,
    form: Form,
    deed: Callable[[], Any],
    *,
    done: Any,
    back: str,
) -> HttpResponseRedirect | None:
    """Do the deed of a form that was posted and is valid, and go on as above.

    None when nothing was done: the form says why, and is shown again with all that was
    typed into it.
    """
    if request.method != "POST" or not form.is_valid():
        return None
    try:
        result = deed()
    except REFUSALS as exc:
        form.add_error(_field_of(exc, form), sentence_of(exc))
        return None
    messages.success(request, done)
    return HttpResponseRedirect(result if isinstance(result, str) else back)


def _field_of(refusal: Exception, form: Form) -> str | None:
    """Return the field of the form that was refused; None for all of it."""
    field = getattr(refusal, "field", None)
    return field if field in form.fields else None


def _tell(label: Any, error: Any) -> str:
    if not label:
        return str(error)
    return _("%(field)s: %(fault)s") % {"field": label, "fault": error}


def sentence_of_code(code: str) -> str:
    """Return what staff read of the stable code of a refusal."""
    if code in SENTENCES:
        return str(SENTENCES[code])
    return _("It was refused (%(code)s); nothing was done.") % {"code": code}


def sentence_of(refusal: Exception) -> str:
    """Return what staff read of a refusal."""
    text = sentence_of_code(str(getattr(refusal, "code", "")))
    if isinstance(refusal, HeldByLaw):
        return _("%(sentence)s Holds: %(holds)s.") % {
            "sentence": text,
            "holds": list_words(refusal.holds),
        }
    return text
