"""The calls of the model for one session: begun, answered or failed.

Owns the rows that prove how often a session was asked about. An attempt is committed
before its call; the answer, on receipt, in a transaction of its own. One that is found
under way by a new claim was lost with its worker, and may be tried once more.

>>> review(relationship, held, now=now)  # doctest: +SKIP
Standing(answer=None, number=0, unusable=0, lost=0)
"""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.conf import settings

from identity.scopes import job_scope
from identity.types import RelationshipRef
from memories import claims
from memories.claims import Claim
from memories.errors import LeaseLost, ModelAnswerUnusable, ModelUnreachable
from memories.language_model.client import Reply
from memories.models import ModelAnswer, ModelAttempt
from memories.types import AttemptStatus


@dataclass(frozen=True)
class Standing:
    """Where a session stands with the model.

    `answer` is the stored answer, empty once its words were erased, None when there is
    none. `number` is that of the last attempt; `unusable` and `lost` count them.
    """

    answer: str | None
    number: int
    unusable: int
    lost: int


@dataclass(frozen=True)
class Tokens:
    """What one call took."""

    asked: int = 0
    answered: int = 0

    @property
    def cost_micros(self) -> int:
        """The cost in millionths of the currency of the prices."""
        # Prices are for a million tokens: the millions cancel out.
        asked = settings.LLM_PRICE_INPUT * self.asked
        return round(asked + settings.LLM_PRICE_OUTPUT * self.answered)


def review(relationship: RelationshipRef, held: Claim, *, now: datetime) -> Standing:
    """Return what came of the calls so far; those under way are given up as lost."""
    rows = ModelAttempt.objects.filter(session_id=held.session_id)
    # Whoever made it had the session before, and its lease is over.
    rows.filter(status=AttemptStatus.SENT).update(
        status=AttemptStatus.UNKNOWN, finished_at=now, error_code="worker-lost"
    )
    found = list(rows.values_list("number", "status"))
    counted = Counter(status for _, status in found)
    return Standing(
        answer=_find_answer(relationship, held.session_id),
        number=max((number for number, _ in found), default=0),
        unusable=counted[AttemptStatus.UNUSABLE],
        lost=counted[AttemptStatus.UNKNOWN],
    )


def _find_answer(relationship: RelationshipRef, session_id: UUID) -> str | None:
    with job_scope(relationship):
        rows = ModelAnswer.objects.filter(
            relationship_id=relationship.id, session_id=session_id
        )
        return rows.values_list("text", flat=True).first()


def begin(
    relationship: RelationshipRef, held: Claim, *, number: int, now: datetime
) -> UUID:
    """Commit that a call is about to be made; return the attempt's id."""
    row = ModelAttempt.objects.create(
        global_user_id=relationship.user_id,
        relationship_id=relationship.id,
        session_id=held.session_id,
        number=number,
        sent_at=now,
        lease_until=held.lease_until,
        model=settings.LLM_MODEL,
        prompt_version=settings.LLM_PROMPT_VERSION,
    )
    attempt_id: UUID = row.pk
    return attempt_id


def record_answer(
    relationship: RelationshipRef,
    held: Claim,
    attempt_id: UUID,
    reply: Reply,
    *,
    now: datetime,
) -> None:
    """Store what the model answered; `reply.text` has passed the privacy filter.

    Raises:
        LeaseLost: another worker or an erasure took the session; nothing is stored.
    """
    tokens = Tokens(reply.input_tokens, reply.output_tokens)
    with job_scope(relationship):
        if claims.is_held(held):
            ModelAnswer.objects.create(
                global_user_id=relationship.user_id,
                relationship_id=relationship.id,
                session_id=held.session_id,
                text=reply.text,
                received_at=now,
            )
            _finish(attempt_id, AttemptStatus.ANSWERED, now=now, tokens=tokens)
            return
    _finish(
        attempt_id, AttemptStatus.UNKNOWN, now=now, tokens=tokens, code="session-lost"
    )
    raise LeaseLost("The session was taken while the model thought.")


def record_outage(attempt_id: UUID, error: ModelUnreachable, *, now: datetime) -> None:
    """Note that the model was not reached. One statement."""
    _finish(attempt_id, AttemptStatus.UNREACHABLE, now=now, code=error.code)


def record_unusable(
    attempt_id: UUID, error: ModelAnswerUnusable, *, now: datetime
) -> None:
    """Note that the answer was none; it may have cost something. One statement."""
    tokens = Tokens(error.input_tokens, error.output_tokens)
    _finish(attempt_id, AttemptStatus.UNUSABLE, now=now, tokens=tokens, code=error.code)


def _finish(
    attempt_id: UUID,
    status: AttemptStatus,
    *,
    now: datetime,
    tokens: Tokens = Tokens(),
    code: str = "",
) -> None:
    ModelAttempt.objects.filter(pk=attempt_id, status=AttemptStatus.SENT).update(
        status=status,
        finished_at=now,
        error_code=code[:60],
        input_tokens=tokens.asked,
        output_tokens=tokens.answered,
        cost_micros=tokens.cost_micros,
    )
