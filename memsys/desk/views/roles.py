"""The roles in words: what each is for and what it may do.

>>> reverse("admin:roles")
'/desk/roles/'
"""

from django.http import HttpRequest, HttpResponseBase
from django.utils.translation import gettext as _

from memsys.desk.pages import page, show
from memsys.desk.permissions import PROSE, Permission
from memsys.desk.roles import ROLES, list_roles, may


@page("roles/", name="roles", permission=None)
def roles(request: HttpRequest) -> HttpResponseBase:
    """Show who may do what; the own roles are marked."""
    own = {role.name for role in list_roles(request.user)}
    return show(
        request,
        "desk/roles.html",
        title=_("Roles"),
        roles=[(role, role.name in own) for role in ROLES],
        rows=[
            (PROSE[one], [one in role.permissions for role in ROLES])
            for one in Permission
        ],
        is_keeper=request.user.is_superuser,
        may_propose=may(request.user, Permission.PROPOSE_ROLE),
    )
