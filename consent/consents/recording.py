"""Recording what a person did: checked, added to the ledger, in force at once.

>>> record(form, by="service:ab12", now=now)  # doctest: +SKIP
"""

from datetime import datetime

from django.conf import settings

from consent import policies
from consent.allowances import forget_allowances
from consent.consents.forms import ConsentForm, check_form
from consent.consents.projection import apply, lock_user, tell
from consent.consents.targets import find_place
from consent.enqueue import SETTLE_USER, enqueue
from consent.errors import (
    EvidenceReused,
    GuardianNeeded,
    InvalidConsent,
    MinorCannotConsent,
    PolicyTextMismatch,
    PolicyTextOutdated,
)
from consent.models import ConsentEvent, PolicyVersion
from consent.scopes import list_scopes
from consent.texts import is_in_force
from consent.types import ConsentAction, scope_document
from identity.models import GlobalUser
from memsys.kernel.scope import require_scope

# What one act of a user cannot have been twice in different ways.
_SAME = ("text_sha256", "locale", "surface", "expires_at")


def record(form: ConsentForm, *, by: str, now: datetime) -> ConsentEvent:
    """Add what a person did to the ledger; it is in force when this commits.

    A withdrawal waits for whoever is writing by the grant, and what they wrote goes
    with the rest: a job is asked for on commit. What was acted on before something that
    is recorded already is kept in the ledger, and changes nothing. A grant whose proof
    is in the ledger already was given once: its entry is returned, whatever the user
    has said since.

    Raises:
        ScopeMissing, ScopeConflict: no scope of this user is open.
        InvalidConsent: a field cannot be so.
        ConsentTargetNotFound: there is nothing such that it could be for.
        PolicyTextMismatch, PolicyTextOutdated: a grant upon another text than ours.
        EvidenceReused: the proof of a grant is that of another one.
        MinorCannotConsent, GuardianNeeded: the user's age bars the grant.
    """
    require_scope(user=form.user_id)
    form = check_form(form, now=now)
    place = find_place(form.user_id, form.target_kind, form.target_id)
    user = lock_user(form.user_id)
    if (known := _find_known(form)) is not None:
        return known
    text = _find_text(form)
    if form.is_grant:
        _check_may_grant(form, user)
        _check_text(form, text, now=now)
    event = _add(form, text, by=by)
    is_effective = apply(event, place, now=now)
    forget_allowances()
    tell(event, is_effective=is_effective)
    if is_effective and not form.is_grant:
        enqueue(SETTLE_USER, user_id=form.user_id)
    return event


def _find_known(form: ConsentForm) -> ConsentEvent | None:
    """Return the grant that was recorded upon the same proof, for the same target.

    No other is made of one act of the user, however often it is told: told again after a
    withdrawal, it would bring back what the user has ended. A withdrawal or refusal is
    heard each time.

    Raises:
        EvidenceReused: it was another text, or for another time.
    """
    if not form.is_grant:
        return None
    rows = ConsentEvent.objects.filter(
        global_user_id=form.user_id,
        scope=form.scope,
        target_kind=form.target_kind,
        target_id=form.target_id,
        action=ConsentAction.GRANT,
        evidence_id=form.evidence_id,
    )
    known = rows.order_by("id").first()
    if known is None:
        return None
    if any(getattr(known, one) != getattr(form, one) for one in _SAME):
        raise EvidenceReused("This proof stands for another grant.")
    return known


def _add(form: ConsentForm, text: PolicyVersion | None, *, by: str) -> ConsentEvent:
    return ConsentEvent.objects.create(
        global_user_id=form.user_id,
        scope=form.scope,
        target_kind=form.target_kind,
        target_id=form.target_id,
        action=form.action,
        policy_version=text,
        text_sha256=form.text_sha256,
        locale=form.locale,
        surface=form.surface,
        shown_at=form.shown_at,
        acted_at=form.acted_at,
        expires_at=form.expires_at if form.is_grant else None,
        actor=by,
        evidence_id=form.evidence_id,
    )


def _find_text(form: ConsentForm) -> PolicyVersion | None:
    """Return the text that was seen; None where none is named, or it is not ours."""
    if form.policy_version is not None:
        return PolicyVersion.objects.filter(pk=form.policy_version).first()
    if form.text_number is None:
        return None
    return PolicyVersion.objects.filter(
        document=scope_document(form.scope),
        number=form.text_number,
        locale=form.locale,
    ).first()


def _check_text(
    form: ConsentForm, text: PolicyVersion | None, *, now: datetime
) -> None:
    """Refuse a grant upon a text that is not ours word for word, or not any more."""
    document = scope_document(form.scope)
    if text is None or (text.document, text.locale, text.sha256) != (
        document,
        form.locale,
        form.text_sha256,
    ):
        raise PolicyTextMismatch("The text that was shown is not this one.")
    if not is_in_force(text, now=now):
        raise PolicyTextOutdated("A newer text took its place.")


def _check_may_grant(form: ConsentForm, user: GlobalUser) -> None:
    known = list_scopes().get(form.scope)
    if known is None:
        raise InvalidConsent("scope", "not-allowed", "a scope that can be consented to")
    fault = policies.find_grant_fault(
        scope=form.scope,
        surface=form.surface,
        age_band=user.age_band,
        unknown_is_minor=settings.MINORS_UNKNOWN_COUNT_AS_MINOR,
        data_class=known.data_class,
    )
    if fault == MinorCannotConsent.code:
        raise MinorCannotConsent("Nobody consents to this for a minor.")
    if fault == GuardianNeeded.code:
        raise GuardianNeeded("Only a guardian consents to this.")
