"""Erasures asked for through the API: previewed, waited for, undone, watched."""

from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from consent import erasures
from consent.models import ErasureRun
from consent.tasks import run_erasure, sweep_erasures
from identity.types import RelationshipRef
from memsys.kernel.audit.models import AuditEntry
from memsys.kernel.scope.staff import staff_role
from tests.factories.api import Bot, make_bot
from tests.factories.erasing import left, lift, make_filled, place_hold, status_of
from tests.factories.memories import make_memory, make_message

FOREIGN = "01a23002-20e2-7eec-9876-673dbe5d2c04"


@pytest.fixture
def filled(ann: RelationshipRef) -> RelationshipRef:
    """Ann, who has told something."""
    make_memory(ann, "我对花生过敏")
    make_message(ann, "我对花生过敏")
    return ann


def wish_for(relationship: RelationshipRef, **fields: Any) -> dict[str, Any]:
    one = str(relationship.id)
    return {"relationship": one, "confirm": one} | fields


def problem_of(response: Any) -> tuple[int, str]:
    return response.status_code, response.json()["type"].rpartition(":")[2]


def test_one_waits_a_day_and_closes_the_relationship(
    bot: Bot, filled: RelationshipRef
) -> None:
    response = bot.post("/erasures", wish_for(filled))

    told = response.json()
    context = bot.post("/context", {"relationship": str(filled.id), "query": "花生"})
    assert response.status_code == 202
    assert told["state"] == "waiting"
    assert told["undo_until"] > told["requested_at"]
    assert problem_of(context) == (403, "relationship-restricted")
    assert left(filled) == (1, 1)


def test_undone_the_relationship_answers_again(
    bot: Bot, filled: RelationshipRef
) -> None:
    told = bot.post("/erasures", wish_for(filled)).json()

    undone = bot.post(f"/erasures/{told['id']}/undo")
    again = bot.post(f"/erasures/{told['id']}/undo")

    context = bot.post("/context", {"relationship": str(filled.id), "query": "花生"})
    assert undone.status_code == 200
    assert undone.json()["state"] == "undone"
    assert problem_of(again) == (409, "erasure-not-undoable")
    assert "花生" in context.json()["prompt"]


def test_at_once_it_is_done_by_a_job_and_cannot_be_undone(
    bot: Bot, filled: RelationshipRef
) -> None:
    told = bot.post("/erasures", wish_for(filled, at_once=True)).json()
    undone = bot.post(f"/erasures/{told['id']}/undo")

    outcome = run_erasure(run_id=told["id"])

    shown = bot.get(f"/erasures/{told['id']}").json()
    assert told["undo_until"] is None
    assert problem_of(undone) == (409, "erasure-not-undoable")
    assert outcome == "done"
    assert shown["state"] == "done"
    assert shown["erased"]["memories"] == 1
    assert left(filled) == (0, 0)
    receipt = erasures.find_receipt(shown["receipt"])
    assert receipt is not None
    assert receipt.counts == shown["erased"]


def test_a_job_that_the_broker_lost_is_found_by_the_sweep(
    bot: Bot, filled: RelationshipRef
) -> None:
    """Acceptance row C27."""
    told = bot.post("/erasures", wish_for(filled, at_once=True)).json()

    swept = sweep_erasures()

    assert swept["run"] >= 1
    assert bot.get(f"/erasures/{told['id']}").json()["state"] == "done"


def test_one_memory_goes_before_the_answer(bot: Bot, filled: RelationshipRef) -> None:
    memory = make_memory(filled, "喜欢看海")
    body = wish_for(filled, memory=str(memory.lineage), confirm=str(memory.lineage))

    response = bot.post("/erasures", body)
    again = bot.post("/erasures", body)

    assert response.status_code == 202
    assert response.json()["state"] == "done"
    assert left(filled) == (1, 1)
    assert problem_of(again) == (404, "not-found")


def test_all_of_a_user_goes_over_every_creator(filled: RelationshipRef) -> None:
    other = make_filled(user=filled.user_external_id)
    bot, user = make_bot(), filled.user_external_id

    told = bot.post("/erasures", {"user": user, "confirm": user, "at_once": True})
    run_erasure(run_id=told.json()["id"])

    assert told.json()["target"] == "user"
    assert (left(filled), left(other)) == ((0, 0), (0, 0))


def test_a_key_of_one_creator_cannot_have_all_of_a_user_erased(
    bot: Bot, filled: RelationshipRef
) -> None:
    user = filled.user_external_id

    known = bot.post("/erasures", {"user": user, "confirm": user})
    unknown = bot.post("/erasures", {"user": "nobody", "confirm": "nobody"})

    assert problem_of(known) == problem_of(unknown) == (404, "not-found")
    assert left(filled) == (1, 1)


