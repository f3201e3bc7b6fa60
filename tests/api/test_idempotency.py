"""Writes that are sent twice: the second one gets the first one's answer."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection, connections, transaction
from django.utils import timezone

from identity.types import RelationshipRef
from memories.models import Memory
from memsys.api.models import IdempotencyRecord
from tests.api.messages import read_texts
from tests.factories.api import Bot, make_bot, make_message_body
from tests.factories.identity import make_relationship, new_name
from tests.factories.memories import content_of, make_memory


def make_note(bot: Bot, relationship: RelationshipRef, text: str, key: str) -> object:
    path = f"/relationships/{relationship.id}/memories"
    return bot.post(path, {"text": text}, idempotency_key=key)


def count_notes(relationship: RelationshipRef) -> int:
    with content_of(relationship):
        return Memory.objects.of(relationship.id).count()


def read_audit(object_ref: str) -> list[str]:
    """Return the actions recorded for an object; the web role cannot read them."""
    with connections["maintenance"].cursor() as cursor:
        cursor.execute(
            "SELECT action FROM kernel_auditentry WHERE object_ref = %s ORDER BY seq",
            [object_ref],
        )
        return [action for (action,) in cursor.fetchall()]


def test_it_does_the_work_once_and_answers_twice(
    bot: Bot, ann: RelationshipRef
) -> None:
    first = make_note(bot, ann, "喜欢看海", "k-1")

    second = make_note(bot, ann, "喜欢看海", "k-1")

    assert (first.status_code, second.status_code) == (201, 201)
    assert first.json() == second.json()
    assert "Idempotency-Replayed" not in first.headers
    assert second.headers["Idempotency-Replayed"] == "true"
    assert count_notes(ann) == 1


def test_another_key_does_the_work_again(bot: Bot, ann: RelationshipRef) -> None:
    make_note(bot, ann, "喜欢看海", "k-1")

    second = make_note(bot, ann, "喜欢看海", "k-2")

    assert "Idempotency-Replayed" not in second.headers
    assert count_notes(ann) == 2


def test_a_key_belongs_to_the_service_that_used_it(
    bot: Bot, ann: RelationshipRef
) -> None:
    make_note(bot, ann, "喜欢看海", "k-1")

    second = make_note(make_bot(), ann, "喜欢看海", "k-1")

    assert "Idempotency-Replayed" not in second.headers


def test_it_refuses_a_key_for_another_body(bot: Bot, ann: RelationshipRef) -> None:
    make_note(bot, ann, "喜欢看海", "k-1")

    second = make_note(bot, ann, "喜欢看山", "k-1")

    assert second.status_code == 422
    assert second.json()["type"] == "urn:memsys:problem:idempotency-key-reused"
    assert count_notes(ann) == 1


def test_it_refuses_a_key_for_another_address(
    bot: Bot, ann: RelationshipRef, creator: str
) -> None:
    other = make_relationship(creator=creator)
    make_note(bot, ann, "喜欢看海", "k-1")

    second = make_note(bot, other, "喜欢看海", "k-1")

    assert second.status_code == 422
    assert count_notes(other) == 0


def test_a_refused_request_does_not_use_the_key_up(
    bot: Bot, ann: RelationshipRef
) -> None:
    make_note(bot, ann, "", "k-1")

    second = make_note(bot, ann, "喜欢看海", "k-1")

    assert second.status_code == 201


def test_a_key_is_free_again_after_a_day(bot: Bot, ann: RelationshipRef) -> None:
    make_note(bot, ann, "喜欢看海", "k-1")
    IdempotencyRecord.objects.filter(client=bot.key.prefix).update(
        created_at=timezone.now() - timedelta(hours=24, seconds=1)
    )

    second = make_note(bot, ann, "喜欢看山", "k-1")

    assert second.status_code == 201
    assert count_notes(ann) == 2


def test_a_key_is_kept_for_a_day(bot: Bot, ann: RelationshipRef) -> None:
    make_note(bot, ann, "喜欢看海", "k-1")
    IdempotencyRecord.objects.filter(client=bot.key.prefix).update(
        created_at=timezone.now() - timedelta(hours=23, minutes=59)
    )

    second = make_note(bot, ann, "喜欢看海", "k-1")

    assert second.headers["Idempotency-Replayed"] == "true"


def test_erasing_again_is_answered_as_the_first_time(
    bot: Bot, ann: RelationshipRef
) -> None:
    memory = make_memory(ann, "我对芒果过敏")
    path = f"/relationships/{ann.id}/memories/{memory.lineage}"
    first = bot.delete(path, idempotency_key="k-1")

    second = bot.delete(path, idempotency_key="k-1")

    assert first.json() == second.json()
    assert second.headers["Idempotency-Replayed"] == "true"
    assert bot.delete(path, idempotency_key="k-2").status_code == 404


def test_what_is_kept_holds_no_text(bot: Bot, ann: RelationshipRef) -> None:
    make_note(bot, ann, "暗号-7731", "k-1")
    body = {
        "relationship": str(ann.id),
        "messages": [make_message_body("暗号-7731", id="暗号-7731")],
    }
    bot.post("/messages", body, idempotency_key="k-2")

    kept = IdempotencyRecord.objects.filter(client=bot.key.prefix)

    assert kept.count() == 2
    assert not any("暗号" in str(vars(one)) for one in kept)


@pytest.mark.parametrize("key", ["", "a b", "x" * 201, "猫".encode().decode("latin-1")])
def test_it_refuses_a_key_that_is_none(
    bot: Bot, ann: RelationshipRef, key: str
) -> None:
    response = make_note(bot, ann, "喜欢看海", key)

    assert response.status_code == 400
    assert response.json()["errors"][0]["field"] == "Idempotency-Key"
    assert count_notes(ann) == 0


def test_a_repeat_leaves_no_trace_of_its_own(real_commits: None) -> None:
    bot, ann = make_bot(), make_relationship()
    memory = make_note(bot, ann, "喜欢看海", "k-1").json()
    path = f"/relationships/{ann.id}/memories/{memory['id']}"
    bot.put(path, {"text": "喜欢看山"}, idempotency_key="k-2")

    bot.put(path, {"text": "喜欢看山"}, idempotency_key="k-2")

    actions = read_audit(f"memory:{memory['id']}")
    assert actions == ["memory.noted", "memory.corrected"]
    assert count_notes(ann) == 2


def test_a_repeat_of_the_end_of_a_session_queues_no_job(
    bot: Bot, ann: RelationshipRef, django_capture_on_commit_callbacks: object
) -> None:
    body = {"relationship": str(ann.id)}
    bot.post("/messages", body | {"messages": [make_message_body()]})
    first = bot.post("/sessions/end", body, idempotency_key="k-1")
    bot.post("/messages", body | {"messages": [make_message_body("还有一句")]})

    with django_capture_on_commit_callbacks() as jobs:  # type: ignore[operator]
        second = bot.post("/sessions/end", body, idempotency_key="k-1")

    assert second.json() == first.json()
    assert jobs == []
    sessions = bot.get(f"/relationships/{ann.id}/sessions").json()["items"]
    assert [one["status"] for one in sessions] == ["open", "pending"]


def test_of_parallel_repeats_one_does_the_work(real_commits: None) -> None:
    bot, ann = make_bot(), make_relationship()
    start = threading.Barrier(8)

    def send(_: int) -> tuple[int, str, str]:
        try:
            start.wait()
            one = make_note(bot, ann, "喜欢看海", "k-1")
            replayed = one.headers.get("Idempotency-Replayed", "")
            return one.status_code, one.json()["id"], replayed
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(send, range(8)))

    assert {status for status, _, _ in answers} == {201}
    assert len({note for _, note, _ in answers}) == 1
    assert sorted(replayed for *_, replayed in answers) == [""] + ["true"] * 7
    assert count_notes(ann) == 1


def test_of_parallel_posts_with_one_key_one_stores(real_commits: None) -> None:
    bot, ann = make_bot(), make_relationship()
    messages = [make_message_body(f"第{n}句", id=f"m-{n}") for n in range(10)]
    body = {"relationship": str(ann.id), "messages": messages}

    def send(_: int) -> tuple[int, str]:
        try:
            response = bot.post("/messages", body, idempotency_key="k-1")
            return response.status_code, json.dumps(response.json(), sort_keys=True)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(16) as pool:
        answers = set(pool.map(send, range(16)))

    ((status, answer),) = answers
    assert status == 202
    assert json.loads(answer)["stored"] == 10
    assert len(read_texts(ann)) == 10


@pytest.mark.slow
def test_it_says_so_when_the_first_request_still_runs(real_commits: None) -> None:
    bot = make_bot()
    persona = {
        "creator": new_name("creator"),
        "key": "night",
        "display_name": "月影",
        "relationship_kind": "friend",
    }
    held, answered = threading.Event(), threading.Event()

    def hold() -> None:
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute(
                    "INSERT INTO api_idempotencyrecord"
                    " (client, key, request_digest, status_code, answer)"
                    " VALUES (%s, %s, '', 200, '{}')",
                    [bot.key.prefix, "k-1"],
                )
                held.set()
                answered.wait(timeout=20)
        finally:
            connections.close_all()

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait(timeout=20)
    try:
        response = bot.put("/personas", persona, idempotency_key="k-1")
    finally:
        answered.set()
        holder.join()

    assert response.status_code == 409
    assert response.json()["type"] == "urn:memsys:problem:request-in-progress"


def test_reading_takes_no_key(bot: Bot, ann: RelationshipRef) -> None:
    body = {"relationship": str(ann.id), "query": "猫"}

    bot.post("/context", body, idempotency_key=str(uuid4()))

    assert not IdempotencyRecord.objects.filter(client=bot.key.prefix).exists()
