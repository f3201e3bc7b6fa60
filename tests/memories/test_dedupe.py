"""Duplicates under parallel posts: of ids, of texts, in any order."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from identity.types import RelationshipRef
from memories.errors import IntakeConflict
from memories.intake import (
    FilteredMessage,
    IncomingMessage,
    Receipt,
    filter_messages,
    receive,
)
from memories.models import Message
from memsys.kernel.scope import Purpose, access_scope
from tests.factories.identity import make_relationship
from tests.parallel import run_parallel

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def said(
    text: str, seconds: float = 0, external_id: str | None = None
) -> IncomingMessage:
    return IncomingMessage("user", text, NOW + timedelta(seconds=seconds), external_id)


def post(relationship: RelationshipRef, *messages: IncomingMessage) -> list[Receipt]:
    """Post as the API does: once more when another post took an id."""
    filtered = filter_messages(messages)
    try:
        return _post_once(relationship, filtered)
    except IntakeConflict:
        return _post_once(relationship, filtered)


def _post_once(
    relationship: RelationshipRef, filtered: Sequence[FilteredMessage]
) -> list[Receipt]:
    with access_scope(Purpose.SERVICE, relationship=relationship.id):
        return receive(relationship, filtered, now=NOW)


def texts(relationship: RelationshipRef) -> list[str]:
    with access_scope(Purpose.SERVICE, relationship=relationship.id):
        rows = Message.objects.filter(relationship_id=relationship.id)
        return sorted(rows.values_list("text", flat=True))


@pytest.mark.usefixtures("real_commits")
class TestParallelPosts:
    def test_one_id_with_many_texts_is_stored_once(self) -> None:
        ann = make_relationship()

        receipts = run_parallel(
            20, lambda number: post(ann, said(f"第{number}稿", number, "m-1"))[0]
        )

        assert sorted(one.outcome for one in receipts) == ["duplicate"] * 19 + [
            "stored"
        ]
        assert len({one.message_id for one in receipts}) == 1
        assert len(texts(ann)) == 1

    def test_batches_that_cross_do_not_block_each_other(self) -> None:
        """Acceptance row 56, for batches."""
        ann = make_relationship()
        batch = [said(f"第{number}句", number, f"m-{number}") for number in range(30)]

        def post_from(number: int) -> list[Receipt]:
            place = number * 7 % 30
            return post(ann, *batch[place:], *batch[:place])

        receipts = run_parallel(8, post_from)

        stored = [one for part in receipts for one in part if one.outcome == "stored"]
        assert len(stored) == 30
        assert len({one.message_id for part in receipts for one in part}) == 30
        assert len(texts(ann)) == 30

    def test_ids_and_texts_that_cross_make_one_message_each(self) -> None:
        ann = make_relationship()

        run_parallel(
            12,
            lambda number: post(
                ann,
                said("早", 0, f"a-{number}"),
                said(f"第{number % 3}句", 1, f"b-{number % 3}"),
            ),
        )

        assert texts(ann) == ["早", "第0句", "第1句", "第2句"]


moments = st.lists(
    st.tuples(st.sampled_from(["早", "晚"]), st.integers(0, 1500)), max_size=12
)


@pytest.mark.django_db
@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(moments)
def test_a_batch_decides_what_single_posts_decide(sent: list[tuple[str, int]]) -> None:
    """Acceptance row 57."""
    together, one_by_one = make_relationship(), make_relationship()
    in_order = sorted(sent, key=lambda one: one[1])

    batch = post(together, *(said(text, at) for text, at in in_order))
    single = [post(one_by_one, said(text, at))[0] for text, at in in_order]

    assert [one.outcome for one in batch] == [one.outcome for one in single]
