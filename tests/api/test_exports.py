"""Exports by API: asked for by a service, made by a worker, taken once."""

import io
import json
import zipfile
from typing import Any

import pytest
from django.utils import timezone

from consent.models import ExportRun
from consent.tasks import run_export
from identity.types import RelationshipRef
from tests.factories.api import Bot, make_bot
from tests.factories.exporting import PLANTED, ask_export, make_export, plant_export
from tests.factories.identity import make_relationship
from tests.factories.memories import make_memory

pytestmark = pytest.mark.django_db


@pytest.fixture
def service() -> Bot:
    """The platform itself: its key is for all creators."""
    return make_bot()


def problem_of(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["type"].removeprefix("urn:memsys:problem:")


def read(answer: Any) -> zipfile.ZipFile:
    return zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content)))


def test_a_service_asks_watches_and_takes_it_once(
    service: Bot, ann: RelationshipRef
) -> None:
    make_memory(ann, "喜欢看海")
    asked = service.post("/exports", {"user": ann.user_external_id})
    one = f"/exports/{asked.json()['id']}"
    early = service.get(f"{one}/file")
    run_export(run_id=asked.json()["id"])

    shown = service.get(one).json()
    taken = service.get(f"{one}/file")
    with read(taken) as packed:
        manifest = json.loads(packed.read("manifest.json"))
        memories = json.loads(packed.read("json/memories.json"))["rows"]
    again = service.get(f"{one}/file")
    after = service.get(one).json()

    assert asked.status_code == 202
    assert problem_of(early) == (409, "export-not-ready")
    assert (shown["state"], shown["progress"]) == ("ready", 100)
    assert taken.status_code == 200
    assert taken["Content-Type"] == "application/zip"
    assert taken["Content-Length"] == str(shown["size_bytes"])
    assert taken["Cache-Control"] == "no-store"
    assert ".zip" in taken["Content-Disposition"]
    assert manifest["user"] == ann.user_external_id
    assert [row["statement"] for row in memories] == ["喜欢看海"]
    assert problem_of(again) == (410, "export-gone")
    assert after["state"] == "taken"
    assert ExportRun.objects.get().taken_by == service.actor


def test_sent_again_with_its_key_it_is_asked_for_once(
    service: Bot, ann: RelationshipRef
) -> None:
    body = {"relationship": str(ann.id), "parts": ["memories"]}

    first = service.post("/exports", body, idempotency_key="k-1")
    second = service.post("/exports", body, idempotency_key="k-1")

    assert first.json() == second.json()
    assert second["Idempotency-Replayed"] == "true"
    assert ExportRun.objects.filter(global_user_id=ann.user_id).count() == 1


def test_a_look_does_not_use_the_file_up(service: Bot, ann: RelationshipRef) -> None:
    """Acceptance row C23: nobody who only asks for headers takes what goes once."""
    run = plant_export(ann)

    looked = service.send("HEAD", f"/exports/{run.pk}/file")
    taken = service.get(f"/exports/{run.pk}/file")

    assert looked.status_code == 405
    assert b"".join(taken.streaming_content) == PLANTED


def test_it_is_gone_when_its_time_is_over(service: Bot, ann: RelationshipRef) -> None:
    run = plant_export(ann, expires_at=timezone.now())

    answer = service.get(f"/exports/{run.pk}/file")

    assert problem_of(answer) == (410, "export-gone")


def test_a_key_for_some_creators_has_one_relationship_exported(
    bot: Bot, ann: RelationshipRef
) -> None:
    """Acceptance row C16."""
    make_memory(make_relationship(user=ann.user_external_id), "别处说的")

    whole = bot.post("/exports", {"user": ann.user_external_id})
    unknown = bot.post("/exports", {"user": "nobody"})
    one = bot.post("/exports", {"relationship": str(ann.id)})
    run_export(run_id=one.json()["id"])

    assert problem_of(whole) == problem_of(unknown) == (404, "not-found")
    assert one.status_code == 202
    with read(bot.get(f"/exports/{one.json()['id']}/file")) as packed:
        for name in packed.namelist():
            assert "别处说的" not in packed.read(name).decode()


def test_it_is_not_shown_an_export_of_all_of_a_user(
    bot: Bot, service: Bot, ann: RelationshipRef
) -> None:
    run = service.post("/exports", {"user": ann.user_external_id}).json()["id"]

    for path in (f"/exports/{run}", f"/exports/{run}/file"):
        assert problem_of(bot.get(path)) == (404, "not-found")


@pytest.mark.parametrize("fields", [{"for_staff": True}, {"requested_by": "user:1"}])
def test_what_others_asked_for_is_no_services(
    service: Bot, ann: RelationshipRef, fields: dict[str, Any]
) -> None:
    run = plant_export(ann, **fields)

    for path in (f"/exports/{run.pk}", f"/exports/{run.pk}/file"):
        assert problem_of(service.get(path)) == (404, "not-found")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "relationship"),
        ({"parts": []}, "parts"),
        ({"parts": ["private_notes"]}, "parts[0]"),
        ({"parts": ["sensitive_memories"]}, "parts[0]"),
        ({"parts": ["profile"]}, "parts"),
        ({"formats": ["jsonl"]}, "formats[0]"),
        ({"formats": []}, "formats"),
        ({"reason_code": "Because of it"}, "reason_code"),
    ],
)
def test_it_says_what_it_takes(
    service: Bot, ann: RelationshipRef, body: dict[str, Any], field: str
) -> None:
    if body:
        body = {"relationship": str(ann.id)} | body

    answer = service.post("/exports", body)

    assert problem_of(answer) == (400, "invalid-request")
    assert [one["field"] for one in answer.json()["errors"]] == [field]


def test_a_paused_relationship_can_be_exported(bot: Bot, ben: RelationshipRef) -> None:
    make_memory(ben, "喜欢看海")

    asked = bot.post("/exports", {"relationship": str(ben.id)})

    assert asked.status_code == 202
    assert run_export(run_id=asked.json()["id"]) == "ready"


def test_a_kept_answer_holds_no_content(service: Bot, ann: RelationshipRef) -> None:
    make_memory(ann, "花生暗号7731")
    run = make_export(ann, by=service.actor)

    shown = service.get(f"/exports/{run.pk}").content.decode()

    assert "花生" not in shown
    assert ann.user_external_id not in shown


def test_two_who_ask_at_once_get_one(service: Bot, ann: RelationshipRef) -> None:
    ask_export(ann, by=service.actor)

    answer = service.post("/exports", {"user": ann.user_external_id})

    assert answer.status_code == 202
    assert ExportRun.objects.filter(global_user_id=ann.user_id).count() == 1