def test_another_tenants_erasure_is_not_found(bot: Bot, chloe: RelationshipRef) -> None:
    """Acceptance row C16."""
    theirs = make_bot([*bot_scopes()]).post("/erasures", wish_for(chloe)).json()["id"]

    for answer in (
        bot.get(f"/erasures/{theirs}"),
        bot.post(f"/erasures/{theirs}/undo"),
        bot.get(f"/erasures/{uuid4()}"),
    ):
        assert problem_of(answer) == (404, "not-found")
    assert ErasureRun.objects.get(pk=theirs).state == "waiting"


def bot_scopes() -> list[str]:
    return ["erasure:request"]


@pytest.mark.parametrize("confirm", [None, "yes", FOREIGN, "absent"])
def test_it_wants_what_is_erased_to_be_repeated(
    bot: Bot, filled: RelationshipRef, confirm: object
) -> None:
    body = wish_for(filled, confirm=confirm)
    if confirm == "absent":
        del body["confirm"]

    response = bot.post("/erasures", body)

    assert response.status_code == 400
    assert response.json()["errors"][0]["field"] == "confirm"
    assert status_of(filled) == "active"


@pytest.mark.parametrize(
    "named", [{}, {"memory": FOREIGN}, {"user": "u", "relationship": FOREIGN}]
)
def test_it_wants_one_target(bot: Bot, named: dict[str, str]) -> None:
    response = bot.post("/erasures/preview", named)

    assert response.status_code == 400


def test_a_preview_counts_and_says_what_stays(
    bot: Bot, filled: RelationshipRef
) -> None:
    response = bot.post("/erasures/preview", {"relationship": str(filled.id)})

    told = response.json()
    assert response.status_code == 200
    assert told["counts"]["memories"] == told["counts"]["messages"] == 1
    assert {"code", "why", "holds"} == set(told["stays"][0])
    assert "花生" not in response.content.decode()
    assert left(filled) == (1, 1)


class TestHolds:
    def test_a_held_erasure_is_blocked_and_resumes(
        self, bot: Bot, filled: RelationshipRef
    ) -> None:
        """Acceptance rows C10 and C11."""
        hold = place_hold(filled)
        told = bot.post("/erasures", wish_for(filled, at_once=True)).json()
        sweep_erasures()
        blocked = bot.get(f"/erasures/{told['id']}").json()

        lift(hold, timezone.now())
        ErasureRun.objects.filter(pk=told["id"]).update(run_from=timezone.now())
        sweep_erasures()

        assert blocked["state"] == "blocked"
        assert blocked["holds"] == [str(hold.pk)]
        assert bot.get(f"/erasures/{told['id']}").json()["state"] == "done"
        assert left(filled) == (0, 0)

    @pytest.mark.parametrize("whole", [True, False])
    def test_delete_is_refused_and_the_refusal_recorded(
        self, bot: Bot, filled: RelationshipRef, whole: bool
    ) -> None:
        """Acceptance row C11."""
        memory = make_memory(filled, "喜欢看海")
        place_hold(filled)
        here = f"/relationships/{filled.id}/memories"
        ref = f"relationship:{filled.id}" if whole else f"memory:{memory.lineage}"

        if whole:
            response = bot.delete(here, {"confirm": str(filled.id)})
        else:
            response = bot.delete(f"{here}/{memory.lineage}")

        assert problem_of(response) == (409, "legal-hold")
        assert left(filled) == (2, 1)
        with staff_role():
            refused = AuditEntry.objects.filter(action="erasure.refused")
            assert refused.filter(object_ref=ref, actor=bot.actor).count() == 1

    def test_a_memory_does_not_take_a_held_one_with_it(
        self, bot: Bot, filled: RelationshipRef
    ) -> None:
        message = make_message(filled, "我对花生过敏，喜欢看海").pk
        said = {"evidence": [message], "evidence_at": [timezone.now()]}
        held = make_memory(filled, "喜欢看海", **said)
        other = make_memory(filled, "对花生过敏了", **said)
        place_hold(filled, relationship_id=filled.id, memory=held.lineage)

        response = bot.delete(f"/relationships/{filled.id}/memories/{other.lineage}")

        assert problem_of(response) == (409, "legal-hold")
        assert left(filled) == (3, 2)


def test_delete_answers_with_the_erasure_and_its_receipt(
    bot: Bot, filled: RelationshipRef
) -> None:
    here = f"/relationships/{filled.id}/memories"

    told = bot.delete(here, {"confirm": str(filled.id)}).json()

    shown = bot.get(f"/erasures/{told['erasure']}").json()
    assert shown["state"] == "done"
    assert shown["receipt"] == told["receipt"]
    assert shown["erased"] == told["erased"]


def test_sent_twice_with_a_key_it_is_one_erasure(
    bot: Bot, filled: RelationshipRef
) -> None:
    """Acceptance row C26."""
    here = f"/relationships/{filled.id}/memories"
    body = {"confirm": str(filled.id)}

    first = bot.delete(here, body, idempotency_key="k-1")
    second = bot.delete(here, body, idempotency_key="k-1")

    assert first.json() == second.json()
    runs = ErasureRun.objects.filter(global_user_id=filled.user_id)
    assert runs.count() == 1
