"""Legal holds: what must neither be erased nor expire.

Owns placing one, which a single person can do and which works at once; having it
lifted, which takes two; and the question which holds keep something. The question is
asked through `consent.gate`.

A hold and an erasure of the same user wait for each other: `place` waits until the
erasing transactions that run have ended, and those that begin later see the hold.

>>> hold = place(user_id, reason_code="court-order", case_ref="2026-114",
...              by="staff:3", now=now)  # doctest: +SKIP
>>> propose_lifting(hold.pk, reason="…", by=3, now=now)  # doctest: +SKIP
"""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext_lazy as _

from consent import approvals, ledger
from consent.errors import ChangeFailed, HeldByLaw, HoldNotFound, InvalidChange
from consent.models import ChangeRequest, ErasureRun, LegalHold
from consent.types import ErasureState
from identity.errors import RelationshipNotFound
from identity.models import GlobalUser, Relationship
from identity.retention import bring_retention_forward
from memsys.kernel.audit.chain import Deed, deed_chain, record
from memsys.kernel.outbox import emit
from memsys.kernel.pages.codes import words_of
from memsys.kernel.scope import find_scope
from memsys.kernel.scope.errors import ScopeConflict
from memsys.kernel.text.clean import check_identifier

MAX_CODE = 60
MAX_CASE_REF = 100
HOLDS = 2  # of the advisory locks; `memories.locks` has 0 and 1
LOCK = "SELECT pg_advisory_xact_lock(hashtextextended(%s, %s))"
LOCK_SHARED = "SELECT pg_advisory_xact_lock_shared(hashtextextended(%s, %s))"


def place(
    user_id: UUID,
    *,
    relationship_id: UUID | None = None,
    memory_id: UUID | None = None,
    reason_code: str,
    case_ref: str,
    by: str,
    now: datetime,
) -> LegalHold:
    """Keep all of a user, one relationship of theirs, or one memory of it.

    It works at once. Waits for erasures of this user that are being committed.

    Raises:
        HoldNotFound: there is no such user.
        RelationshipNotFound: the relationship is not one of theirs.
        InvalidIdentifier: the reason's code or the case's reference is none.
        ValueError: a memory without its relationship.
    """
    if memory_id is not None and relationship_id is None:
        raise ValueError("A memory is held in its relationship.")
    check_identifier(reason_code, field="reason_code", max_length=MAX_CODE)
    check_identifier(case_ref, field="case_ref", max_length=MAX_CASE_REF)
    _check_target(user_id, relationship_id)
    with transaction.atomic():
        _lock(user_id, is_shared=False)
        hold = LegalHold.objects.create(
            global_user_id=user_id,
            relationship_id=relationship_id,
            memory=memory_id,
            reason_code=reason_code,
            case_ref=case_ref,
            placed_by=by,
            placed_at=now,
        )
        ledger.append_hold(hold, ledger.HOLD_PLACED, by=by, at=now)
        _tell(hold, is_active=True)
        _record(hold, "hold.placed", by=by, details={"case_ref": case_ref})
    return hold


def propose_lifting(
    hold_id: UUID, *, reason: str, by: int, now: datetime
) -> ChangeRequest:
    """Ask for a hold to be lifted; another person decides.

    Raises:
        HoldNotFound: there is no such hold, or it was lifted.
        InvalidChange: no reason was given.
    """
    if not LegalHold.objects.filter(pk=hold_id, lifted_at=None).exists():
        raise HoldNotFound("There is no such hold.")
    return approvals.propose(
        HoldLift.code,
        {"hold": str(hold_id)},
        object_ref=f"hold:{hold_id}",
        reason=reason,
        by=by,
        now=now,
    )


def list_active(user_id: UUID) -> QuerySet[LegalHold]:
    """Return the holds of a user that were not lifted, the oldest first."""
    rows = LegalHold.objects.filter(global_user_id=user_id, lifted_at=None)
    return rows.order_by("placed_at", "id")


def list_keeping(
    user_id: UUID, *, relationship_id: UUID | None, memory_id: UUID | None
) -> list[UUID]:
    """Return the holds that keep what is to be erased, or a part of it. Two statements.

    Until the transaction ends no other hold is placed on this user: what is erased in
    it was held by nothing. Outside of a transaction the answer is of this moment.
    """
    _lock(user_id, is_shared=True)
    wider = Q(relationship=None)
    if relationship_id is None:
        wider = Q()
    elif memory_id is None:
        wider |= Q(relationship_id=relationship_id)
    else:
        of_it = Q(relationship_id=relationship_id)
        wider |= of_it & (Q(memory=None) | Q(memory=memory_id))
    return list(list_active(user_id).filter(wider).values_list("id", flat=True))


def list_held_memories(user_id: UUID, relationship_id: UUID) -> dict[UUID, UUID]:
    """Return the memories of a relationship that are held one by one, with their hold.

    One query, after `list_keeping`.
    """
    rows = list_active(user_id).filter(
        relationship_id=relationship_id, memory__isnull=False
    )
    return {row.memory: row.pk for row in rows if row.memory is not None}


def name_target(
    user_id: UUID, relationship_id: UUID | None, memory_id: UUID | None
) -> str:
    """Return how the audit names what is held, or was to be erased."""
    if memory_id is not None:
        return f"memory:{memory_id}"
    if relationship_id is not None:
        return f"relationship:{relationship_id}"
    return f"user:{user_id}"


