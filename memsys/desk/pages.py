"""Pages of the desk that are no list of one model: how they are made and guarded.

Owns that each page says who may open it, by which method, and whether the person
must just have shown who they are. The site takes its addresses from `PAGES`.

>>> @page("find/", name="find", permission=Permission.SEE_RELATIONSHIPS)
... def find(request): ...  # doctest: +SKIP
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any
from urllib.parse import urlencode, urlsplit

from django.contrib import admin
from django.http import (
    HttpRequest,
    HttpResponseBase,
    HttpResponseNotAllowed,
    HttpResponseRedirect,
)
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone

from memsys.desk.permissions import Permission
from memsys.desk.roles import check
from memsys.desk.sign_in import is_proved

View = Callable[..., HttpResponseBase]


@dataclass(frozen=True)
class DeskPage:
    """One address: who may open it and how. No permission: every member of staff."""

    route: str
    name: str
    permission: Permission | None
    methods: tuple[str, ...]
    is_proof_asked: bool
    view: View


PAGES: list[DeskPage] = []


def page(
    route: str,
    *,
    name: str,
    permission: Permission | None,
    methods: Sequence[str] = ("GET",),
    is_proof_asked: bool = False,
) -> Callable[[View], View]:
    """Register a page; it is refused (403) before it is asked anything.

    Who only asks for the headers may do so where a look is allowed, never for a deed.
    """
    taken = (*methods, "HEAD") if "GET" in methods else tuple(methods)

    def register(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, **kwargs: Any) -> HttpResponseBase:
            if permission is not None:
                check(request.user, permission)
            if (request.method or "") not in taken:
                return HttpResponseNotAllowed(methods)
            if is_proof_asked and not is_proved(request, now=timezone.now()):
                return ask_again(request)
            return view(request, **kwargs)

        PAGES.append(
            DeskPage(route, name, permission, tuple(methods), is_proof_asked, guarded)
        )
        return guarded

    return register


def ask_again(request: HttpRequest) -> HttpResponseBase:
    """Send a person to show again who they are, and then back to the same page.

    What was posted is not kept: they come back to the page that its form stands on.
    """
    back = request.get_full_path()
    if request.method == "POST":
        back = _path_of(request.headers.get("Referer", "")) or back
    return HttpResponseRedirect(f"{reverse('admin:again')}?{urlencode({'next': back})}")


def _path_of(address: str) -> str:
    """Return the path of a page of the desk, or nothing for any other address."""
    parts = urlsplit(address)
    is_desk = parts.path.startswith(reverse("admin:index"))
    return parts._replace(scheme="", netloc="").geturl() if is_desk else ""


def show(
    request: HttpRequest,
    template: str,
    *,
    title: Any,
    status: int = 200,
    **context: Any,
) -> TemplateResponse:
    """Return a page in the desk's frame."""
    request.current_app = admin.site.name
    return TemplateResponse(
        request,
        template,
        {**admin.site.each_context(request), "title": title, **context},
        status=status,
    )
