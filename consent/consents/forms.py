"""What somebody tells of a consent, and whether it can be so.

Owns the form and the checks that need no look at the ledger.

>>> ConsentForm(user_id=user_id, scope="release:region", action="withdraw",
...             acted_at=now)  # doctest: +SKIP
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from consent.errors import InvalidConsent
from consent.scopes import MAX_SCOPE
from consent.texts import LOCALES
from consent.types import (
    DOCUMENTS,
    GUARDIAN,
    ConsentAction,
    Surface,
    TargetKind,
    scope_document,
)
from memsys.kernel.text.clean import InvalidIdentifier, check_identifier

ACTIONS = (ConsentAction.GRANT, ConsentAction.WITHDRAW, ConsentAction.REFUSE)
# Two clocks may differ; what is told to lie ahead by less was done now.
CLOCK_SKEW = timedelta(minutes=5)
MAX_EVIDENCE = 200

_SCOPE = re.compile(r"[a-z_]+(:[a-z][a-z0-9_]*)?")
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, kw_only=True)
class ConsentForm:
    """What a person did about one scope, and which text they saw.

    The text is named by `policy_version`, or by `text_number` within the scope's document
    and the `locale`. A grant needs it, its hash as it was shown, and when; to withdraw or
    refuse takes none of it. `evidence_id` is the caller's proof of the user's act.
    """

    user_id: UUID
    scope: str
    action: str
    acted_at: datetime
    target_kind: str = TargetKind.ALL.value
    target_id: UUID | None = None
    policy_version: UUID | None = None
    text_number: int | None = None
    text_sha256: str = ""
    locale: str = ""
    surface: str = ""
    shown_at: datetime | None = None
    expires_at: datetime | None = None
    evidence_id: str = ""

    @property
    def is_grant(self) -> bool:
        """Say whether something is allowed, rather than no more."""
        return self.action == ConsentAction.GRANT


def check_form(form: ConsentForm, *, now: datetime) -> ConsentForm:
    """Return the form with its times not after `now`.

    Raises:
        InvalidConsent: naming the field and what was expected.
    """
    _check_codes(form)
    _check_times(form, now=now)
    if form.is_grant:
        _check_grant(form)
    shown_at = min(form.shown_at, now) if form.shown_at is not None else None
    return replace(form, acted_at=min(form.acted_at, now), shown_at=shown_at)


def _check_codes(form: ConsentForm) -> None:
    is_scope = len(form.scope) <= MAX_SCOPE and _SCOPE.fullmatch(form.scope)
    if not is_scope or scope_document(form.scope) not in DOCUMENTS:
        raise InvalidConsent("scope", "not-allowed", "a scope that can be consented to")
    _check_choice("action", form.action, ACTIONS)
    _check_choice("target", form.target_kind, TargetKind.values)
    if (form.target_kind == TargetKind.ALL) != (form.target_id is None):
        raise InvalidConsent("target", "wrong-type", "an id, unless it is for all")
    if form.surface:
        _check_choice("surface", form.surface, Surface.values)
    if form.text_sha256 and not _SHA256.fullmatch(form.text_sha256):
        raise InvalidConsent("text_sha256", "not-allowed", "64 hexadecimal digits")
    if form.locale:
        _check_choice("locale", form.locale, LOCALES)
    if form.evidence_id:
        _check_evidence(form.evidence_id)


def _check_choice(field: str, value: str, choices: Iterable[str]) -> None:
    values = [str(one) for one in choices]
    if value not in values:
        raise InvalidConsent(field, "not-allowed", "one of " + ", ".join(values))


def _check_evidence(evidence_id: str) -> None:
    try:
        check_identifier(evidence_id, field="evidence_id", max_length=MAX_EVIDENCE)
    except InvalidIdentifier as exc:
        raise InvalidConsent(exc.field, exc.code, exc.expected) from exc


def _check_times(form: ConsentForm, *, now: datetime) -> None:
    if form.acted_at > now + CLOCK_SKEW:
        raise InvalidConsent("acted_at", "out-of-range", "a time not in the future")
    if form.shown_at is not None and form.shown_at > form.acted_at:
        raise InvalidConsent("shown_at", "out-of-range", "a time not after acted_at")
    if form.expires_at is not None and form.expires_at <= now:
        raise InvalidConsent("expires_at", "out-of-range", "a time ahead")


def _check_grant(form: ConsentForm) -> None:
    """Refuse a grant without the text that was seen, where, when, and its proof."""
    for field in ("text_sha256", "locale", "surface", "shown_at", "evidence_id"):
        if not getattr(form, field):
            raise InvalidConsent(field, "missing", "what a grant was given upon")
    if (form.policy_version is None) == (form.text_number is None):
        expected = "either policy_version or text_number"
        raise InvalidConsent("policy_version", "missing", expected)
    if form.scope == GUARDIAN and form.surface != Surface.GUARDIAN:
        raise InvalidConsent("surface", "not-allowed", "guardian")
