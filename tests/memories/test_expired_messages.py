"""Messages whose words are kept no longer: what is still known of them."""

from datetime import timedelta

import pytest
from django.utils import timezone

from identity.scopes import service_scope
from identity.types import RelationshipRef
from memories.erasure import erase_lineage
from memories.intake import IncomingMessage, Receipt, filter_messages, receive
from memories.locks import lock_memories
from memories.models import (
    ChatSession,
    Memory,
    Message,
    MessageFingerprint,
    ModelAnswer,
)
from tests.factories.api import CountedQueries
from tests.factories.content import make_row
from tests.factories.erasing import ask, left, of, run
from tests.factories.memories import content_of
from tests.factories.retention import (
    make_aged,
    sleep,
    texts_of,
)

pytestmark = pytest.mark.django_db

WORDS = "喜欢喝花生露"
GONE = "[已过期]"


def post(
    ann: RelationshipRef,
    text: str = WORDS,
    *,
    like: Message,
    seconds: float = 0,
    author: str = "user",
    external_id: str | None = None,
) -> Receipt:
    """Post a message as old as another one, or so many seconds younger."""
    sent_at = like.sent_at + timedelta(seconds=seconds)
    message = IncomingMessage(author, text, sent_at, external_id)
    with service_scope(ann):
        (receipt,) = receive(ann, filter_messages([message]), now=timezone.now())
    return receipt


def make_expired(external_id: str | None = None) -> tuple[RelationshipRef, Message]:
    """Make a relationship one message of which has lost its words."""
    ann = make_aged(days=31)
    with content_of(ann):
        message = Message.objects.get(relationship_id=ann.id)
        Message.objects.filter(pk=message.pk).update(external_id=external_id)
    sleep(ann)
    assert texts_of(ann) == [GONE]
    return ann, message


def test_a_retry_with_the_callers_id_is_known_for_ever() -> None:
    ann, message = make_expired(external_id="m-1")

    receipt = post(ann, like=message, external_id="m-1", seconds=3600)

    assert (receipt.outcome, receipt.message_id) == ("duplicate", message.pk)
    assert texts_of(ann) == [GONE]


def test_the_same_message_sent_again_without_an_id_is_known() -> None:
    ann, message = make_expired()

    receipt = post(ann, like=message)

    assert (receipt.outcome, receipt.message_id) == ("duplicate", message.pk)


@pytest.mark.parametrize(
    ("known", "told"),
    [
        (None, {"seconds": 1}),
        (None, {"author": "creator"}),
        ("m-1", {"external_id": "m-2"}),
    ],
    ids=["another-moment", "another-author", "another-id"],
)
def test_what_differs_is_another_message(
    known: str | None, told: dict[str, object]
) -> None:
    ann, message = make_expired(external_id=known)

    assert post(ann, like=message, **told).outcome == "stored"


def test_its_fingerprint_and_the_models_answer_go_with_the_words() -> None:
    ann = make_aged(days=31)
    with content_of(ann):
        message = Message.objects.get(relationship_id=ann.id)
        make_row(MessageFingerprint, ann, message_id=message.pk)
        session = ChatSession.objects.get(pk=message.session_id)
        answer = make_row(ModelAnswer, ann, session_id=session.pk, text=WORDS)

    sleep(ann)

    with content_of(ann):
        assert not MessageFingerprint.objects.filter(message_id=message.pk).exists()
        assert ModelAnswer.objects.get(pk=answer.pk).text == ""
        assert Message.objects.get(pk=message.pk).no_extract


def test_live_traffic_asks_nothing_more() -> None:
    ann, message = make_expired()
    with CountedQueries() as old:
        post(ann, "今天好累", like=message, seconds=10)
    now = Message(sent_at=timezone.now())
    with CountedQueries() as live:
        post(ann, "晚安", like=now)

    def asks(counted: CountedQueries) -> bool:
        return any(GONE in one for one in counted.statements)

    assert (asks(old), asks(live)) == (True, False)


def test_the_timeline_still_tells_from_which_message_a_memory_is() -> None:
    ann, message = make_expired()

    with content_of(ann):
        (told,) = Memory.objects.of(ann.id)

    assert told.evidence == [message.pk]
    assert told.evidence_at == [message.sent_at]


def test_erasing_takes_the_shells_too() -> None:
    """Acceptance row 15."""
    ann, _message = make_expired()

    run(ask(of(ann)))

    assert left(ann) == (0, 0)


def test_a_memory_can_be_erased_after_its_words_are_gone() -> None:
    """Acceptance row 19."""
    ann, message = make_expired()
    with content_of(ann):
        (memory,) = Memory.objects.of(ann.id)
        lock_memories(ann.id, now=timezone.now())
        erase_lineage(ann, memory.lineage, now=timezone.now())

    assert left(ann) == (0, 1)
    assert texts_of(ann) == ["[已删除]"]
