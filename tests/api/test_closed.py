"""What closes a relationship closes every route that shows or takes content, at once."""

from collections.abc import Callable
from typing import Any

import pytest

from identity.models import CreatorPersona, GlobalUser, Relationship
from identity.types import RelationshipRef
from memories.models import Memory, Message
from tests.api.routes import ROUTES, Names, Route
from tests.factories.api import SERVICE_SCOPES, Bot, make_bot
from tests.factories.consents import give
from tests.factories.memories import content_of, make_memory
from tests.factories.releases import release

# A person's rights, the platform's own wiring, and what is no content.
OPEN_WHEN_CLOSED = {
    ("PUT", "/personas"),
    ("GET", "/personas/{persona}"),
    ("PUT", "/personas/{persona}/profile"),
    ("POST", "/relationships/resolve"),
    ("GET", "/relationships/{relationship}"),
    ("PUT", "/relationships/{relationship}/user"),
    ("POST", "/relationships/{relationship}/custody"),
    ("GET", "/relationships/{relationship}/sessions"),
    ("GET", "/relationships/{relationship}/releases"),
    ("GET", "/relationships/{relationship}/disclosures"),
    ("POST", "/relationships/{relationship}/disclosures"),
    ("DELETE", "/relationships/{relationship}/memories/{memory}"),
    ("DELETE", "/relationships/{relationship}/memories"),
    ("POST", "/erasures/preview"),
    ("POST", "/erasures"),
    ("GET", "/erasures/{erasure}"),
    ("POST", "/erasures/{erasure}/undo"),
    ("POST", "/exports"),
    ("GET", "/exports/{export}"),
    ("GET", "/exports/{export}/file"),
    ("POST", "/consents"),
    ("GET", "/consents?user={user}"),
    ("GET", "/consents/events?user={user}"),
    ("GET", "/consent-prompts?user={user}"),
    ("GET", "/consent-texts"),
    ("GET", "/holds?user={user}"),
    ("GET", "/webhooks"),
    ("POST", "/webhooks"),
    ("GET", "/webhooks/{webhook}/deliveries"),
    ("POST", "/webhooks/{webhook}/secret"),
    ("POST", "/webhooks/deliveries/{delivery}/replay"),
    ("DELETE", "/webhooks/{webhook}"),
}
# Its answer depends on what closes it: what is ended cannot be paused.
OF_THE_STATUS = {("POST", "/relationships/{relationship}/status")}
# A user's own over all relationships: closed by age, whatever became of this one.
OF_THE_USER = {("PUT", "/users/profile")}

Deed = Callable[[RelationshipRef], None]


def tell_age(band: str) -> Deed:
    def tell(relationship: RelationshipRef) -> None:
        rows = GlobalUser.objects.filter(pk=relationship.user_id)
        rows.update(age_band=band)

    return tell


def make_intimate(relationship: RelationshipRef) -> None:
    rows = CreatorPersona.objects.filter(pk=relationship.persona_id)
    rows.update(relationship_kind="intimate")


def set_status(status: str) -> Deed:
    def change(relationship: RelationshipRef) -> None:
        Relationship.objects.filter(pk=relationship.id).update(status=status)

    return change


def close_user(relationship: RelationshipRef) -> None:
    GlobalUser.objects.filter(pk=relationship.user_id).update(status="closed")


def give_guardian(relationship: RelationshipRef) -> None:
    give(relationship, "guardian", surface="guardian")


CLOSINGS: dict[str, tuple[str, list[Deed]]] = {
    "a minor's intimate persona": (
        "minor-restricted",
        [make_intimate, tell_age("minor_14_17")],
    ),
    "a child's intimate persona, whoever consents": (
        "minor-restricted",
        [make_intimate, tell_age("under_14"), give_guardian],
    ),
    "a child without a guardian": ("minor-restricted", [tell_age("under_14")]),
    "paused": ("relationship-paused", [set_status("paused")]),
    "restricted": ("relationship-restricted", [set_status("restricted")]),
    "ended": ("relationship-ended", [set_status("ended")]),
    "a closed account": ("user-closed", [close_user]),
}


