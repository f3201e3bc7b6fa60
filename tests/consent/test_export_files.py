"""What is in the file of an export: all of a person's, nothing of others, told well."""

import csv
import hashlib
import html
import io
import json
import re
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from consent import exports
from consent.models import ExportRun
from consent.reads import note_read
from identity.custody import move_custody
from identity.models import GlobalUser
from identity.scopes import service_scope
from identity.types import Custody, RelationshipRef
from memories.models import Memory
from memories.services import correct_memory
from memories.statements import prepare_statement
from memories.types import MemoryAuthor
from tests.factories.api import CountedQueries
from tests.factories.erasing import BY, fill_user, make_filled
from tests.factories.exporting import (
    ask_export,
    make_export,
    open_export,
    read_csv,
    read_file,
    read_section,
)
from tests.factories.identity import make_relationship
from tests.factories.memories import content_of, make_memory, make_message

pytestmark = pytest.mark.django_db
EVIL = "<img src=x onerror=alert(1)>\"'><svg onload=alert(2)>\u202e gnp"
FORMULAS = ("=1+1", "==1", "+1", "-1", "@x", "\t=1", "＝1", "' =1", '"=1', "\u3000@x")


@pytest.fixture
def ann() -> RelationshipRef:
    return make_relationship(locale="en")


def words_of(run: ExportRun, section: str, column: str) -> list[Any]:
    return [row[column] for row in read_section(run, section)]


def test_it_has_every_section_in_every_format_and_a_manifest_of_all(
    ann: RelationshipRef,
) -> None:
    run = make_export(ann, formats=["html", "json", "csv"])

    files = read_file(run)
    manifest = json.loads(files["manifest.json"])
    listed = {one["path"]: one for one in manifest["files"]}
    assert set(listed) | {"manifest.json"} == set(files)
    for path, text in files.items():
        if path != "manifest.json":
            data = text.encode()
            assert listed[path]["sha256"] == hashlib.sha256(data).hexdigest()
            assert listed[path]["bytes"] == len(data)
    sections = set(manifest["rows"])
    for folder in ("html", "json", "csv", "json/schema"):
        found = {re.sub(r"\.\w+$", "", one.split(f"{folder}/")[1])
                 for one in files if re.fullmatch(f"{folder}/[^/]+", one)}  # fmt: skip
        assert found == sections
    assert {"README.html", "README.txt", "index.html"} <= set(files)


def test_memories_are_told_with_their_times_and_where_they_come_from(
    ann: RelationshipRef,
) -> None:
    said = make_message(ann, "我住在西安")
    old = timezone.now() - timedelta(days=9)
    make_memory(
        ann, "住在西安", kind="fact", occurred_at=old, valid_to=timezone.now(),
        status="superseded", evidence=[said.pk], evidence_at=[said.sent_at],
    )  # fmt: skip
    make_memory(ann, "住在成都", kind="fact", author="model")

    rows = {row["statement"]: row for row in read_section(make_export(ann), "memories")}

    xian, chengdu = rows["住在西安"], rows["住在成都"]
    assert (xian["status"], xian["ai_generated"]) == ("superseded", False)
    assert xian["messages"] == [str(said.pk)]
    assert xian["valid_to"] is not None
    assert (chengdu["author"], chengdu["ai_generated"]) == ("model", True)
    assert chengdu["persona"] == "月影"


def test_an_old_wording_is_told_beside_the_new_one(ann: RelationshipRef) -> None:
    memory = make_memory(ann, "我对芒果过敏", kind="fact")
    with service_scope(ann):
        correct_memory(
            ann,
            memory.lineage,
            prepare_statement("我对桃子过敏", names=()),
            by=BY,
            author=MemoryAuthor.USER,
            now=timezone.now(),
        )
    run = make_export(ann)

    assert words_of(run, "memories", "statement")[-1] == "我对桃子过敏"
    everything = words_of(run, "memories", "statement") + words_of(
        run, "earlier_wordings", "statement"
    )
    assert "我对芒果过敏" in everything


def test_what_an_ai_wrote_carries_the_label_in_every_format(
    ann: RelationshipRef,
) -> None:
    make_message(ann, "我在听", author_kind="ai")
    make_message(ann, "我也在", author_kind="ai_edited")
    make_message(ann, "你好", author_kind="creator")
    run = make_export(ann, for_staff=True, formats=["html", "json", "csv", "jsonl"])

    files = read_file(run)
    flags = {row["text"]: row["ai_generated"] for row in read_section(run, "messages")}
    assert flags == {"我在听": True, "我也在": True, "你好": False}
    lines = [json.loads(one) for one in files["jsonl/messages.jsonl"].splitlines()]
    assert [one["ai_generated"] for one in lines].count(True) == 2
    assert [row[6] for row in read_csv(files["csv/messages.csv"])].count("true") == 2
    articles = files["html/messages.html"].split("<article>")[1:]
    assert ["AI-generated" in one for one in articles].count(True) == 2
    manifest = json.loads(files["manifest.json"])
    assert manifest["AIGC"]["Label"] == "1"
    assert manifest["ai_label"]["rows"] == {
        "memories": 0, "earlier_wordings": 0, "messages": 2,
    }  # fmt: skip
    assert json.loads(files["json/messages.json"])["AIGC"]["ProduceID"] == str(run.pk)


