"""What a service key may do: scopes as data.

Owns the list of scopes and the combinations that no key may hold. Which route needs
which scope stands at the view; there are no wildcards.

>>> check_scopes(["context:read", "message:write"])
"""

from collections.abc import Iterable
from enum import StrEnum

from memsys.api.errors import ForbiddenScopes, UnknownScope


class Scope(StrEnum):
    """One right of a service key."""

    CONTEXT_READ = "context:read"
    MEMORY_WRITE = "memory:write"
    MEMORY_READ_ITEM = "memory:read:item"
    PROFILE_READ_RELEASED = "profile:read:released"
    CONSENT_READ = "consent:read"
    CONSENT_WRITE = "consent:write"
    RELATIONSHIP_ROUTE = "relationship:route"
    TRANSFER_EXECUTE = "transfer:execute"
    ERASURE_REQUEST = "erasure:request"
    SAFETY_WRITE = "safety:write"
    DISCLOSURE_WRITE = "disclosure:write"
    WEBHOOK_MANAGE = "webhook:manage"
    STATS_READ = "stats:read"
    MESSAGE_WRITE = "message:write"
    SESSION_WRITE = "session:write"
    PERSONA_WRITE = "persona:write"
    PROFILE_WRITE = "profile:write"
    JOURNAL_READ = "journal:read"
    JOURNAL_WRITE = "journal:write"
    PORTAL_LINK_CREATE = "portal-link:create"
    HOLD_READ = "hold:read"
    EXPORT_REQUEST = "export:request"
    RELEASE_READ = "release:read"


# Whoever records consent must not be the one who profits from it.
FORBIDDEN_TOGETHER = (frozenset({Scope.CONSENT_WRITE, Scope.PROFILE_READ_RELEASED}),)


def check_scopes(scopes: Iterable[str]) -> None:
    """Refuse scopes that do not exist, none at all, or a forbidden combination.

    Raises:
        UnknownScope: one of them is not in the list, or the list is empty.
        ForbiddenScopes: no single key may hold this combination.
    """
    wanted = set(scopes)
    if not wanted or not wanted <= set(Scope):
        raise UnknownScope("A key needs at least one scope, each of the list.")
    if any(together <= wanted for together in FORBIDDEN_TOGETHER):
        raise ForbiddenScopes("No key may hold these scopes together.")
