"""The site of the desk: its start page, its pages, and no side doors to rows.

Owns which addresses exist, and that nobody is let in by a password alone. Pages of
models are in the `admin.py` files, the others in `memsys.desk.views`.

>>> DeskSite.index_template
'desk/start.html'
"""

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, URLResolver, path, reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_protect
from unfold.sites import UnfoldAdminSite

from memsys.desk.start import list_cards

# They look rows up past the pages of the models, and so past scopes and masks; the
# search is of unfold's sidebar, which is not ours.
SIDE_DOORS = ("autocomplete", "search", "view_on_site")


class DeskSite(UnfoldAdminSite):  # type: ignore[misc]
    """Admin site of the staff."""

    index_template = "desk/start.html"
    index_title = _("Start page")

    def get_urls(self) -> list[URLPattern | URLResolver]:
        """Return the addresses: our pages, then Django's without the side doors."""
        return [
            *self._list_pages(),
            *(
                one
                for one in super().get_urls()
                if getattr(one, "name", None) not in SIDE_DOORS
            ),
        ]

    def is_staff(self, request: HttpRequest) -> bool:
        """Say whether the password of a member of staff was given."""
        return bool(super().has_permission(request))

    def has_permission(self, request: HttpRequest) -> bool:
        """Let staff in who gave both factors."""
        user: Any = request.user
        return self.is_staff(request) and user.is_verified()

    def login(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Ask for the password; who gave it is sent on to the second step."""
        if request.method == "GET" and self.is_staff(request):
            query = urlencode({"next": request.GET.get("next", "")})
            return HttpResponseRedirect(f"{reverse('admin:verify_code')}?{query}")
        answer: HttpResponse = super().login(request, extra_context)
        return answer

    def index(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> TemplateResponse:
        """Show the start page."""
        from memsys.desk.charts import list_charts

        now = timezone.now()
        shown = {
            "cards": list_cards(request.user, now=now),
            "charts": list_charts(request.user, now=now),
        }
        page: TemplateResponse = super().index(
            request, {**shown, **(extra_context or {})}
        )
        return page

    def _list_pages(self) -> list[URLPattern]:
        # The views import the models, which are not there yet when the site is made.
        from memsys.desk.pages import PAGES
        from memsys.desk.views import signing_in

        halfway = {
            "second-step/": signing_in.verify_code,
            "set-up-device/": signing_in.set_up_device,
        }
        return [
            *(
                path(route, never_cache(csrf_protect(view)), name=str(view.__name__))
                for route, view in halfway.items()
            ),
            *(
                path(one.route, self.admin_view(one.view), name=one.name)
                for one in PAGES
            ),
        ]
