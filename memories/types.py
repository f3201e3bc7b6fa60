"""Words of memories: stored codes, and what crosses to other modules.

>>> Kind.PREFERENCE in SLOTTED_KINDS
True
"""

from typing import Any

from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy


class AuthorKind(models.TextChoices):
    USER = "user", _("User")
    CREATOR = "creator", _("Creator")
    OPERATOR = "operator", _("Operator")
    AI = "ai", _("AI")
    AI_EDITED = "ai_edited", _("AI, edited by a person")
    SYSTEM = "system", _("System")


class SessionStatus(models.TextChoices):
    OPEN = "open", pgettext_lazy("session", "Open")
    PENDING = "pending", _("Waiting to be processed")
    DONE = "done", _("Processed")
    DEAD = "dead", _("Given up")
    CANCELLED_ERASED = "cancelled_erased", _("Cancelled by an erasure")


class EndReason(models.TextChoices):
    CALLER = "caller", _("Ended by the caller")
    IDLE = "idle", _("Idle")
    NEWER = "newer", _("A newer session began")
    BACKFILL = "backfill", _("Older messages arrived late")


class Extraction(models.TextChoices):
    """What made the memories of a session."""

    RULES = "rules", _("Rules")
    MODEL = "model", _("Model")
    PROVISIONAL = "provisional", _("Rules, until the model answers")
    FALLBACK = "fallback", _("Rules, since the model gave no usable answer")


class AttemptStatus(models.TextChoices):
    SENT = "sent", _("Under way")
    ANSWERED = "answered", _("Answered")
    UNUSABLE = "unusable", _("Answer not usable")
    UNREACHABLE = "unreachable", _("Model not reachable")
    UNKNOWN = "unknown", _("Lost with its worker")


class Tier(models.TextChoices):
    EPISODIC = "episodic", _("Episodic")
    SEMANTIC = "semantic", _("Semantic")


class Kind(models.TextChoices):
    PREFERENCE = "preference", _("Preference")
    TABOO = "taboo", _("Taboo")
    EMOTION = "emotion", _("Emotion")
    COMMITMENT = "commitment", _("Commitment")
    EVENT = "event", _("Event")
    TOPIC = "topic", _("Topic")
    FACT = "fact", _("Fact")
    NOTE = "note", _("Note")


SLOTTED_KINDS = (Kind.PREFERENCE, Kind.TABOO, Kind.COMMITMENT, Kind.FACT)


class Dimension(models.TextChoices):
    TASTE = "taste", _("Taste")
    TOPIC = "topic", _("Topic")
    EMOTION = "emotion", _("Emotion")
    TABOO = "taboo", _("Taboo")
    COMMITMENT = "commitment", _("Commitment")
    IDENTITY = "identity", _("Identity")
    LIFE = "life", _("Life")
    OTHER = "other", _("Other")


class MemoryStatus(models.TextChoices):
    ACTIVE = "active", pgettext_lazy("memory", "Active")
    SUPERSEDED = "superseded", _("Superseded")
    RESTRICTED = "restricted", _("Restricted")
    ARCHIVED = "archived", _("Archived")


class Visibility(models.TextChoices):
    NORMAL = "normal", _("Normal")
    SENSITIVE = "sensitive", _("Sensitive")
    CREATOR_PRIVATE = "creator_private", _("Private to the creator")


class MemoryAuthor(models.TextChoices):
    RULES = "rules", _("Rules")
    MODEL = "model", _("Model")
    STAFF = "staff", _("Staff")
    USER = "user", _("User")
    SERVICE = "service", pgettext_lazy("author", "Service")


def author_kinds() -> list[tuple[str, Any]]:
    return AuthorKind.choices


def session_statuses() -> list[tuple[str, Any]]:
    return SessionStatus.choices


def end_reasons() -> list[tuple[str, Any]]:
    return EndReason.choices


def extractions() -> list[tuple[str, Any]]:
    return Extraction.choices


def attempt_statuses() -> list[tuple[str, Any]]:
    return AttemptStatus.choices


def tiers() -> list[tuple[str, Any]]:
    return Tier.choices


def kinds() -> list[tuple[str, Any]]:
    return Kind.choices


def dimensions() -> list[tuple[str, Any]]:
    return Dimension.choices


def memory_statuses() -> list[tuple[str, Any]]:
    return MemoryStatus.choices


def visibilities() -> list[tuple[str, Any]]:
    return Visibility.choices


def memory_authors() -> list[tuple[str, Any]]:
    return MemoryAuthor.choices
