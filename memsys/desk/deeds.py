"""Which deeds a person may do on a relationship or a user, as buttons of their pages.

Owns the list alone; each deed is a page of its own (`memsys.desk.views`).

>>> [deed.name for deed in list_deeds(request.user, relationship)]  # doctest: +SKIP
['export_relationship', 'erase_relationship']
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from identity.types import RelationshipRef
from memsys.desk.pages import PAGES
from memsys.desk.roles import may

# The name of the page, the words on the button, whether it takes something for good.
ON_RELATIONSHIP: tuple[tuple[str, Any, bool], ...] = (
    ("export_relationship", _("Export"), False),
    ("change_standing", _("Pause, restrict, resume"), False),
    ("hold_relationship", _("Place a hold"), False),
    ("erase_relationship", _("Erase"), True),
)
ON_USER: tuple[tuple[str, Any, bool], ...] = (
    ("consents", _("Consents"), False),
    ("receive_request", _("Take down a request"), False),
    ("export_user", _("Export"), False),
    ("hold_user", _("Place a hold"), False),
    ("erase_user", _("Erase everything"), True),
)
ON_POLICY: tuple[tuple[str, Any, bool], ...] = (
    ("propose_recall_policy", _("Ask for other weights"), False),
)
ON_MEMORY: tuple[tuple[str, Any, bool], ...] = (
    ("correct_memory", _("Put it right"), False),
    ("erase_memory", _("Erase it"), True),
)


@dataclass(frozen=True)
class DeedLink:
    """A button that leads to the page of a deed."""

    name: str
    title: Any
    url: str
    is_danger: bool


def list_deeds(user: Any, relationship: RelationshipRef) -> list[DeedLink]:
    """Return the deeds on a relationship that this person may do."""
    links = [*_list(user, ON_RELATIONSHIP, relationship.id)]
    return [*links, *_list(user, ON_USER[:1], relationship.user_id)]


def list_user_deeds(user: Any, user_id: UUID) -> list[DeedLink]:
    """Return the deeds on a user that this person may do."""
    return [*_list(user, ON_USER, user_id)]


def list_policy_deeds(user: Any, policy_id: UUID) -> list[DeedLink]:
    """Return the deeds on a recall policy that this person may do."""
    return [*_list(user, ON_POLICY, policy_id)]


def list_memory_deeds(
    user: Any, relationship_id: UUID, memory_id: UUID
) -> list[DeedLink]:
    """Return the deeds on a memory that this person may do."""
    return [*_list(user, ON_MEMORY, relationship_id, memory_id)]


def _list(
    user: Any, deeds: tuple[tuple[str, Any, bool], ...], *key: UUID
) -> Iterable[DeedLink]:
    permissions = {one.name: one.permission for one in PAGES}
    for name, title, is_danger in deeds:
        wanted = permissions.get(name)
        if wanted is not None and may(user, wanted):
            yield DeedLink(name, title, reverse(f"admin:{name}", args=key), is_danger)
