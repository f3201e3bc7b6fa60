"""Pages of users and personas. Relationships span apps: their page is the desk's."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from identity.models import (
    Creator,
    CreatorPersona,
    CreatorPersonaProfile,
    CustodyTransfer,
    GlobalUser,
    Relationship,
    UserFacet,
)
from memsys.kernel.pages.actors import actor_column
from memsys.kernel.pages.columns import (
    full_id,
    linked,
    listed,
    related,
    row_id,
    shown,
)
from memsys.kernel.pages.read_only import ReadOnlyAdmin, section
from memsys.kernel.sharding.ids import bucket_of_user


@admin.register(GlobalUser)
class GlobalUserAdmin(ReadOnlyAdmin):
    kind = "user"
    is_view_recorded = True
    list_display = (
        row_id,
        shown("external_id"),
        "age_band",
        "locale",
        "status",
        "created_at",
    )
    list_filter = ("age_band", "status")
    search_fields = ("external_id",)
    search_help_text = _("User's external id")
    sections = (
        section(
            None,
            full_id,
            shown("external_id"),
            "age_band",
            "status",
            "locale",
            "time_zone",
            "created_at",
            related(_("Facets"), UserFacet, by={"global_user": "pk"}),
            related(_("Relationships"), Relationship, by={"global_user": "pk"}),
        ),
    )

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[GlobalUser], search_term: str
    ) -> tuple[QuerySet[GlobalUser], bool]:
        """Find the user with this external id, which tells the shard."""
        name = search_term.strip()
        if not name:
            return queryset, False
        return queryset.filter(shard=bucket_of_user(name), external_id=name), False


@admin.register(UserFacet)
class UserFacetAdmin(ReadOnlyAdmin):
    kind = "facet"
    is_view_recorded = True
    list_display = (
        row_id,
        shown("key"),
        shown("nickname"),
        linked("global_user", text="global_user__external_id"),
        "created_at",
    )
    list_select_related = ("global_user",)
    extra_lookups = ("global_user",)
    sections = (
        section(
            None,
            full_id,
            shown("key"),
            shown("nickname"),
            linked("global_user", text="global_user__external_id"),
            "created_at",
        ),
    )


@admin.register(Creator)
class CreatorAdmin(ReadOnlyAdmin):
    list_display = (row_id, shown("external_id"), shown("display_name"), "created_at")
    search_fields = ("external_id__exact",)
    search_help_text = _("Creator's external id")
    sections = (
        section(
            None,
            full_id,
            shown("external_id"),
            shown("display_name"),
            "created_at",
            related(_("Personas"), CreatorPersona, by={"creator": "pk"}),
        ),
    )


@admin.register(CreatorPersona)
class CreatorPersonaAdmin(ReadOnlyAdmin):
    kind = "persona"
    list_display = (
        row_id,
        shown("display_name"),
        shown("key"),
        linked("creator", text="creator__external_id"),
        "relationship_kind",
        "created_at",
    )
    list_select_related = ("creator",)
    list_filter = ("relationship_kind",)
    extra_lookups = ("creator",)
    search_fields = ("key__exact", "creator__external_id__exact")
    search_help_text = _("Persona's key or creator's id")
    sections = (
        section(
            None,
            full_id,
            shown("display_name"),
            shown("key"),
            linked("creator", text="creator__external_id"),
            "relationship_kind",
            "created_at",
            related(_("Profiles"), CreatorPersonaProfile, by={"persona": "pk"}),
            related(_("Relationships"), Relationship, by={"persona": "pk"}),
        ),
    )


@admin.register(CreatorPersonaProfile)
class CreatorPersonaProfileAdmin(ReadOnlyAdmin):
    list_display = (
        row_id,
        linked("persona", text="persona__display_name"),
        "version",
        shown("author"),
        "created_at",
    )
    list_select_related = ("persona",)
    extra_lookups = ("persona",)
    sections = (
        section(
            None,
            full_id,
            linked("persona", text="persona__display_name"),
            "version",
            shown("author"),
            "created_at",
        ),
        section(
            _("What the persona is like"),
            shown("background"),
            shown("voice"),
            listed("taboos"),
            listed("standard_lines"),
        ),
    )


@admin.register(CustodyTransfer)
class CustodyTransferAdmin(ReadOnlyAdmin):
    list_display = (
        row_id,
        linked("relationship"),
        "from_custody",
        "to_custody",
        actor_column("actor"),
        shown("reason_code"),
        "moved_at",
    )
    extra_lookups = ("relationship",)
    sections = (
        section(
            None,
            full_id,
            linked("relationship"),
            "from_custody",
            "to_custody",
            actor_column("actor"),
            shown("reason_code"),
            listed("inherited"),
            "moved_at",
        ),
    )
