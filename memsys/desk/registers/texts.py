"""Panels of policy texts and releases: what changed, and how many people it touches.

>>> policy_panel(request, version).facts  # doctest: +SKIP
"""

from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from consent import releases
from consent.models import PolicyVersion, ReleasePolicy
from consent.types import DOCUMENTS
from memsys.desk.forms import WordsForm
from memsys.desk.permissions import Permission
from memsys.desk.registers.panels import Panel, PanelForm
from memsys.desk.roles import may


def policy_panel(request: HttpRequest, row: PolicyVersion) -> Panel:
    """Say what a later version does to this one, and lead to the difference."""
    sentence = _("This is what people are shown now, or were shown last.")
    if row.renewal_from is not None:
        sentence = _(
            "A later version is material: what was granted under this one counts no "
            "more until people grant it again."
        )
    url = reverse("admin:policy_difference", args=[row.pk])
    links: tuple[tuple[str, str], ...]
    links = ((_("What changed since the version before"), url),)
    links = links if row.number > 1 else ()
    if may(request.user, Permission.PROPOSE_TEXT) and row.document in DOCUMENTS:
        draft = reverse("admin:propose_text", args=[row.document])
        links = (*links, (_("Draft the next version"), draft))
    return Panel((sentence,), links=links)


def release_panel(request: HttpRequest, row: ReleasePolicy) -> Panel:
    """Say whom a release touches, and let one person stop it."""
    if not releases.is_in_force(row, now=timezone.now()):
        return Panel((_("It releases nothing: it has ended or was stopped."),))
    forms: tuple[PanelForm, ...] = ()
    if may(request.user, Permission.STOP_RELEASE):
        url = reverse("admin:stop_release", args=[row.pk])
        forms = (PanelForm(url, WordsForm(), _("Stop it at once"), is_danger=True),)
    return Panel(
        (
            _(
                "The field is shown to its recipients, in the relationships of users "
                "who granted it, and in no other."
            ),
        ),
        facts=_counts(row),
        forms=forms,
    )


def _counts(row: ReleasePolicy) -> tuple[tuple[Any, Any], ...]:
    """Return the live count of users that the release touches."""
    count = releases.count_affected(row, now=timezone.now())
    return ((_("Users whose grant it uses now"), count),)
