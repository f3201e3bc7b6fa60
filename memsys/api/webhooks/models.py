"""Tables of the webhooks: who listens to what, and what was sent to whom.

Local to the coordinator. They hold ids and codes: what is sent is written anew for each
attempt, from the outbox, which keeps it for seven days.

>>> WebhookEndpoint(url="https://chat.example/hooks", events=["hold.set"]).listens_to(
...     "hold.set")
True
"""

from typing import Any

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from memsys.kernel.privacy_class import FieldPrivacy
from memsys.kernel.sharding.ids import new_id


class DeliveryState(models.TextChoices):
    WAITING = "waiting", _("waiting")
    DONE = "done", _("done")
    DEAD = "dead", _("dead")


def _state_choices() -> list[tuple[str, Any]]:
    return list(DeliveryState.choices)


class WebhookEndpoint(models.Model):
    """Where a service hears of events. Without creators, of those of all creators.

    `seed` is not the secret, but what it is derived from; see `signing`.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    url = models.CharField(max_length=500)
    events = models.JSONField(default=list)
    creators = models.JSONField(default=list)
    seed = models.BinaryField()
    previous_seed = models.BinaryField(null=True)
    previous_until = models.DateTimeField(null=True)
    made_by = models.CharField(max_length=100)
    created_at = models.DateTimeField(db_default=Now())

    class Privacy(FieldPrivacy):
        sensitive = ("seed", "previous_seed")
        technical = (
            "id", "url", "events", "creators", "previous_until", "made_by",
            "created_at",
        )  # fmt: skip

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(previous_seed=None, previous_until=None)
                | models.Q(previous_seed__isnull=False, previous_until__isnull=False),
                name="webhook_endpoint_previous",
            ),
        ]

    def __str__(self) -> str:
        return str(self.pk)

    def listens_to(self, name: str) -> bool:
        return name in self.events


class WebhookDelivery(models.Model):
    """One event on its way to one endpoint.

    `next_at` is when it is tried next. Whoever tries moves it ahead first, so that a
    try that died is made again.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    endpoint = models.ForeignKey(
        WebhookEndpoint, models.CASCADE, related_name="deliveries"
    )
    event = models.UUIDField()
    event_name = models.CharField(max_length=40)
    state = models.CharField(
        max_length=10, choices=_state_choices, default=DeliveryState.WAITING
    )
    attempts = models.SmallIntegerField(default=0)
    next_at = models.DateTimeField(null=True)
    status_code = models.SmallIntegerField(null=True)
    error_code = models.CharField(max_length=30, blank=True)
    created_at = models.DateTimeField(db_default=Now())
    ended_at = models.DateTimeField(null=True)

    class Privacy(FieldPrivacy):
        technical = (
            "id", "endpoint", "event", "event_name", "state", "attempts", "next_at",
            "status_code", "error_code", "created_at", "ended_at",
        )  # fmt: skip

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["endpoint", "event"], name="webhook_delivery_once"
            ),
            models.CheckConstraint(
                condition=models.Q(
                    state="waiting", next_at__isnull=False, ended_at=None
                )
                | (
                    ~models.Q(state="waiting")
                    & models.Q(next_at=None, ended_at__isnull=False)
                ),
                name="webhook_delivery_ends",
            ),
        ]
        indexes = [
            models.Index(
                fields=["next_at"],
                condition=models.Q(state="waiting"),
                name="webhook_delivery_due",
            ),
            models.Index(
                fields=["created_at"],
                condition=models.Q(state="dead"),
                name="webhook_delivery_dead",
            ),
            models.Index(
                fields=["endpoint", "created_at", "id"], name="webhook_delivery_line"
            ),
            models.Index(fields=["created_at"], name="webhook_delivery_age"),
        ]

    def __str__(self) -> str:
        return str(self.pk)
