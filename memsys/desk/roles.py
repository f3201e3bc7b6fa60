"""Who may do what at the desk: the roles, and the one question that all pages ask.

A role is a group of Django's, known by its name; what it allows stands here, where it
is reviewed, and nowhere in the database. No role is a superuser: that account is for
an emergency, and passes every question but the one for a second person.

>>> may(request.user, Permission.REVEAL)  # doctest: +SKIP
False
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.contrib.auth.backends import BaseBackend
from django.core.exceptions import PermissionDenied
from django.utils.translation import gettext_lazy as _

from memsys.desk.permissions import Permission


class Reach(StrEnum):
    """Which relationships a role may open."""

    ALL = "all"
    OWN_REQUESTS = "own_requests"
    PROXY_POOL = "proxy_pool"


@dataclass(frozen=True)
class Role:
    """A kind of work at the desk. `models` are the read-only lists that it opens."""

    name: str
    label: Any
    prose: Any
    permissions: frozenset[Permission]
    models: frozenset[str]
    reach: Reach = Reach.ALL


PEOPLE = frozenset(
    {
        "identity.relationship", "identity.globaluser", "identity.userfacet",
        "identity.custodytransfer", "identity.creator", "identity.creatorpersona",
        "identity.creatorpersonaprofile",
    }
)  # fmt: skip
CONTENT = frozenset(
    {
        "memories.message", "memories.memory", "memories.messagefingerprint",
        "memories.erasuretombstone", "memories.modelanswer",
    }
)  # fmt: skip
WORK = frozenset({"memories.chatsession", "memories.modelattempt"})
CHAINS = frozenset(
    {
        "kernel.auditentry", "kernel.audithead", "kernel.auditpayload",
        "consent.accessbatch",
    }
)  # fmt: skip
OPERATION = frozenset(
    {
        "api.servicekey", "api.idempotencyrecord", "auth.user", "auth.group",
        "django_celery_beat.periodictask", "django_celery_beat.intervalschedule",
        "django_celery_beat.crontabschedule", "django_celery_beat.solarschedule",
        "django_celery_beat.clockedschedule",
    }
)  # fmt: skip
REQUESTS = frozenset({"consent.subjectrequest"})
RUNS = frozenset({"consent.erasurerun", "consent.exportrun", "consent.legalhold"})
POLICIES = frozenset(
    {
        "recall.recallpolicy", "consent.changerequest", "consent.policyversion",
        "consent.profilefield", "consent.releasepolicy",
    }
)  # fmt: skip

_READING = {
    Permission.SEE_RELATIONSHIPS,
    Permission.SEE_HOLDS,
    Permission.SEE_REQUESTS,
    Permission.SEE_CONSENTS,
    Permission.SEE_CHANGES,
    Permission.SEE_GOVERNANCE,
}
_REVEALING = {
    Permission.SEARCH_WORDS,
    Permission.REVEAL,
    Permission.REVEAL_SENSITIVE,
    Permission.REVEAL_MINOR,
    Permission.REVEAL_PRIVATE,
}

ROLES: tuple[Role, ...] = (
    Role(
        name="compliance_officer",
        label=_("Compliance officer"),
        prose=_(
            "Answers to the regulator: works requests, corrects, exports and erases "
            "for one person, and proposes what may be released."
        ),
        permissions=frozenset(
            _READING
            | _REVEALING
            | {
                Permission.CORRECT,
                Permission.CHANGE_STANDING,
                Permission.EXPORT,
                Permission.START_ERASURE,
                Permission.UNDO_ERASURE,
                Permission.PROPOSE_BULK_ERASURE,
                Permission.PLACE_HOLD,
                Permission.WORK_REQUESTS,
                Permission.DECIDE_CHANGES,
                Permission.PROPOSE_RELEASE,
                Permission.STOP_RELEASE,
                Permission.PROPOSE_TEXT,
                Permission.PROPOSE_RECALL_POLICY,
                Permission.PROPOSE_RETENTION,
                Permission.PROPOSE_ROLE,
                Permission.SEE_AUDIT,
                Permission.SEE_COSTS,
            }
        ),
        models=PEOPLE | CONTENT | WORK | CHAINS | POLICIES | REQUESTS | RUNS,
    ),
    Role(
        name="legal_reviewer",
        label=_("Legal reviewer"),
        prose=_(
            "Is the second person: approves releases and texts, places holds and asks "
            "for them to be lifted."
        ),
        permissions=frozenset(
            _READING
            | _REVEALING
            | {
                Permission.EXPORT,
                Permission.PLACE_HOLD,
                Permission.PROPOSE_LIFTING,
                Permission.DECIDE_CHANGES,
                Permission.STOP_RELEASE,
                Permission.SEE_AUDIT,
            }
        ),
        models=PEOPLE | CONTENT | CHAINS | POLICIES | REQUESTS | RUNS,
    ),
    Role(
        name="auditor",
        label=_("Auditor"),
        prose=_("Reads everything that is masked, verifies the chains, does nothing."),
        permissions=frozenset(
            _READING
            | {Permission.SEE_AUDIT, Permission.VERIFY_AUDIT, Permission.SEE_COSTS}
        ),
        models=PEOPLE
        | CONTENT
        | WORK
        | CHAINS
        | POLICIES
        | REQUESTS
        | RUNS
        | OPERATION,
    ),
    Role(
        name="support",
        label=_("Support"),
        prose=_(
            "Works the requests of people who wrote in, and opens the relationships of "
            "those people only."
        ),
        permissions=frozenset(
            {
                Permission.SEE_RELATIONSHIPS,
                Permission.REVEAL,
                Permission.CORRECT,
                Permission.START_ERASURE,
                Permission.SEE_REQUESTS,
                Permission.WORK_REQUESTS,
                Permission.SEE_CONSENTS,
            }
        ),
        models=frozenset({"identity.relationship", "consent.erasurerun"}) | REQUESTS,
        reach=Reach.OWN_REQUESTS,
    ),
    Role(
        name="operator_lead",
        label=_("Operator lead"),
        prose=_(
            "Sees the relationships that the proxy pool serves now, masked, and what "
            "the model costs."
        ),
        permissions=frozenset({Permission.SEE_RELATIONSHIPS, Permission.SEE_COSTS}),
        models=frozenset({"identity.relationship"}) | WORK,
        reach=Reach.PROXY_POOL,
    ),
)
BY_NAME = {role.name: role for role in ROLES}


def may(user: Any, permission: Permission) -> bool:
    """Say whether a person may do something at the desk. One query a request."""
    return bool(user.is_active and user.is_staff and user.has_perm(permission.value))


def check(user: Any, permission: Permission) -> None:
    """Refuse a person who may not do something at the desk.

    Raises:
        PermissionDenied: they may not.
    """
    if not may(user, permission):
        raise PermissionDenied


def list_roles(user: Any) -> list[Role]:
    """Return the roles of a person, in the order of this module. One query."""
    if not (user.is_active and user.is_staff):
        return []
    names = getattr(user, "_desk_roles", None)
    if names is None:
        names = set(user.groups.values_list("name", flat=True))
        user._desk_roles = names
    return [role for role in ROLES if role.name in names]


def label_of(name: str) -> str:
    """Return the words for a role by the name of its group."""
    return str(BY_NAME[name].label) if name in BY_NAME else name


def reach_of(user: Any) -> Reach:
    """Return the widest reach of a person's roles."""
    if user.is_superuser:
        return Reach.ALL
    reaches = {role.reach for role in list_roles(user)}
    return next((one for one in Reach if one in reaches), Reach.ALL)


class RoleBackend(BaseBackend):
    """Tells Django what the roles of a person allow; it signs nobody in."""

    def has_perm(self, user_obj: Any, perm: str, obj: Any = None) -> bool:
        """Say whether a role of the person allows it: a deed, or reading a list."""
        return any(_allows(role, perm) for role in list_roles(user_obj))

    def has_module_perms(self, user_obj: Any, app_label: str) -> bool:
        """Say whether a role of the person opens any list of an app."""
        return any(
            model.startswith(f"{app_label}.")
            for role in list_roles(user_obj)
            for model in role.models
        )


def make_roles(*, using: str, **kwargs: Any) -> None:
    """Make the group of each role that has none yet; called after each migration."""
    from django.contrib.auth.models import Group

    names: Iterable[str] = [role.name for role in ROLES]
    groups = Group.objects.using(using)
    there = set(groups.filter(name__in=names).values_list("name", flat=True))
    groups.bulk_create(
        [Group(name=name) for name in names if name not in there],
        ignore_conflicts=True,
    )


def _allows(role: Role, perm: str) -> bool:
    app, _dot, codename = perm.partition(".")
    if codename.startswith("view_"):
        return f"{app}.{codename.removeprefix('view_')}" in role.models
    return perm in role.permissions
