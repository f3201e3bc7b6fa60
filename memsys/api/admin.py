"""Pages of the API's keys and of the answers kept for repeated writes.

The library's own page would make keys; ours are made by a command, so it is taken off.
"""

from typing import Any

import rest_framework_api_key.admin as library
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from rest_framework_api_key.models import APIKey

from memsys.api.models import IdempotencyRecord, ServiceKey
from memsys.kernel.pages.columns import BYTES, listed, masked, shown
from memsys.kernel.pages.content import with_sizes
from memsys.kernel.pages.lists import UncountedList
from memsys.kernel.pages.read_only import ReadOnlyAdmin, section

assert library
admin.site.unregister(APIKey)


class ServiceKeyList(UncountedList):
    """List of keys whose links carry the prefix: the primary key holds the hash."""

    def url_for_result(self, result: Any) -> str:
        return reverse("admin:api_servicekey_change", args=[result.prefix])


@admin.register(ServiceKey)
class ServiceKeyAdmin(ReadOnlyAdmin):
    ordering = ("-created", "pk")
    list_display = (
        "prefix",
        shown("name"),
        listed("scopes"),
        "created",
        "expiry_date",
        "revoked",
    )
    list_filter = ("revoked",)
    sections = (
        section(
            None,
            "prefix",
            shown("name"),
            listed("scopes"),
            listed("creators"),
            "created",
            "expiry_date",
            "revoked",
        ),
    )

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[Any]:
        return ServiceKeyList

    def get_object(
        self, request: HttpRequest, object_id: str, from_field: str | None = None
    ) -> ServiceKey | None:
        found: ServiceKey | None = super().get_object(request, object_id, "prefix")
        return found

    def row_context(self, request: HttpRequest, object_id: str) -> dict[str, Any]:
        """Name the key by its prefix on the page too."""
        return {"original": object_id}


@admin.register(IdempotencyRecord)
class IdempotencyRecordAdmin(ReadOnlyAdmin):
    list_display = (
        "id",
        "client",
        shown("key"),
        "status_code",
        "created_at",
    )
    extra_lookups = ("client",)
    sections = (
        section(
            None,
            "client",
            shown("key"),
            masked("request_digest", unit=BYTES),
            "status_code",
            masked("answer"),
            "created_at",
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[IdempotencyRecord]:
        return with_sizes(super().get_queryset(request), ("request_digest", "answer"))
