"""What changed between two versions of a policy text, line by line.

>>> compare("a\\nb", "a\\nc")
[('same', 'a'), ('old', 'b'), ('new', 'c')]
"""

from difflib import SequenceMatcher
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponseBase
from django.utils.translation import gettext as _

from consent.models import PolicyVersion
from memsys.desk.pages import page, show
from memsys.desk.permissions import Permission
from memsys.kernel.pages.codes import text_words
from memsys.kernel.pages.columns import page_url, visible_text


@page(
    "texts/<uuid:version_id>/difference/",
    name="policy_difference",
    permission=Permission.SEE_GOVERNANCE,
)
def policy_difference(request: HttpRequest, version_id: UUID) -> HttpResponseBase:
    """Show a version of a text beside the one before it."""
    later = PolicyVersion.objects.filter(pk=version_id).first()
    if later is None:
        raise Http404
    earlier = (
        PolicyVersion.objects.filter(
            document=later.document, locale=later.locale, number__lt=later.number
        )
        .order_by("-number", "-pk")
        .first()
    )
    lines = compare(earlier.text if earlier else "", later.text)
    return show(
        request,
        "desk/difference.html",
        title=_("What changed in the text"),
        later=later,
        name=visible_text(text_words(later.document, later.number, later.locale)),
        earlier=earlier,
        lines=[(kind, visible_text(text)) for kind, text in lines],
        back=page_url(PolicyVersion, later.pk),
    )


def compare(earlier: str, later: str) -> list[tuple[str, str]]:
    """Return the lines of both texts: same, old or new, in reading order."""
    before, after = earlier.splitlines(), later.splitlines()
    found: list[tuple[str, str]] = []
    matcher = SequenceMatcher(a=before, b=after, autojunk=False)
    for kind, a_from, a_to, b_from, b_to in matcher.get_opcodes():
        if kind == "equal":
            found += [("same", line) for line in before[a_from:a_to]]
            continue
        found += [("old", line) for line in before[a_from:a_to]]
        found += [("new", line) for line in after[b_from:b_to]]
    return found