def name_of(route: Route) -> str:
    return f"{route.method} {route.path} {route.body is None}"


def place_of(route: Route) -> tuple[str, str]:
    return route.method, route.path


CONTENT = [
    one
    for one in ROUTES
    if place_of(one) not in OPEN_WHEN_CLOSED | OF_THE_STATUS | OF_THE_USER
]
RIGHTS = [one for one in ROUTES if place_of(one) in OPEN_WHEN_CLOSED]


def count_rows(relationship: RelationshipRef) -> tuple[int, int]:
    with content_of(relationship):
        return (
            Message.objects.filter(relationship_id=relationship.id).count(),
            Memory.objects.of(relationship.id).count(),
        )


def send(bot: Bot, route: Route, names: Names) -> Any:
    if route.scope not in SERVICE_SCOPES:
        bot = make_bot([route.scope])
    return bot.send(*route.fill(names))


@pytest.mark.parametrize("closing", sorted(CLOSINGS))
def test_no_content_goes_in_or_out(
    bot: Bot, ann: RelationshipRef, closing: str
) -> None:
    """Order 21, article 14; design, section 8: a stable code, and nothing stored."""
    names = Names.of(ann, make_memory(ann, "生日是3月7日").lineage)
    release(ann, "region", "浙江杭州")
    opened = [send(bot, one, names).status_code for one in CONTENT if one.body is None]
    before = count_rows(ann)

    code, deeds = CLOSINGS[closing]
    for deed in deeds:
        deed(ann)
    answers = {name_of(one): send(bot, one, names) for one in CONTENT}

    told = {
        name: (answer.status_code, answer.json().get("type"))
        for name, answer in answers.items()
    }
    assert told == dict.fromkeys(told, (403, f"urn:memsys:problem:{code}"))
    shown = "".join(answer.content.decode() for answer in answers.values())
    assert "3月7日" not in shown
    assert "杭州" not in shown
    assert count_rows(ann) == before
    assert set(opened) == {200}


@pytest.mark.parametrize(
    "closing", ["a child without a guardian", "ended", "a closed account"]
)
@pytest.mark.parametrize("route", RIGHTS, ids=name_of)
def test_rights_stay_open(
    ann: RelationshipRef, creator: str, closing: str, route: Route
) -> None:
    names = Names.of(ann, make_memory(ann, "生日是3月7日").lineage)
    for deed in CLOSINGS[closing][1]:
        deed(ann)

    answer = make_bot([route.scope]).send(*route.fill(names))

    assert answer.status_code == route.status, answer.content


@pytest.mark.parametrize("closing", ["a child without a guardian", "a closed account"])
def test_a_profile_is_not_kept_either(ann: RelationshipRef, closing: str) -> None:
    code, deeds = CLOSINGS[closing]
    for deed in deeds:
        deed(ann)
    (route,) = [one for one in ROUTES if place_of(one) in OF_THE_USER]
    names = Names.of(ann, make_memory(ann, "生日是3月7日").lineage)

    answer = make_bot([route.scope]).send(*route.fill(names))

    assert answer.status_code == 403
    assert answer.json()["type"] == f"urn:memsys:problem:{code}"


def test_an_unknown_age_is_an_adults_unless_the_setting_says_otherwise(
    bot: Bot, ann: RelationshipRef, settings: Any
) -> None:
    make_intimate(ann)
    own = {"relationship": str(ann.id), "query": "你好"}

    statuses = []
    for is_minor in (False, True):
        settings.MINORS_UNKNOWN_COUNT_AS_MINOR = is_minor
        statuses.append(bot.post("/context", own).status_code)

    assert statuses == [200, 403]


def test_what_a_guardian_allows_a_child_is_open(bot: Bot, ann: RelationshipRef) -> None:
    names = Names.of(ann, make_memory(ann, "生日是3月7日").lineage)
    tell_age("under_14")(ann)
    give_guardian(ann)

    answers = {name_of(one): send(bot, one, names) for one in CONTENT}

    statuses = {name_of(one): one.status for one in CONTENT}
    assert {name: one.status_code for name, one in answers.items()} == statuses
