"""The outbox: what happened waits in a row, whatever the broker does."""

import socket
from collections.abc import Iterator
from contextlib import closing

import pytest
from celery import current_app
from django.db import transaction
from django.utils import timezone

from identity.types import RelationshipRef
from memsys.api.models import WebhookDelivery
from memsys.api.tasks import spread_events
from memsys.api.webhooks.models import DeliveryState
from memsys.kernel.audit.errors import AuditOutsideTransaction
from memsys.kernel.jobs import PRIORITY
from memsys.kernel.outbox import OutboxEvent, emit
from memsys.kernel.valkey import get_valkey
from tests.factories.identity import make_relationship
from tests.factories.webhooks import make_endpoint

QUEUE = f"celery\x06\x16{PRIORITY}"

pytestmark = pytest.mark.usefixtures("real_commits")


@pytest.fixture
def no_broker() -> Iterator[None]:
    """Let nobody answer where the broker was."""
    known = current_app.conf.broker_url
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    current_app.conf.broker_url = f"redis://127.0.0.1:{port}/0"
    yield
    current_app.conf.broker_url = known


def queued() -> int:
    return int(get_valkey().llen(QUEUE))


def happen(ann: RelationshipRef) -> None:
    emit("hold.set", user_id=ann.user_id, relationship_id=ann.id)


def test_it_asks_for_the_spreading_once_after_the_commit() -> None:
    """Acceptance row C27."""
    ann, before = make_relationship(), queued()

    with transaction.atomic():
        happen(ann)
        happen(ann)
        inside = queued()

    assert (inside, queued()) == (before, before + 1)


def test_nothing_of_what_is_rolled_back_is_kept_or_asked_for() -> None:
    """Acceptance row C27."""
    ann, before = make_relationship(), queued()

    with transaction.atomic():
        happen(ann)
        transaction.set_rollback(True)

    assert queued() == before
    assert not OutboxEvent.objects.filter(user_id=ann.user_id).exists()


def test_while_the_broker_is_down_the_row_waits_for_the_sweep(
    no_broker: None,
) -> None:
    """Acceptance row C27: the deed succeeds, and its event is told later."""
    ann = make_relationship()
    endpoint = make_endpoint("https://hooks.test/")
    with transaction.atomic():
        happen(ann)
    event = OutboxEvent.objects.get(user_id=ann.user_id)

    try:
        spread_events()
        (delivery,) = WebhookDelivery.objects.filter(event=event.pk)
        state = delivery.state
    finally:
        WebhookDelivery.objects.filter(endpoint=endpoint).delete()
        endpoint.delete()

    event.refresh_from_db()
    assert event.spread_at is not None
    assert event.spread_at <= timezone.now()
    assert state == DeliveryState.WAITING


def test_without_a_transaction_there_is_no_deed_that_it_could_belong_to() -> None:
    with pytest.raises(AuditOutsideTransaction):
        happen(make_relationship())


def test_it_takes_no_name_that_nobody_listens_to() -> None:
    ann = make_relationship()

    with pytest.raises(ValueError, match="no event"), transaction.atomic():
        emit("hold.unknown", user_id=ann.user_id)
