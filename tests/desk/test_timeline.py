"""All that happened in one relationship, on one axis, without the words of a person."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection
from django.test.utils import CaptureQueriesContext

from consent.models import (
    AccessRecord,
    ConsentEvent,
    DisclosureReminder,
    ErasureRun,
    LegalHold,
    ReleaseReceipt,
)
from identity.models import CustodyTransfer
from identity.types import RelationshipRef
from memsys.desk.models import Reveal
from memsys.desk.timeline import Cursor, EventKind, read_page
from memsys.kernel.audit.chain import Deed, deed_chain, record
from memsys.kernel.scope import Purpose, access_scope
from memsys.kernel.sharding.ids import bucket_of, new_id
from tests.desk.conftest import Person
from tests.desk.rows import make_governance
from tests.factories.identity import make_relationship
from tests.factories.memories import make_memory, make_session

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
CANARY = "金丝雀"


def page_of(relationship: RelationshipRef) -> str:
    return f"/desk/identity/relationship/{relationship.id}/change/"


def make_all(relationship: RelationshipRef) -> None:
    """Make an event of each kind."""
    make_governance(relationship)
    of_user = {"global_user_id": relationship.user_id}
    of_both = of_user | {"relationship_id": relationship.id}
    make_memory(relationship, f"养了{CANARY}")
    make_session(relationship, at=NOON, status="done", ended_at=NOON)
    CustodyTransfer.objects.create(
        relationship_id=relationship.id, from_custody="creator_pool",
        to_custody="proxy_pool", reason_code="window-passed", moved_at=NOON,
    )  # fmt: skip
    with access_scope(Purpose.JOB, user=relationship.user_id):
        ConsentEvent.objects.create(
            **of_user, scope="release:region", target_kind="all", action="refuse",
            acted_at=NOON, actor="user:1",
        )  # fmt: skip
        ReleaseReceipt.objects.create(
            **of_both, field_keys=["region"], policies=[], grants=[], actor="service:ab",
            released_at=NOON,
        )  # fmt: skip
        AccessRecord.objects.create(
            **of_both, actor="service:ab", action="context", memory_ids=[new_id()],
            read_at=NOON,
        )  # fmt: skip
        DisclosureReminder.objects.create(
            **of_both, kind="periodic", shown_at=NOON, actor="service:ab"
        )
    Reveal.objects.create(
        staff=1, subject=relationship.user_id, relationship=relationship.id,
        item=f"memory:{new_id()}", reason_code="legal", revealed_at=NOON, until=NOON,
    )  # fmt: skip
    record(
        Deed(
            deed_chain(relationship.user_id),
            "desk.list_viewed",
            "staff:1",
            f"relationship:{relationship.id}",
        )
    )


def read_all(
    relationship: RelationshipRef, *, limit: int
) -> list[tuple[Any, UUID, str]]:
    """Return all events, page after page."""
    found: list[tuple[Any, UUID, str]] = []
    cursor: Cursor | None = None
    while True:
        page = read_page(relationship, kinds=None, cursor=cursor, limit=limit)
        found += [(one.at, one.key, str(one.what)) for one in page.events]
        if page.next is None:
            return found
        cursor = Cursor.read(page.next.write())


def test_it_tells_of_every_kind(ann):
    make_all(ann)

    page = read_page(ann, kinds=None, cursor=None, limit=100)

    assert {one.kind for one in page.events} == set(EventKind)
    moments = [one.at for one in page.events]
    assert moments == sorted(moments, reverse=True)


def test_it_shows_every_kind_on_the_page_and_no_words(officer: Person, ann):
    make_all(ann)

    text = officer.browser.get(page_of(ann)).text

    assert CANARY not in text
    assert "••••" in text
    for words in (
        "Remembered",
        "Refused: Showing a field of the profile (region)",
        "Read for context",
    ):
        assert words in text


def test_it_pages_without_gap_or_double(ann):
    """Acceptance row C22: many events of one moment, in several tables."""
    for _ in range(30):
        make_memory(ann, "养了猫", occurred_at=NOON)
        CustodyTransfer.objects.create(
            relationship_id=ann.id, from_custody="creator_pool",
            to_custody="proxy_pool", reason_code="x", moved_at=NOON,
        )  # fmt: skip
    make_all(ann)

    whole = read_all(ann, limit=1000)

    assert len(whole) == len(set(whole)) > 60
    for limit in (1, 7, 50):
        assert read_all(ann, limit=limit) == whole


def test_it_goes_on_when_the_last_event_of_a_page_is_gone(ann):
    moves = [
        CustodyTransfer.objects.create(
            relationship_id=ann.id,
            from_custody="creator_pool",
            to_custody="proxy_pool",
            reason_code="x",
            moved_at=NOON - timedelta(minutes=number),
        )  # fmt: skip
        for number in range(6)
    ]
    first = read_page(ann, kinds=[EventKind.CUSTODY], cursor=None, limit=3)
    moves[2].delete()

    second = read_page(ann, kinds=[EventKind.CUSTODY], cursor=first.next, limit=3)

    assert [one.key for one in second.events] == [one.pk for one in moves[3:]]


def test_it_leaves_out_what_is_of_others(ann, ben):
    make_all(ben)
    same_user = make_relationship(user=ann.user_external_id)
    make_all(same_user)

    page = read_page(ann, kinds=None, cursor=None, limit=100)

    # What covers all of the user belongs to this relationship too.
    assert {one.kind for one in page.events} <= {EventKind.CONSENT}


def test_it_tells_of_holds_and_erasures_of_the_whole_user(ann):
    LegalHold.objects.create(
        global_user_id=ann.user_id, reason_code="legal", case_ref="7",
        placed_by="staff:1", placed_at=NOON,
    )  # fmt: skip
    ErasureRun.objects.create(
        global_user_id=ann.user_id, target="user", requested_by="user:1",
        reason_code="x", requested_at=NOON, run_from=NOON, receipt_code="a",
    )  # fmt: skip

    page = read_page(ann, kinds=None, cursor=None)

    assert {one.kind for one in page.events} == {EventKind.HOLD, EventKind.ERASURE}


def test_it_tells_what_superseded_what(officer: Person, ann):
    lineage = new_id(bucket=bucket_of(ann.user_id))
    later = make_memory(ann, "喜欢狗")
    make_memory(
        ann, "喜欢猫", lineage=lineage, recorded_at=NOON, recorded_to=NOON,
        valid_from=NOON,
    )  # fmt: skip
    make_memory(
        ann, "喜欢猫", lineage=lineage, valid_from=NOON,
        valid_to=NOON + timedelta(hours=1), superseded_by=later.lineage,
        status="superseded",
    )  # fmt: skip

    text = officer.browser.get(page_of(ann) + "?kind=memory").text

    assert "Superseded: " in text
    assert f"lineage={later.lineage}" in text


def test_it_leads_back_to_the_messages(officer: Person, ann):
    message = new_id(bucket=bucket_of(ann.user_id))
    make_memory(ann, "养了猫", evidence=[message])

    text = officer.browser.get(page_of(ann)).text

    assert f"/desk/memories/message/{message}/change/?relationship={ann.id}" in text


def test_it_shows_the_chosen_kinds_only(officer: Person, ann):
    make_all(ann)

    text = officer.browser.get(page_of(ann) + "?kind=custody&kind=nonsense").text

    assert "Custody moved" in text
    assert "Remembered" not in text
    assert 'value="custody" checked' in text


def test_it_refuses_a_place_to_go_on_that_is_not_ours(officer: Person, ann, ben):
    good = Cursor(NOON, 1, ann.id).write()

    statuses = [
        officer.browser.get(page_of(ann) + f"?after={one}").status_code
        for one in (good, good[:-1] + "x", "x", "%00", "1:1:1")
    ]

    assert statuses == [200, 404, 404, 404, 404]


def test_it_costs_the_same_with_many_events(officer: Person, ann):
    make_all(ann)
    officer.browser.get(page_of(ann))
    with_few = count_queries(officer, ann)

    for _ in range(15):
        make_all(ann)

    assert count_queries(officer, ann) == with_few < 60


def count_queries(officer: Person, relationship: RelationshipRef) -> int:
    with CaptureQueriesContext(connection) as captured:
        officer.browser.get(page_of(relationship))
    return len(captured)
