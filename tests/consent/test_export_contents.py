"""Every section filled with the worst that people write: each file stays what it is."""

import csv
import io
import json
import re
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import jsonschema
import pytest
from django.utils import timezone

from consent import exports, requests
from consent.models import (
    ConsentGrant,
    DisclosureReminder,
    ErasureRun,
    ExportRun,
    ProfileField,
    ReleaseReceipt,
)
from consent.reads import note_read
from identity.custody import move_custody
from identity.models import CreatorPersona
from identity.scopes import service_scope
from identity.types import Custody, RelationshipRef
from memsys.desk.models import Reveal
from memsys.kernel.csv_cells import FORMULAS, unguard
from memsys.kernel.scope import Purpose, access_scope
from tests.factories.erasing import fill_user
from tests.factories.exporting import (
    ask_export,
    make_export,
    plant_export,
    read_file,
    read_section,
)
from tests.factories.identity import make_relationship
from tests.factories.memories import make_memory, make_message, make_session
from tests.factories.requests import ask_for

pytestmark = pytest.mark.django_db
BY = "service:tests"
EVIL = (
    "=1+1<img src=x onerror=alert(1)>\"'><svg onload=alert(2)>\u202egnp\r\n@x\u2028=2"
)
TAGS = re.compile(r"<(img|svg|script)", re.IGNORECASE)


def fill_everything(ann: RelationshipRef) -> None:
    """Put something evil into every section."""
    fill_user(ann, EVIL)
    CreatorPersona.objects.filter(pk=ann.persona_id).update(display_name=EVIL[:60])
    ProfileField.objects.filter(key="region").update(label=EVIL, label_zh=EVIL)
    said = make_message(ann, EVIL, make_session(ann), masked={"mobile": 1})
    old = make_memory(
        ann, EVIL, evidence=[said.pk], evidence_at=[said.sent_at],
        recorded_at=timezone.now() - timedelta(days=1), recorded_to=timezone.now(),
    )  # fmt: skip
    make_memory(ann, EVIL, author="model", visibility="sensitive")
    move_custody(
        ann.id, to=Custody.PROXY_POOL, by="staff:7", reason_code="test",
        now=timezone.now(),
    )  # fmt: skip
    with service_scope(ann):
        note_read(ann, "context", actor=BY, memory_ids=[uuid4()], now=timezone.now())
    own = {"global_user_id": ann.user_id, "relationship_id": ann.id}
    plant_export(ann)
    now = timezone.now()
    with access_scope(Purpose.JOB, user=ann.user_id):
        ReleaseReceipt.objects.create(
            **own, field_keys=[EVIL], policies=[], grants=[], actor=BY, released_at=now
        )
        DisclosureReminder.objects.create(
            **own, kind="periodic", shown_at=now, actor=BY
        )
    ErasureRun.objects.create(
        **own, target="memory", memory=old.lineage, state="waiting", requested_by=BY,
        reason_code="test", requested_at=timezone.now(), run_from=timezone.now(),
        receipt_code="R",
    )  # fmt: skip
    Reveal.objects.create(
        relationship=ann.id, item=f"memory:{old.lineage}", staff=7,
        subject=ann.user_id, reason_code="complaint", revealed_at=timezone.now(),
        until=timezone.now(),
    )  # fmt: skip


@pytest.fixture
def files() -> dict[str, str]:
    ann = make_relationship(locale="en", facet="=evil<img")
    fill_everything(ann)
    return read_file(make_export(ann))


def sections_of(files: dict[str, str]) -> dict[str, Any]:
    paths = [one for one in files if re.fullmatch(r"json/\w+\.json", one)]
    return {one[5:-5]: json.loads(files[one]) for one in paths}


def test_each_file_is_what_its_schema_says(files: dict[str, str]) -> None:
    for name, told in sections_of(files).items():
        schema = json.loads(files[f"json/schema/{name}.json"])
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.validate(told, schema)
    assert [name for name, told in sections_of(files).items() if not told["rows"]] == []


def test_words_run_in_no_page_wherever_they_stand(files: dict[str, str]) -> None:
    """Acceptance row C20."""
    for path, text in files.items():
        if path.endswith(".html"):
            assert TAGS.search(text) is None, path


def test_no_cell_of_any_file_is_a_formula_and_all_come_back(
    files: dict[str, str],
) -> None:
    """Acceptance row C4."""
    for name, told in sections_of(files).items():
        text = files[f"csv/{name}.csv"].removeprefix("\ufeff")
        head, *lines = csv.reader(io.StringIO(text, newline=""))
        assert len(lines) == len(told["rows"])
        for line, row in zip(lines, told["rows"], strict=True):
            for column, cell in zip(head, line, strict=True):
                assert cell[:1] not in FORMULAS
                if isinstance(row[column], str):
                    assert unguard(cell) == row[column]


class TestAsItWasWhenAskedFor:
    def test_messages_that_come_later_are_not_counted_either(self) -> None:
        ann = make_relationship()
        session = make_session(ann)
        make_message(ann, "先说的", session)
        early = ask_export(ann)
        make_message(ann, "后说的", session, received_at=later())
        backfill = make_session(ann, status="done", ended_at=timezone.now())
        make_message(ann, "补传的", backfill, received_at=later())

        run = make_now(early)

        assert [row["text"] for row in read_section(run, "messages")] == ["先说的"]
        (told,) = read_section(run, "sessions")
        assert (told["id"], told["messages"]) == (str(session.pk), 1)

    def test_a_session_whose_messages_were_erased_is_still_told(self) -> None:
        ann = make_relationship()
        make_session(ann, message_count=3)

        run = make_export(ann)

        assert [row["messages"] for row in read_section(run, "sessions")] == [3]

    def test_a_consent_that_ends_later_stands_as_it_was(self) -> None:
        ann = make_relationship()
        fill_user(ann)
        early = ask_export(ann)
        own = ConsentGrant.objects.filter(global_user_id=ann.user_id)
        with access_scope(Purpose.JOB, user=ann.user_id):
            own.update(status="withdrawn", ended_at=later())

        (told,) = read_section(make_now(early), "consents")

        assert (told["status"], told["ended_at"]) == ("granted", None)

    def test_a_request_that_is_answered_later_is_open(self) -> None:
        ann = make_relationship()
        row = ask_for(ann)
        plant_export(ann)
        early = ask_export(ann)
        requests.answer(row.pk, outcome="done", words="好", by=BY, now=later())
        ExportRun.objects.filter(global_user_id=ann.user_id, state="ready").update(
            state="taken", taken_at=later(), taken_by=BY
        )

        run = make_now(early)

        (told,) = read_section(run, "requests")
        assert (told["state"], told["closed_at"], told["outcome"]) == ("open", None, "")
        assert [one["taken_at"] for one in read_section(run, "exports")] == [None]


def later() -> datetime:
    return timezone.now() + timedelta(seconds=30)


def make_now(run: ExportRun) -> ExportRun:
    done = exports.run(run.pk, now=timezone.now())
    assert done is not None
    return done
