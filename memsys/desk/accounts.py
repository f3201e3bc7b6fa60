"""Pages of the staff's accounts and roles.

Superusers add and change them; nobody deletes one, since the audit names them: an
account is closed by taking `is_active` off. Rights come from roles alone, which two
persons give and take (`memsys.desk.changes`). Each change is recorded.

>>> admin.site.register(User, StaffUserAdmin)  # doctest: +SKIP
"""

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, User
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils.text import slugify
from django.utils.translation import gettext_lazy as _
from unfold.admin import ModelAdmin
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from memsys.desk.roles import label_of
from memsys.kernel.audit.chain import Deed, record
from memsys.kernel.pages.codes import list_words
from memsys.kernel.pages.read_only import DESK_CHAIN, actor_of


class RecordedAccounts:
    """Rows that superusers may add and change, and nobody may delete.

    Stands before Django's own class, and unfold's last, so that its forms are used.
    """

    change_list_template: Any = "desk/change_list.html"
    actions: Any = None
    show_full_result_count = False
    list_per_page = 50
    list_max_show_all = 0
    kind = ""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.is_active and request.user.is_superuser)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.has_add_permission(request)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def log_addition(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        """Log as Django does, and record it in the audit."""
        self._record(request, obj, "added", message)
        return super().log_addition(request, obj, message)  # type: ignore[misc]

    def log_change(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        """Log as Django does, and record it in the audit."""
        self._record(request, obj, "changed", message)
        return super().log_change(request, obj, message)  # type: ignore[misc]

    def _record(self, request: HttpRequest, obj: Any, deed: str, message: Any) -> None:
        record(
            Deed(
                chain=DESK_CHAIN,
                action=f"{self.kind}.{deed}",
                actor=actor_of(request),
                object_ref=f"{self.kind}:{obj.pk}",
                field_names=_changed_fields(message),
            )
        )


class StaffUserAdmin(
    RecordedAccounts,
    UserAdmin,  # type: ignore[type-arg]
    ModelAdmin,  # type: ignore[misc]
):
    kind = "staff"
    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm
    ordering = ("username",)
    list_display = ("username", "is_active", "is_staff", "is_superuser", "last_login")
    list_filter = ("is_active", "is_staff", "is_superuser", "groups")
    filter_horizontal = ()
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        (_("Person"), {"fields": ("first_name", "last_name", "email")}),
        (_("Rights"), {"fields": ("is_active", "is_staff", "is_superuser", "roles")}),
        (_("Dates"), {"fields": ("last_login", "date_joined")}),
    )
    readonly_fields = ("last_login", "date_joined", "roles")

    @admin.display(description=_("Roles"))
    def roles(self, user: User) -> str:
        """Return the roles of an account; two persons give and take them."""
        names = user.groups.order_by("name").values_list("name", flat=True)
        return list_words(label_of(name) for name in names)

    def user_change_password(
        self, request: HttpRequest, id: str, form_url: str = ""
    ) -> HttpResponse:
        """Change a password and record it, in one transaction."""
        with transaction.atomic():
            answer: HttpResponse = super().user_change_password(request, id, form_url)
        return answer


class RoleAdmin(RecordedAccounts, GroupAdmin, ModelAdmin):  # type: ignore[misc]
    kind = "role"
    ordering = ("name",)
    list_display = ("name", "label")
    # What a role allows stands in `memsys.desk.roles`, not in the database.
    fields = ("name",)
    filter_horizontal = ()

    @admin.display(description=_("Role"))
    def label(self, group: Group) -> str:
        """Return the words for a role."""
        return label_of(group.name)


def _changed_fields(message: Any) -> tuple[str, ...]:
    """Return the changed fields in Django's change message, their labels as codes."""
    if not isinstance(message, list):
        return ()
    return tuple(
        slugify(label).replace("-", "_")
        for part in message
        for label in part.get("changed", {}).get("fields", ())
    )
