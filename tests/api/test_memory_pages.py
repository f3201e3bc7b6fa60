"""Pages of memories: cursors that survive deletes and lead nowhere else."""

from datetime import timedelta

import pytest
from django.utils import timezone

from identity.types import RelationshipRef
from tests.factories.api import Bot, make_bot
from tests.factories.identity import make_relationship
from tests.factories.memories import make_memory


def path_of(relationship: RelationshipRef, *rest: object) -> str:
    return "/".join(
        ["/relationships", str(relationship.id), "memories", *map(str, rest)]
    )


def test_paging_neither_skips_nor_repeats_while_rows_vanish(
    bot: Bot, ann: RelationshipRef
) -> None:
    """Acceptance row C22."""
    at = timezone.now() - timedelta(days=1)
    made = [make_memory(ann, f"第{n}件", occurred_at=at) for n in range(200)]
    left = {str(one.lineage) for one in made}
    seen: list[str] = []
    query: dict[str, str] = {"limit": "20"}

    while True:
        page = bot.get(path_of(ann), **query).json()
        seen += [one["id"] for one in page["items"]]
        erased = [page["items"][-1]["id"], next(iter(left - set(seen)), None)]
        for memory in filter(None, erased):
            bot.delete(path_of(ann, memory))
            left.discard(str(memory))
        if page["next_cursor"] is None:
            break
        query["cursor"] = page["next_cursor"]

    assert len(seen) == len(set(seen))
    assert left <= set(seen)


def test_a_cursor_tells_nothing_and_cannot_be_changed(
    bot: Bot, ann: RelationshipRef
) -> None:
    """Acceptance row C22, on the cursor itself."""
    for n in range(3):
        make_memory(ann, f"第{n}件")
    cursor = bot.get(path_of(ann), limit="1").json()["next_cursor"]

    swapped = ("A" if cursor[5] != "A" else "B").join([cursor[:5], cursor[6:]])
    response = bot.get(path_of(ann), limit="1", cursor=swapped)

    assert str(ann.id) not in cursor
    assert response.status_code == 400
    assert response.json()["type"] == "urn:memsys:problem:invalid-cursor"


def test_a_cursor_leads_nowhere_in_another_relationship_or_with_another_key(
    bot: Bot, ann: RelationshipRef, creator: str
) -> None:
    """Acceptance row C22, on scope."""
    for n in range(3):
        make_memory(ann, f"第{n}件")
    other = make_relationship(creator=creator)
    cursor = bot.get(path_of(ann), limit="1").json()["next_cursor"]

    elsewhere = bot.get(path_of(other), limit="1", cursor=cursor)
    other_key = make_bot().get(path_of(ann), limit="1", cursor=cursor)

    assert (elsewhere.status_code, other_key.status_code) == (404, 404)


def test_a_cursor_continues_only_the_question_it_is_of(
    bot: Bot, ann: RelationshipRef
) -> None:
    for n in range(3):
        make_memory(ann, f"第{n}件")
    cursor = bot.get(path_of(ann), limit="1").json()["next_cursor"]

    filtered = bot.get(path_of(ann), limit="1", cursor=cursor, kind="fact")
    timeline = bot.get(f"/relationships/{ann.id}/timeline", cursor=cursor)

    assert (filtered.status_code, timeline.status_code) == (400, 400)


@pytest.mark.parametrize(
    "query",
    [
        {"limit": "0"},
        {"limit": "201"},
        {"limit": "ten"},
        {"limit": "-1"},
        {"kind": "secret"},
        {"valid_at": "2026-03-15"},
        {"known_at": "2999-01-01T00:00:00Z"},
        {"cursor": "nonsense"},
        {"cursor": ""},
        {"surprise": "1"},
    ],
)
def test_it_refuses_a_bad_query(
    bot: Bot, ann: RelationshipRef, query: dict[str, str]
) -> None:
    response = bot.get(path_of(ann), **query)

    assert response.status_code == 400


def test_it_refuses_a_query_that_says_one_thing_twice(
    bot: Bot, ann: RelationshipRef
) -> None:
    response = bot.send("GET", path_of(ann) + "?limit=1&limit=2")

    assert response.status_code == 400
    assert response.json()["errors"][0]["code"] == "repeated"
