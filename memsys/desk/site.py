"""The site of the desk: its start page, and no side doors to rows.

Owns which of Django's addresses exist. Pages of models are in the `admin.py` files.

>>> DeskSite.index_template
'desk/start.html'
"""

from typing import Any

from django.http import HttpRequest
from django.template.response import TemplateResponse
from django.urls import URLPattern, URLResolver
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from unfold.sites import UnfoldAdminSite

from memsys.desk.start import list_cards

# They look rows up past the pages of the models, and so past scopes and masks.
SIDE_DOORS = ("autocomplete", "view_on_site")


class DeskSite(UnfoldAdminSite):  # type: ignore[misc]
    """Admin site of the staff."""

    index_template = "desk/start.html"
    index_title = _("Start page")

    def get_urls(self) -> list[URLPattern | URLResolver]:
        """Return the addresses without the side doors."""
        return [
            one
            for one in super().get_urls()
            if getattr(one, "name", None) not in SIDE_DOORS
        ]

    def index(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> TemplateResponse:
        """Show the start page."""
        cards = list_cards(request.user, now=timezone.now())
        page: TemplateResponse = super().index(
            request, {"cards": cards, **(extra_context or {})}
        )
        return page