@pytest.mark.parametrize(
    ("locale", "language", "label"),
    [("zh-hans", "zh-hans", "AI 生成"), ("en-GB", "en", "AI-generated"),
     ("fr", "zh-hans", "AI 生成")],
)  # fmt: skip
def test_it_speaks_the_persons_language(locale: str, language: str, label: str) -> None:
    ann = make_relationship(locale=locale)
    make_message(ann, "我在听", author_kind="ai")

    files = read_file(make_export(ann, parts=["messages"]))

    assert f'lang="{language}"' in files["index.html"]
    assert label in files["html/messages.html"]


def test_nothing_in_it_is_of_somebody_else(ann: RelationshipRef) -> None:
    """Acceptance row 2."""
    make_filled("别人的话")
    other = make_filled("另一段关系", user=ann.user_external_id)
    make_memory(ann, "喜欢看海")

    whole = make_export(ann)
    one = make_export(ann, relationship_id=ann.id)

    assert set(words_of(whole, "memories", "statement")) == {"另一段关系", "喜欢看海"}
    everything = "".join(read_file(one).values())
    assert words_of(one, "memories", "statement") == ["喜欢看海"]
    assert "另一段关系" not in everything
    assert str(other.id) not in everything
    assert "别人的话" not in everything


class TestWhatOnlyTheStaffMayAskFor:
    @pytest.fixture(autouse=True)
    def notes(self, ann: RelationshipRef) -> None:
        make_memory(ann, "喜欢看海")
        make_memory(ann, "生意上的备注", visibility="creator_private")
        make_memory(
            ann, "在吃药", visibility="sensitive", sensitive_category="medication"
        )
        make_memory(
            ann, "都不该有", visibility="creator_private",
            sensitive_category="medication",
        )  # fmt: skip

    def test_a_persons_own_copy_has_what_is_sensitive_and_no_private_notes(
        self, ann: RelationshipRef
    ) -> None:
        run = make_export(ann)

        assert words_of(run, "memories", "statement") == ["喜欢看海", "在吃药"]
        assert "备注" not in "".join(read_file(run).values())
        missing = json.loads(read_file(run)["manifest.json"])["missing"]
        assert "private-notes" in [one["why"] for one in missing]

    def test_the_staffs_has_neither_unless_asked_for(
        self, ann: RelationshipRef
    ) -> None:
        run = make_export(ann, for_staff=True)

        assert words_of(run, "memories", "statement") == ["喜欢看海"]
        everything = "".join(read_file(run).values())
        assert "在吃药" not in everything
        assert "备注" not in everything

    def test_asked_for_they_are_in_sections_of_their_own(
        self, ann: RelationshipRef
    ) -> None:
        run = make_export(
            ann, for_staff=True, parts=["private_notes", "sensitive_memories"]
        )

        assert words_of(run, "private_notes", "statement") == ["生意上的备注"]
        assert words_of(run, "sensitive_memories", "statement") == ["在吃药"]
        assert "都不该有" not in "".join(read_file(run).values())


def test_it_says_whose_it_is_when_and_for_whom(ann: RelationshipRef) -> None:
    own = read_file(make_export(ann))
    staff = read_file(make_export(ann, for_staff=True, by="staff:7"))

    mine = json.loads(own["manifest.json"])
    assert (mine["user"], mine["requested_by"]) == (ann.user_external_id, "user")
    assert ann.user_external_id in own["README.txt"]
    assert json.loads(staff["manifest.json"])["requested_by"] == "staff:7"
    for path in ("README.txt", "README.html", "html/memories.html"):
        assert "staff:7" in staff[path]
        assert "staff:7" not in own[path]


def test_nobody_of_the_staff_is_named_in_a_persons_copy(ann: RelationshipRef) -> None:
    move_custody(
        ann.id,
        to=Custody.PROXY_POOL,
        by="staff:zhang",
        reason_code="test",
        now=timezone.now(),
    )

    files = read_file(make_export(ann))

    assert "staff:zhang" not in "".join(files.values())
    assert "proxy_pool" in files["json/custody_moves.json"]