def note_refusal(refused: HeldByLaw, *, by: str) -> None:
    """Record that an erasure was refused, after its transaction was rolled back.

    Raises:
        ScopeConflict: a scope is open, with which the record would be lost.
    """
    if find_scope() is not None:
        raise ScopeConflict("The refused deed is not over yet.")
    with transaction.atomic():
        record(
            Deed(
                chain=deed_chain(refused.user_id),
                action="erasure.refused",
                actor=by,
                object_ref=refused.object_ref,
                reason_code=refused.code,
                subject=refused.user_id,
                details={"holds": [str(hold) for hold in refused.holds]},
            )
        )


class HoldLift:
    """Lifting a hold, as a change that takes two persons.

    What the hold kept from being erased or expiring is taken up again by itself.
    """

    code = "hold_lift"
    label = _("Lifting of a legal hold")

    def check(self, payload: approvals.Payload) -> None:
        """Refuse what names no hold.

        Raises:
            InvalidChange: it names none, or more than that.
        """
        try:
            UUID(payload["hold"])
        except (KeyError, TypeError, ValueError, AttributeError) as exc:
            raise InvalidChange("hold", "the id of a hold") from exc
        if set(payload) != {"hold"}:
            raise InvalidChange("payload", "the id of a hold alone")

    def describe(self, payload: approvals.Payload) -> list[tuple[Any, Any]]:
        """Return what the hold keeps, why, and how many erasures wait for its end."""
        hold = LegalHold.objects.filter(pk=UUID(payload["hold"])).first()
        if hold is None:
            return [(_("Hold"), payload["hold"])]
        waiting = _blocked(hold.global_user_id).count()
        return [
            (_("Hold"), str(hold.pk)),
            (_("Keeps"), _keeps(hold)),
            (_("Reason"), words_of("reason_code", hold.reason_code)),
            (_("Case"), hold.case_ref),
            (_("Placed"), hold.placed_at),
            (_("Erasures of this user that wait"), waiting),
        ]

    def carry_out(
        self, payload: approvals.Payload, *, request: ChangeRequest, now: datetime
    ) -> dict[str, Any]:
        """Lift the hold and let the erasures that it blocked try again.

        Raises:
            ChangeFailed: the hold is gone, or was lifted before.
        """
        rows = LegalHold.objects.select_for_update()
        hold = rows.filter(pk=UUID(payload["hold"]), lifted_at=None).first()
        if hold is None:
            raise ChangeFailed("hold-not-active")
        hold.lifted_by, hold.lifted_at = f"staff:{request.decided_by}", now
        hold.change_request = request.pk
        hold.save(update_fields=["lifted_by", "lifted_at", "change_request"])
        # The sweep of erasures takes up what is due, and asks about holds again.
        resumed = _blocked(hold.global_user_id).update(run_from=now)
        bring_retention_forward(hold.global_user_id, at=now)
        _tell(hold, is_active=False)
        _record(hold, "hold.lifted", by=hold.lifted_by, details={})
        # Apart and after the commit: a line alone must lift nothing.
        transaction.on_commit(lambda: _note_lifted(hold, at=now), robust=True)
        return {"hold": str(hold.pk), "resumed": resumed}


def _blocked(user_id: UUID) -> QuerySet[ErasureRun]:
    return ErasureRun.objects.filter(global_user_id=user_id, state=ErasureState.BLOCKED)


def _check_target(user_id: UUID, relationship_id: UUID | None) -> None:
    if not GlobalUser.objects.filter(pk=user_id).exists():
        raise HoldNotFound("There is no such user.")
    of_user = Relationship.objects.of_user(user_id)
    if relationship_id is not None and not of_user.filter(pk=relationship_id).exists():
        raise RelationshipNotFound("There is no such relationship of this user.")


def _lock(user_id: UUID, *, is_shared: bool) -> None:
    """Let erasures of a user run side by side, but none beside a hold's placing."""
    with connection.cursor() as cursor:
        cursor.execute(LOCK_SHARED if is_shared else LOCK, [str(user_id), HOLDS])


def _keeps(hold: LegalHold) -> str:
    return name_target(hold.global_user_id, hold.relationship_id, hold.memory)


def _note_lifted(hold: LegalHold, *, at: datetime) -> None:
    with transaction.atomic():
        ledger.append_hold(hold, ledger.HOLD_LIFTED, by=hold.lifted_by, at=at)


def _tell(hold: LegalHold, *, is_active: bool) -> None:
    """Let others hear of a hold: ids and codes."""
    emit(
        "hold.set",
        user_id=hold.global_user_id,
        relationship_id=hold.relationship_id,
        data={
            "hold": str(hold.pk),
            "memory": str(hold.memory) if hold.memory is not None else None,
            "reason_code": hold.reason_code,
            "is_active": is_active,
        },
    )


def _record(hold: LegalHold, action: str, *, by: str, details: dict[str, Any]) -> None:
    record(
        Deed(
            chain=deed_chain(hold.global_user_id),
            action=action,
            actor=by,
            object_ref=f"hold:{hold.pk}",
            reason_code=hold.reason_code,
            subject=hold.global_user_id,
            details=details | {"keeps": _keeps(hold)},
        )
    )
