"""Words of identity: stored codes, and what crosses to other modules.

>>> Custody.CREATOR_POOL.value
'creator_pool'
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import models
from django.utils.translation import gettext_lazy as _


class AgeBand(models.TextChoices):
    UNKNOWN = "unknown", _("Unknown")
    ADULT = "adult", _("Adult")
    MINOR_14_17 = "minor_14_17", _("Minor, 14 to 17")
    UNDER_14 = "under_14", _("Under 14")


class UserStatus(models.TextChoices):
    ACTIVE = "active", _("Active")
    CLOSED = "closed", _("Closed")


class RelationshipKind(models.TextChoices):
    SERVICE = "service", _("Service")
    FRIEND = "friend", _("Friend")
    INTIMATE = "intimate", _("Intimate")


class RelationshipStatus(models.TextChoices):
    ACTIVE = "active", _("Active")
    PAUSED = "paused", _("Paused")
    RESTRICTED = "restricted", _("Restricted")
    ENDED = "ended", _("Ended")


class Custody(models.TextChoices):
    CREATOR_POOL = "creator_pool", _("Creator's pool")
    PROXY_POOL = "proxy_pool", _("Proxy pool")


def age_bands() -> list[tuple[str, Any]]:
    return AgeBand.choices


def user_statuses() -> list[tuple[str, Any]]:
    return UserStatus.choices


def relationship_kinds() -> list[tuple[str, Any]]:
    return RelationshipKind.choices


def relationship_statuses() -> list[tuple[str, Any]]:
    return RelationshipStatus.choices


def custodies() -> list[tuple[str, Any]]:
    return Custody.choices


@dataclass(frozen=True)
class RelationshipRef:
    """What the other apps know of a relationship after it was resolved."""

    id: UUID
    user_id: UUID
    persona_id: UUID
    creator_id: UUID
    creator_external_id: str
    persona_key: str
    persona_name: str
    relationship_kind: str
    facet_key: str
    user_external_id: str
    status: str
    custody: str
    age_band: str
    user_status: str
    time_zone: str
    memory_version: int
    created_at: datetime
    disclosed_at: datetime | None
    disclosure_version: str
    is_synthetic: bool = False
    nickname: str = ""
    creator_name: str = ""
    profile_version: int = 0
    reminded_at: datetime | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names that both sides go by; they are words of their own."""
        return self.nickname, self.persona_name, self.creator_name