def test_reads_of_services_are_told_by_the_day(ann: RelationshipRef) -> None:
    now = timezone.now()
    for days in (0, 0, 40):
        with service_scope(ann):
            note_read(
                ann, "context", actor="service:ab12", memory_ids=[uuid4()],
                now=now - timedelta(days=days),
            )  # fmt: skip

    run = make_export(ann)

    assert words_of(run, "service_reads", "reads") == [1, 2]
    assert "ab12" not in read_file(run)["json/service_reads.json"]


def test_consents_are_told_with_the_text_that_was_seen(ann: RelationshipRef) -> None:
    fill_user(ann, "花生")

    run = make_export(ann)

    (event,) = read_section(run, "consent_events")
    (text,) = read_section(run, "consent_texts")
    assert event["text_seen"] == text["text_seen"]
    assert words_of(run, "profile", "value") == ["花生"]
    assert words_of(run, "request_words", "text") == ["花生"]
    assert words_of(run, "consents", "status") == ["granted"]


def test_words_of_people_are_harmless_in_pages(ann: RelationshipRef) -> None:
    """Acceptance row C20."""
    make_memory(ann, EVIL)
    make_message(ann, EVIL)
    GlobalUser.objects.filter(pk=ann.user_id).update(external_id=EVIL)

    files = read_file(make_export(ann))

    for path, text in files.items():
        if path.endswith(".html"):
            assert "<img" not in text
            assert "<svg" not in text
            assert "<script" not in text
            assert "default-src 'none'" in html.unescape(text)
    assert html.escape(EVIL) in files["html/memories.html"]
    assert words_of(make_export(ann), "memories", "statement") == [EVIL]


def test_words_are_never_formulas_and_come_back_whole(ann: RelationshipRef) -> None:
    """Acceptance row C4."""
    said = [*FORMULAS, "👨‍👩‍👧‍👦🇨🇳", "שלום\nעולם", 'a "b", c;=1', "plain"]
    for one in said:
        make_message(ann, one)

    text = read_file(make_export(ann))["csv/messages.csv"]

    assert text.startswith("\ufeff")
    assert [row[7] for row in read_csv(text)] == said
    stored = [row[7] for row in csv.reader(io.StringIO(text, newline=""))][1:]
    assert stored[: len(FORMULAS)] == ["'" + one for one in FORMULAS]


def test_its_schema_says_what_the_files_are(ann: RelationshipRef) -> None:
    make_filled(user=ann.user_external_id)
    files = read_file(make_export(ann))

    for path in [one for one in files if re.fullmatch(r"json/\w+\.json", one)]:
        told = json.loads(files[path])
        schema = json.loads(files[path.replace("json/", "json/schema/")])
        columns = schema["properties"]["rows"]["items"]["properties"]
        assert set(schema["required"]) <= set(told)
        for row in told["rows"]:
            assert list(row) == list(columns)


def test_only_the_parts_and_formats_that_were_asked_for_are_in_it(
    ann: RelationshipRef,
) -> None:
    files = read_file(make_export(ann, parts=["memories"], formats=["json"]))

    sections = {one for one in files if re.fullmatch(r"json/\w+\.json", one)}
    assert sections == {"json/memories.json", "json/earlier_wordings.json"}
    assert not any(one.startswith(("csv/", "html/", "index")) for one in files)
    missing = json.loads(files["manifest.json"])["missing"]
    assert {"what": "messages", "why": "not-asked-for"}.items() <= next(
        one for one in missing if one["what"] == "messages"
    ).items()


def test_what_came_after_the_asking_is_left_to_the_next_one(
    ann: RelationshipRef,
) -> None:
    make_memory(ann, "喜欢看海")
    early = ask_export(ann, now=timezone.now())
    make_memory(ann, "喜欢爬山")

    done = exports.run(early.pk, now=timezone.now())

    assert done is not None
    assert words_of(done, "memories", "statement") == ["喜欢看海"]


def test_however_many_memories_there_are_they_are_read_by_pages(
    ann: RelationshipRef,
) -> None:
    first = make_memory(ann, "第一件小事")
    with content_of(ann):
        fields = {
            field.attname: getattr(first, field.attname)
            for field in Memory._meta.concrete_fields
            if field.attname not in ("id", "shard", "lineage", "embedding", "tokens")
        }
        Memory.objects.bulk_create(
            (Memory(**fields, lineage=uuid4()) for _ in range(2099)), batch_size=5000
        )

    with CountedQueries() as counted:
        run = make_export(ann, parts=["memories"], formats=["json"])

    reads = [one for one in counted.statements if 'FROM "memories_memory"' in one]
    # Five pages of current ones, and one of the wordings before.
    assert len(reads) == 6
    assert all("LIMIT 500" in one for one in reads)
    assert not any('"embedding"' in one.partition(" FROM ")[0] for one in reads)
    with open_export(run) as packed:
        rows = json.loads(packed.read("json/memories.json"))["rows"]
    assert len({one["id"] for one in rows}) == 2100
