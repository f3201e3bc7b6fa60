"""What holds now and what was done, inside a scope of the user.

>>> [grant.state for grant in list_grants(user_id, now)]  # doctest: +SKIP
['granted', 'needs_renewal']
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db.models import Q

from consent import policies
from consent.models import ConsentEvent, ConsentGrant, PolicyVersion
from consent.scopes import list_scopes
from consent.texts import is_in_force
from consent.types import ConsentAction, GrantStatus
from identity.types import AgeBand
from memsys.kernel.scope import require_scope

NEEDS_RENEWAL, REFUSED = "needs_renewal", "refused"
MAX_GRANTS = 1000
_TOLD = ("policy_version", "last_event", "global_user")

Position = tuple[datetime, UUID]


@dataclass(frozen=True)
class TextView:
    """Which text was seen."""

    id: UUID
    document: str
    number: int
    locale: str
    title: str
    sha256: str


@dataclass(frozen=True)
class GrantView:
    """A scope and target with the last word about them.

    `state` is granted, needs_renewal, withdrawn, refused or expired; only the first
    allows anything.
    """

    id: UUID
    scope: str
    target_kind: str
    target_id: UUID | None
    state: str
    text: TextView | None
    granted_at: datetime | None
    expires_at: datetime | None
    ended_at: datetime | None


@dataclass(frozen=True)
class EventView:
    """One entry of the ledger."""

    id: UUID
    scope: str
    target_kind: str
    target_id: UUID | None
    action: str
    text: TextView | None
    text_sha256: str
    locale: str
    surface: str
    shown_at: datetime | None
    acted_at: datetime
    expires_at: datetime | None
    recorded_at: datetime
    actor: str
    evidence_id: str


def list_grants(
    user_id: UUID, now: datetime, *, targets: Collection[UUID] | None = None
) -> list[GrantView]:
    """Return the last word on each scope and target. One query, of a minor two.

    With `targets`, only what is for one of them.
    """
    require_scope(user=user_id)
    rows = ConsentGrant.objects.filter(global_user_id=user_id)
    if targets is not None:
        rows = rows.filter(target_id__in=targets)
    known = list(rows.select_related(*_TOLD).order_by("scope", "id")[:MAX_GRANTS])
    barred = _list_barred(known)
    return [
        GrantView(
            id=row.pk,
            scope=row.scope,
            target_kind=row.target_kind,
            target_id=row.target_id,
            state=state_of(row, now=now, is_barred=row.pk in barred),
            text=_to_text(row.policy_version),
            granted_at=row.granted_at,
            expires_at=row.expires_at,
            ended_at=row.ended_at,
        )
        for row in known
    ]


def find_state(event: ConsentEvent, *, now: datetime) -> str | None:
    """Return the last word on the scope and target of an event; see `GrantView`.

    None when a wider word stands against it. One query, of a minor two.
    """
    require_scope(user=event.global_user_id)
    rows = ConsentGrant.objects.filter(
        global_user_id=event.global_user_id,
        scope=event.scope,
        target_kind=event.target_kind,
        target_id=event.target_id,
    )
    row = rows.select_related(*_TOLD).first()
    if row is None:
        return None
    return state_of(row, now=now, is_barred=bool(_list_barred([row])))


def _list_barred(rows: Sequence[ConsentGrant]) -> frozenset[UUID]:
    """Return the grants that a user of this age, as it is known now, could not give.

    One query for a minor, else none.
    """
    band = rows[0].global_user.age_band if rows else AgeBand.ADULT
    unknown_is_minor = settings.MINORS_UNKNOWN_COUNT_AS_MINOR
    if not policies.is_minor(band, unknown_is_minor=unknown_is_minor):
        return frozenset()
    scopes = list_scopes()
    classes = {code: known.data_class for code, known in scopes.items()}
    return frozenset(
        row.pk
        for row in rows
        if policies.find_grant_fault(
            scope=row.scope,
            surface=row.last_event.surface,
            age_band=band,
            unknown_is_minor=unknown_is_minor,
            data_class=classes.get(row.scope, ""),
        )
    )


def state_of(row: ConsentGrant, *, now: datetime, is_barred: bool) -> str:
    """Return what a grant amounts to at a moment; see `GrantView`. No query.

    One that `is_barred` by the user's age denies like one that needs renewal.
    """
    if row.status == GrantStatus.WITHDRAWN:
        is_refusal = row.last_event.action == ConsentAction.REFUSE
        return REFUSED if is_refusal else str(row.status)
    if row.status == GrantStatus.EXPIRED:
        return str(row.status)
    if row.expires_at is not None and row.expires_at <= now:
        return GrantStatus.EXPIRED.value
    assert row.policy_version is not None
    if is_barred or not is_in_force(row.policy_version, now=now):
        return NEEDS_RENEWAL
    return GrantStatus.GRANTED.value


def list_events(
    user_id: UUID,
    *,
    after: Position | None = None,
    limit: int,
    targets: Collection[UUID] | None = None,
) -> list[EventView]:
    """Return the ledger, the newest entry first, from after a position on. One query."""
    require_scope(user=user_id)
    rows = ConsentEvent.objects.filter(global_user_id=user_id)
    if targets is not None:
        rows = rows.filter(target_id__in=targets)
    if after is not None:
        at, last = after
        rows = rows.filter(Q(recorded_at__lt=at) | Q(recorded_at=at, id__lt=last))
    newest = rows.select_related("policy_version").order_by("-recorded_at", "-id")
    return [to_event_view(row) for row in newest[:limit]]


def to_event_view(row: ConsentEvent) -> EventView:
    """Return what callers see of an entry."""
    return EventView(
        id=row.pk,
        scope=row.scope,
        target_kind=row.target_kind,
        target_id=row.target_id,
        action=row.action,
        text=_to_text(row.policy_version),
        text_sha256=row.text_sha256,
        locale=row.locale,
        surface=row.surface,
        shown_at=row.shown_at,
        acted_at=row.acted_at,
        expires_at=row.expires_at,
        recorded_at=row.recorded_at,
        actor=row.actor,
        evidence_id=row.evidence_id,
    )


def _to_text(version: PolicyVersion | None) -> TextView | None:
    if version is None:
        return None
    return TextView(
        id=version.pk,
        document=version.document,
        number=version.number,
        locale=version.locale,
        title=version.title,
        sha256=version.sha256,
    )
