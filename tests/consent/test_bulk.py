"""Erasing and exporting for many people takes two persons, and a job does it."""

from typing import Any

import pytest
from django.utils import timezone

from consent import approvals
from consent.bulk import MAX_USERS, needs_approval
from consent.errors import InvalidChange
from consent.models import ChangeRequest, ErasureRun, ExportRun
from consent.tasks import carry_out_change
from identity.types import RelationshipRef
from tests.factories.identity import make_relationship, new_name
from tests.factories.memories import make_memory

OFFICER, REVIEWER = 61, 62

pytestmark = pytest.mark.django_db


@pytest.fixture
def people() -> list[RelationshipRef]:
    found = [make_relationship() for _ in range(3)]
    for one in found:
        make_memory(one, "喜欢看海")
    return found


def propose(
    people: list[RelationshipRef], kind: str = "bulk_erasure", **told: Any
) -> ChangeRequest:
    users = [one.user_external_id for one in people]
    return approvals.propose(
        kind,
        {"users": users, "reason_code": "contract-end"} | told,
        object_ref="users",
        reason="合作终止",
        by=OFFICER,
        now=timezone.now(),
    )


def approve(request: ChangeRequest) -> ChangeRequest:
    return approvals.approve(
        request.pk, by=REVIEWER, payload_hash=request.payload_hash, now=timezone.now()
    )


def list_runs(people: list[RelationshipRef]) -> list[tuple[str, str]]:
    users = [one.user_id for one in people]
    rows = ErasureRun.objects.filter(global_user_id__in=users)
    return list(rows.values_list("state", "requested_by"))


def test_each_gets_an_erasure_of_their_own_that_can_be_undone(
    people: list[RelationshipRef],
) -> None:
    bystander = make_relationship()
    request = propose(people)
    agreed = approve(request)
    before = list_runs(people)

    state = carry_out_change(change_id=str(request.pk))

    done = ChangeRequest.objects.get(pk=request.pk)
    assert (agreed.state, before, state) == ("approved", [], "done")
    assert list_runs(people) == [("waiting", f"staff:{OFFICER}")] * 3
    assert list_runs([bystander]) == []
    assert done.result == {"made": 3, "refused": {}}


def test_done_again_after_a_crash_it_is_the_same_erasures(
    people: list[RelationshipRef],
) -> None:
    """Acceptance row C26."""
    request = propose(people)
    approve(request)
    kind = approvals.get_kind("bulk_erasure")
    kind.carry_out(request.payload, request=request, now=timezone.now())
    lost = ChangeRequest.objects.get(pk=request.pk)
    approvals.add_result(lost, made=1)

    carry_out_change(change_id=str(request.pk))

    assert len(list_runs(people)) == 3


def test_the_names_of_the_platform_are_not_kept(people: list[RelationshipRef]) -> None:
    request = propose(people)

    kept = ChangeRequest.objects.get(pk=request.pk)
    assert sorted(kept.payload["users"]) == sorted(str(one.user_id) for one in people)
    assert not any(one.user_external_id in str(kept.payload) for one in people)
    lines = approvals.describe(kept)
    assert lines[0][1] == 3
    assert all(one.user_external_id in lines[1][1] for one in people)


@pytest.mark.parametrize(
    "users",
    [
        None,
        [],
        "everybody",
        [7],
        [""],
        ["nobody-knows-me"],
        ["\ud800"],
        [str(number) for number in range(MAX_USERS + 1)],
    ],
)
def test_it_takes_a_list_of_people_who_are_known(users: Any) -> None:
    with pytest.raises(InvalidChange, match="users"):
        propose([], users=users)


@pytest.mark.parametrize("told", [{"reason_code": ""}, {"at_once": True}])
def test_it_takes_a_reason_and_no_more(
    people: list[RelationshipRef], told: dict[str, Any]
) -> None:
    with pytest.raises(InvalidChange):
        propose(people, **told)


@pytest.mark.parametrize("told", [{}, {"parts": [], "formats": ["json"]}])
def test_an_export_names_its_parts(
    people: list[RelationshipRef], told: dict[str, Any]
) -> None:
    with pytest.raises(InvalidChange):
        propose(people, "bulk_export", **told)


def test_each_gets_an_export_of_their_own_once(people: list[RelationshipRef]) -> None:
    request = propose(people, "bulk_export", parts=["memories"], formats=["json"])
    approve(request)

    carry_out_change(change_id=str(request.pk))

    users = [one.user_id for one in people]
    runs = ExportRun.objects.filter(global_user_id__in=users, for_staff=True)
    assert runs.count() == 3


@pytest.mark.parametrize(("users", "is_needed"), [(1, False), (2, True), (51, True)])
def test_it_takes_two_persons_for_more_than_one(users: int, is_needed: bool) -> None:
    assert needs_approval(users) is is_needed


def test_somebody_unknown_is_named_as_a_fault_not_by_name() -> None:
    name = new_name("user")

    with pytest.raises(InvalidChange) as caught:
        propose([], users=[name])

    assert name not in str(caught.value)
