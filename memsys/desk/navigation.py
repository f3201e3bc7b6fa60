"""The desk's navigation, by what staff look for rather than by app.

Owns the sidebar and the address of the desk's styles; unfold calls both.

>>> list_groups(request)[1]["title"]  # doctest: +SKIP
'People'
"""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest
from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from memsys.desk.pages import PAGES
from memsys.desk.roles import may

# Title of the group; then app and model, title and icon of each entry. An entry
# whose app is empty is a page of ours, by its name.
GROUPS: tuple[tuple[Any, tuple[tuple[str, str, Any, str], ...]], ...] = (
    (
        _("Work"),
        (
            ("", "find", _("Search"), "search"),
            ("consent", "subjectrequest", _("Requests"), "inbox"),
            ("consent", "changerequest", _("Second person"), "how_to_reg"),
            ("consent", "legalhold", _("Holds"), "gavel"),
            ("consent", "erasurerun", _("Erasures"), "delete_forever"),
            ("consent", "exportrun", _("Exports"), "download"),
        ),
    ),
    (
        _("Governance"),
        (
            ("consent", "policyversion", _("Policy texts"), "description"),
            ("consent", "profilefield", _("Profile fields"), "list_alt"),
            ("consent", "releasepolicy", _("Releases"), "share"),
            ("recall", "recallpolicy", _("Recall policies"), "tune"),
            ("", "retention", _("Times of keeping"), "auto_delete"),
            ("", "roles", _("Roles"), "groups"),
        ),
    ),
    (
        _("People"),
        (
            ("identity", "relationship", _("Relationships"), "link"),
            ("identity", "globaluser", _("Users"), "person"),
            ("identity", "userfacet", _("Facets"), "theater_comedy"),
            ("identity", "custodytransfer", _("Custody moves"), "swap_horiz"),
        ),
    ),
    (
        _("Creators"),
        (
            ("identity", "creator", _("Creators"), "brush"),
            ("identity", "creatorpersona", _("Personas"), "face"),
            ("identity", "creatorpersonaprofile", _("Persona profiles"), "article"),
        ),
    ),
    (
        _("Memory"),
        (
            ("memories", "chatsession", _("Sessions"), "forum"),
            ("memories", "message", _("Messages"), "chat"),
            ("memories", "memory", _("Memories"), "psychology"),
            ("memories", "messagefingerprint", _("Fingerprints"), "fingerprint"),
            ("memories", "erasuretombstone", _("Tombstones"), "delete"),
            ("memories", "modelattempt", _("Calls of the model"), "call_made"),
            ("memories", "modelanswer", _("Answers of the model"), "chat_info"),
        ),
    ),
    (
        _("Audit"),
        (
            ("", "chains", _("Verification"), "verified"),
            ("kernel", "auditentry", _("Entries"), "receipt_long"),
            ("kernel", "audithead", _("Chains"), "lock"),
            ("kernel", "auditpayload", _("Payloads"), "inventory_2"),
            ("consent", "accessbatch", _("Sealed reads"), "inventory"),
        ),
    ),
    (
        _("Operation"),
        (
            ("api", "servicekey", _("Service keys"), "key"),
            ("api", "idempotencyrecord", _("Repeated writes"), "repeat"),
            ("django_celery_beat", "periodictask", _("Schedules"), "schedule"),
            ("auth", "user", _("Staff"), "badge"),
            ("auth", "group", _("Groups"), "groups"),
            ("", "costs", _("Cost of the model"), "payments"),
        ),
    ),
)


def list_groups(request: HttpRequest) -> list[dict[str, Any]]:
    """Return the groups of the sidebar, in unfold's form."""
    start = {"title": _("Start page"), "icon": "home", "link": reverse("admin:index")}
    return [
        {"items": [start]},
        *(
            {"title": title, "separator": True, "items": [*map(_item, entries)]}
            for title, entries in GROUPS
        ),
    ]


def stylesheet(request: HttpRequest) -> str:
    """Return the address of the desk's own styles."""
    return static("memsys/desk.css")


def _item(entry: tuple[str, str, Any, str]) -> dict[str, Any]:
    app, model, title, icon = entry
    if not app:
        return _page_item(model, title, icon)
    return {
        "title": title,
        "icon": icon,
        "link": reverse(f"admin:{app}_{model}_changelist"),
        "permission": _may_view(f"{app}.view_{model}"),
    }


def account_links(request: HttpRequest) -> list[dict[str, Any]]:
    """Return what stands in the menu of the person who is signed in."""
    return [{"title": _("Where you are signed in"), "link": reverse("admin:sessions")}]


def _page_item(name: str, title: Any, icon: str) -> dict[str, Any]:
    permissions = {one.name: one.permission for one in PAGES}
    wanted = permissions.get(name)
    return {
        "title": title,
        "icon": icon,
        "link": reverse(f"admin:{name}"),
        "permission": lambda request: wanted is None or may(request.user, wanted),
    }


def _may_view(permission: str) -> Callable[[HttpRequest], bool]:
    return lambda request: bool(request.user.has_perm(permission))
