"""What outsiders hear of: each event is kept with its deed, or lost with it."""

from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest
from django.db import transaction
from django.utils import timezone

from consent import erasures
from consent.erasures import Target
from identity.custody import move_custody
from identity.resolution import get_relationship
from identity.scopes import service_scope
from identity.types import RelationshipRef
from memsys.kernel.outbox import OutboxEvent
from memsys.kernel.scope import Purpose, access_scope
from tests.factories.consents import give, take_back
from tests.factories.erasing import ask, make_filled, run
from tests.factories.holds import lift, make_hold

pytestmark = pytest.mark.django_db


def give_and_take_back(ann: RelationshipRef) -> None:
    give(ann, "sensitive:mental_health")
    take_back(ann, "sensitive:mental_health")


def erase_at_once(ann: RelationshipRef) -> None:
    fresh = get_relationship(ann.id)
    with service_scope(fresh):
        erasures.erase_now(
            Target(ann.user_id, ann.id), by="service:x", reason_code="test",
            now=timezone.now(),
        )  # fmt: skip


def place_and_lift(ann: RelationshipRef) -> None:
    lift(make_hold(ann.user_id))


def move(ann: RelationshipRef) -> None:
    move_custody(
        ann.id, to="proxy_pool", by="service:x", reason_code="test",
        now=timezone.now(),
    )  # fmt: skip


def open_user(ann: RelationshipRef) -> AbstractContextManager[object]:
    return access_scope(Purpose.SERVICE, user=ann.user_id)


def open_both(ann: RelationshipRef) -> AbstractContextManager[object]:
    return service_scope(get_relationship(ann.id))


def open_any(ann: RelationshipRef) -> AbstractContextManager[object]:
    return transaction.atomic()


Deed = Callable[[RelationshipRef], object]
Opening = Callable[[RelationshipRef], AbstractContextManager[object]]
DEEDS: dict[str, tuple[Deed, Opening, str, int]] = {
    "a grant and its end": (give_and_take_back, open_user, "consent.changed", 2),
    "an erasure": (erase_at_once, open_both, "erasure.done", 1),
    "a hold and its end": (place_and_lift, open_any, "hold.set", 2),
    "a move": (move, open_any, "custody.moved", 1),
}
each_deed = pytest.mark.parametrize("name", DEEDS)


class Fails(Exception):
    """What comes after the deed fails, and its transaction with it."""


def do_and_fail(deed: Deed, opening: Opening, ann: RelationshipRef) -> None:
    with opening(ann):
        deed(ann)
        raise Fails


def told_of(ann: RelationshipRef, event: str) -> int:
    return OutboxEvent.objects.filter(user_id=ann.user_id, name=event).count()


@each_deed
def test_it_is_kept_with_its_deed(name: str) -> None:
    """Acceptance row C27: a broker that is down loses nothing."""
    deed, opening, event, count = DEEDS[name]
    ann = make_filled()

    with opening(ann):
        deed(ann)

    assert told_of(ann, event) == count
    waiting = OutboxEvent.objects.filter(user_id=ann.user_id, spread_at=None)
    assert waiting.count() == OutboxEvent.objects.filter(user_id=ann.user_id).count()


@each_deed
def test_it_is_lost_with_its_deed(name: str) -> None:
    """Acceptance row C27: what was rolled back is told to nobody."""
    deed, opening, event, _ = DEEDS[name]
    ann = make_filled()

    with pytest.raises(Fails):
        do_and_fail(deed, opening, ann)

    assert told_of(ann, event) == 0


def test_an_erasure_by_a_job_is_told_once_it_is_done() -> None:
    ann = make_filled()
    wish = ask(Target(ann.user_id))
    before = told_of(ann, "erasure.done")

    run(wish)

    assert (before, told_of(ann, "erasure.done")) == (0, 1)
