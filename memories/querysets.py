"""Filters over sessions and memories, chainable.

>>> Memory.objects.of(relationship_id).known(at=now).valid(at=now)  # doctest: +SKIP
"""

from collections.abc import Collection
from datetime import datetime
from typing import TYPE_CHECKING, Any, Self
from uuid import UUID

from django.apps import apps
from django.db.models import Max, OuterRef, Q, Subquery, Sum
from django.db.models.functions import Coalesce

from memories.types import SessionStatus, Visibility
from memsys.kernel.sharding.query import ShardQuerySet

if TYPE_CHECKING:
    from memories.models import ChatSession, Memory  # noqa: F401 - named in the bases


class ChatSessionQuerySet(ShardQuerySet["ChatSession"]):
    """Sessions, and the queue that they are."""

    def of(self, relationship_id: UUID) -> Self:
        """Keep the sessions of one relationship."""
        return self.filter(relationship_id=relationship_id)

    def open(self) -> Self:
        """Keep those that still take messages."""
        return self.filter(status=SessionStatus.OPEN)

    def idle_since(self, moment: datetime) -> Self:
        """Keep open ones that received nothing at or after `moment`."""
        return self.open().filter(last_received_at__lt=moment)

    def waiting(self, *, now: datetime) -> Self:
        """Keep pending ones that no worker has leased at `now`."""
        return self.filter(status=SessionStatus.PENDING).filter(
            Q(lease_until=None) | Q(lease_until__lt=now)
        )

    def with_cost(self) -> Self:
        """Add `model_cost_micros`: what the calls of the model for each have cost."""
        calls: ShardQuerySet[Any] = ShardQuerySet(
            apps.get_model("memories", "ModelAttempt")
        )
        of_session = calls.filter(session_id=OuterRef("pk"), shard=OuterRef("shard"))
        spent = (
            of_session.order_by()
            .values("session_id")
            .annotate(sum=Sum("cost_micros"))
            .values("sum")
        )
        return self.annotate(model_cost_micros=Coalesce(Subquery(spent), 0))

    def find_last_sent(self) -> datetime | None:
        """Return when the newest message of these sessions was sent. One query."""
        last: datetime | None = self.aggregate(last=Max("last_message_at"))["last"]
        return last


class MemoryQuerySet(ShardQuerySet["Memory"]):
    """Memory versions by time: what was true, and what was known."""

    def of(self, relationship_id: UUID) -> Self:
        """Keep the memories of one relationship."""
        return self.filter(relationship_id=relationship_id)

    def current(self) -> Self:
        """Keep the version of each memory that is known now."""
        return self.filter(recorded_to=None)

    def known(self, *, at: datetime) -> Self:
        """Keep the version of each memory that was known at a moment."""
        return self.filter(recorded_at__lte=at).filter(
            Q(recorded_to=None) | Q(recorded_to__gt=at)
        )

    def valid(self, *, at: datetime) -> Self:
        """Keep what was true at a moment; the end of a period is exclusive."""
        return self.filter(valid_from__lte=at).filter(
            Q(valid_to=None) | Q(valid_to__gt=at)
        )

    def seen_with(
        self, *, visibilities: Collection[str], categories: Collection[str]
    ) -> Self:
        """Keep what may be seen; what is sensitive only in granted categories."""
        is_plain = Q(visibility__in=visibilities, sensitive_category="")
        is_granted = Q(
            visibility__in=[*visibilities, Visibility.SENSITIVE],
            sensitive_category__in=categories,
        )
        return self.filter(is_plain | is_granted)

    def find_last_recorded(self) -> datetime | None:
        """Return when the newest of these versions was recorded. One query."""
        last: datetime | None = self.aggregate(last=Max("recorded_at"))["last"]
        return last
