"""What outsiders must hear of, kept until it is delivered.

Owns the rows, written in the transaction of the deed, so that what is rolled back is
never told and what is committed never lost. Who hears of it, and how, is the API's.

>>> emit("custody.moved", user_id=user_id, relationship_id=relationship_id)
... # doctest: +SKIP
"""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db import connection, models, transaction
from django.db.models.functions import Now

from memsys.kernel.audit.errors import AuditOutsideTransaction
from memsys.kernel.jobs import send_job
from memsys.kernel.privacy_class import FieldPrivacy
from memsys.kernel.sharding.ids import new_id

EVENTS = (
    "consent.changed", "erasure.done", "custody.moved", "hold.set",
    "relationship.inactive",
)  # fmt: skip
SPREAD_EVENTS = "api.spread_events"
SPREAD_EXPIRES_SECONDS = 30


class OutboxEvent(models.Model):
    """One thing that happened: ids and codes only."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    name = models.CharField(max_length=40)
    user_id = models.UUIDField()
    relationship_id = models.UUIDField(null=True)
    data = models.JSONField(default=dict)
    happened_at = models.DateTimeField(db_default=Now())
    spread_at = models.DateTimeField(null=True)

    class Privacy(FieldPrivacy):
        identifying = ("user_id",)
        technical = (
            "id", "name", "relationship_id", "data", "happened_at", "spread_at",
        )  # fmt: skip

    class Meta:
        indexes = [
            models.Index(
                fields=["id"],
                condition=models.Q(spread_at=None),
                name="outbox_event_waiting",
            ),
        ]

    def __str__(self) -> str:
        return str(self.pk)


def emit(
    name: str,
    *,
    user_id: UUID,
    relationship_id: UUID | None = None,
    data: Mapping[str, Any] | None = None,
) -> None:
    """Keep an event in the transaction of its deed. One statement.

    Once that commits, whoever spreads events is asked to.

    Raises:
        AuditOutsideTransaction: no transaction is open.
        ValueError: there is no event of this name.
    """
    if name not in EVENTS:
        raise ValueError("There is no event of this name.")
    if not connection.in_atomic_block:
        raise AuditOutsideTransaction("An event is kept in its deed's transaction.")
    OutboxEvent.objects.create(
        name=name,
        user_id=user_id,
        relationship_id=relationship_id,
        data=dict(data or {}),
    )
    # Once a transaction: with the broker away each request would wait a second.
    asked = [one[1] for one in connection.run_on_commit]
    if _ask_for_spreading not in asked:
        transaction.on_commit(_ask_for_spreading, robust=True)


def _ask_for_spreading() -> None:
    """Have it told at once; a sweep tells what a lost broker forgot."""
    send_job(SPREAD_EVENTS, expires_seconds=SPREAD_EXPIRES_SECONDS)
