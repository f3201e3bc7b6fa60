"""Words of consent: stored codes, and the codes of what a person can consent to.

>>> scope_document("release:region")
'release'
"""

from typing import Any

from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

RELEASE = "release"
SENSITIVE = "sensitive"
MODEL_TRAINING = "model_training"
GUARDIAN = "guardian"
# The one profile field that is the account's own too.
AGE_BAND = "age_band"
# What of the whole a scope's code begins with; each has a policy text of its own.
DOCUMENTS = (RELEASE, SENSITIVE, MODEL_TRAINING, GUARDIAN)


def scope_document(scope: str) -> str:
    """Return which policy text covers a scope: what stands before the colon."""
    return scope.partition(":")[0]


class DataClass(models.TextChoices):
    STABLE = "stable", _("Stable")
    PREFERENCE = "preference", _("Preference")
    COMMERCIAL = "commercial", _("Commercial")
    SENSITIVE = "sensitive", _("Sensitive")


class TargetKind(models.TextChoices):
    """For whom a grant holds, or whom a release policy lets receive."""

    ALL = "all", _("Everywhere")
    CREATOR = "creator", _("One creator")
    PERSONA = "persona", _("One persona")
    RELATIONSHIP = "relationship", _("One relationship")


class ConsentAction(models.TextChoices):
    GRANT = "grant", _("Granted")
    WITHDRAW = "withdraw", _("Withdrawn")
    REFUSE = "refuse", _("Refused")
    EXPIRE = "expire", _("Expired")


class GrantStatus(models.TextChoices):
    GRANTED = "granted", _("Granted")
    WITHDRAWN = "withdrawn", _("Withdrawn")
    EXPIRED = "expired", _("Expired")


class Surface(models.TextChoices):
    """Where a person read the text and acted."""

    CHAT = "chat", _("Chat")
    PORTAL = "portal", _("Portal")
    GUARDIAN = "guardian", _("Guardian")


class ReminderKind(models.TextChoices):
    FIRST = "first", _("First")
    PERIODIC = "periodic", _("Every two hours")
    MISSED = "missed", _("Due, and not confirmed")


class ChangeState(models.TextChoices):
    OPEN = "open", _("Waiting for a second person")
    APPROVED = "approved", _("Approved, not yet carried out")
    DONE = "done", _("Carried out")
    FAILED = "failed", _("Failed")
    REFUSED = "refused", _("Refused")
    WITHDRAWN = "withdrawn", _("Withdrawn")
    EXPIRED = "expired", _("Expired")


class ErasureTarget(models.TextChoices):
    MEMORY = "memory", _("One memory")
    RELATIONSHIP = "relationship", _("One relationship")
    USER = "user", _("Everything of a user")


class ErasureState(models.TextChoices):
    WAITING = "waiting", _("Can still be undone")
    BLOCKED = "blocked", _("Blocked by a hold")
    RUNNING = "running", _("Running")
    DONE = "done", _("Done")
    UNDONE = "undone", _("Undone")


class RequestKind(models.TextChoices):
    ACCESS = "access", _("Access and copy")
    CORRECT = "correct", _("Correction")
    ERASE = "erase", _("Erasure")
    RESTRICT = "restrict", _("Restriction")
    EXPLAIN = "explain", _("Explanation")
    TRANSFER = "transfer", _("Transfer")
    DECEASED = "deceased", _("Relatives of a deceased person")
    AGE_APPEAL = "age_appeal", _("Appeal about age")
    COMPLAINT = "complaint", _("Complaint")


class RequestState(models.TextChoices):
    OPEN = "open", pgettext_lazy("request", "Open")
    PAUSED = "paused", _("Paused")
    DONE = "done", _("Done")
    REFUSED = "refused", _("Refused")


class PauseCode(models.TextChoices):
    """What a request waits for that only the person can give; then no day counts."""

    IDENTITY = "identity_proof", _("Proof of who asks")
    DETAILS = "more_details", _("The person has to say what is meant")
    GUARDIAN = "guardian_proof", _("Proof of being the guardian")
    RELATIVES = "relatives_proof", _("Documents of the relatives")


class OutcomeCode(models.TextChoices):
    """How a request was answered."""

    DONE = "done", _("Done as asked")
    PARTLY = "done_partly", _("Done in part")
    EXPLAINED = "explained", _("Explained")
    NOTHING = "nothing_held", _("Nothing of the kind is held")
    TAKEN_BACK = "taken_back", _("The person took it back")


class RefusalCode(models.TextChoices):
    """Why a request was refused; the letter says it in the person's language."""

    IDENTITY = "identity_not_proven", _("It was not proven who asks")
    NO_RIGHT = "no_right", _("Who asks has no right to it")
    LAW_KEEPS = "law_keeps", _("The law's time of keeping is not over")
    LEGAL_HOLD = "legal_hold", _("A legal hold keeps it")
    OTHERS = "others_rights", _("It would touch the rights of others")
    REPEATED = "repeated", _("It was asked for and answered shortly before")
    IMPOSSIBLE = "impossible", _("It cannot be done")


DUPLICATE = "duplicate"  # the outcome of a request that became part of another


class ExportState(models.TextChoices):
    QUEUED = "queued", _("Waiting")
    RUNNING = "running", _("Being made")
    READY = "ready", _("Ready")
    TAKEN = "taken", pgettext_lazy("export", "Taken")
    EXPIRED = "expired", _("Expired")
    FAILED = "failed", _("Failed")


def data_classes() -> list[tuple[str, Any]]:
    return DataClass.choices


def target_kinds() -> list[tuple[str, Any]]:
    return TargetKind.choices


def consent_actions() -> list[tuple[str, Any]]:
    return ConsentAction.choices


def grant_statuses() -> list[tuple[str, Any]]:
    return GrantStatus.choices


def surfaces() -> list[tuple[str, Any]]:
    return Surface.choices


def reminder_kinds() -> list[tuple[str, Any]]:
    return ReminderKind.choices


def change_states() -> list[tuple[str, Any]]:
    return ChangeState.choices


def erasure_targets() -> list[tuple[str, Any]]:
    return ErasureTarget.choices


def erasure_states() -> list[tuple[str, Any]]:
    return ErasureState.choices


def request_kinds() -> list[tuple[str, Any]]:
    return RequestKind.choices


def request_states() -> list[tuple[str, Any]]:
    return RequestState.choices


def export_states() -> list[tuple[str, Any]]:
    return ExportState.choices
