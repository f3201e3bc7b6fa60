"""`manage.py ingest`: what an operator sees, and what a bad file leaves behind."""

import json
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from identity.models import Creator, CreatorPersona, GlobalUser, Relationship
from identity.resolution import Address, resolve
from memories.models import ChatSession, Message
from memories.reading import Slice, list_memories
from memsys.kernel.scope import Purpose, access_scope
from tests.factories.identity import make_persona, make_relationship, new_name

FOREIGN = "01a22e6b-8f2f-76c9-b92e-824e7e98892e"


@pytest.fixture
def log(tmp_path: Path) -> "Log":
    return Log(tmp_path / "chat.jsonl")


class Log:
    """A chat log of one new user with one new creator's persona."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.names = {
            "user": new_name("user"),
            "creator": new_name("creator"),
            "persona": "night",
        }

    def write(self, *lines: dict[str, Any]) -> None:
        rows = [json.dumps(self.names | line) for line in lines]
        self.path.write_text("\n".join(rows), encoding="utf-8")

    def make_persona(self) -> None:
        make_persona(creator=self.names["creator"], key="night")

    def run(self, *flags: str) -> None:
        call_command("ingest", str(self.path), *flags, stdout=StringIO())

    @property
    def relationship_id(self) -> Any:
        names = self.names
        address = Address(names["user"], "default", names["creator"], names["persona"])
        return resolve(address).id


def said(text: str, minutes_ago: float = 60, **fields: Any) -> dict[str, Any]:
    at = timezone.now() - timedelta(minutes=minutes_ago)
    return {"author_kind": "user", "text": text, "sent_at": at.isoformat()} | fields


@pytest.mark.usefixtures("real_commits")
class TestIngesting:
    def test_it_turns_a_log_into_memories(
        self, log: Log, capsys: pytest.CaptureFixture[str]
    ) -> None:
        log.make_persona()
        log.write(said("我对芒果过敏"), said("打我电话13800138000", 59))

        log.run("--process-here")

        shown = capsys.readouterr().out
        with access_scope(Purpose.JOB, relationship=log.relationship_id):
            views = list_memories(log.relationship_id, Slice(), now=timezone.now())
        assert [view.text for view in views] == ["我对芒果过敏"]
        assert "memories made" in shown
        assert "masked: mobile" in shown
        assert "芒果" not in shown

    def test_it_can_be_run_again(
        self, log: Log, capsys: pytest.CaptureFixture[str]
    ) -> None:
        log.make_persona()
        log.write(said("我对芒果过敏"), said("早", 58))
        log.run("--process-here")

        log.run("--process-here")

        with access_scope(Purpose.JOB, relationship=log.relationship_id):
            assert Message.objects.filter(
                relationship_id=log.relationship_id
            ).count() == 2  # fmt: skip

    def test_it_processes_what_an_earlier_run_left(self, log: Log) -> None:
        log.make_persona()
        log.write(said("我对芒果过敏"))
        log.run("--process-here")
        ChatSession.objects.of(log.relationship_id).update(
            status="pending", attempts=0, processed_at=None
        )

        log.run("--process-here")

        (session,) = ChatSession.objects.of(log.relationship_id)
        assert session.status == "done"

    def test_it_makes_personas_when_asked(self, log: Log) -> None:
        log.write(said("早"))

        log.run("--create-personas", "--process-here")

        assert CreatorPersona.objects.filter(
            creator__external_id=log.names["creator"], key="night"
        ).exists()

    def test_it_tells_how_many_sessions_failed(self, log: Log) -> None:
        log.make_persona()
        log.write(said("我对芒果过敏"))
        ref = log.relationship_id
        user = Relationship.objects.get(pk=ref).global_user_id
        GlobalUser.objects.filter(pk=user).update(time_zone="Mars/Base")

        with pytest.raises(CommandError, match="1 sessions failed"):
            log.run("--process-here")


@pytest.mark.usefixtures("real_commits")
class TestRefusing:
    def assert_untouched(self, log: Log) -> None:
        names = log.names
        assert not GlobalUser.objects.filter(external_id=names["user"]).exists()
        assert not Creator.objects.filter(external_id=names["creator"]).exists()

    @pytest.mark.parametrize(
        ("bad", "told"),
        [
            (said("早", relationship=FOREIGN), "Line 2: relationship: "),
            (said("早", relationship_id=FOREIGN), "Line 2: relationship_id: "),
            (said("早", minutes_ago=-9000), "Line 2: sent_at: "),
            (said("早", persona=" "), "Line 2: persona: "),
            (said("早", user=""), "Line 2: user: "),
            (said("早", id=""), "Line 2: id: "),
            (said(""), "Line 2: text: "),
            (said("早", author_kind="robot"), "Line 2: author_kind: "),
        ],
    )
    def test_one_bad_line_refuses_the_whole_file(
        self, log: Log, bad: dict[str, Any], told: str
    ) -> None:
        """Acceptance row 4: 0 rows changed, not even a persona made."""
        log.write(said("早"), bad)

        with pytest.raises(CommandError, match=told) as caught:
            log.run("--create-personas")

        assert "Nothing was stored." in str(caught.value)
        self.assert_untouched(log)

    def test_a_closed_relationship_refuses_the_whole_file(self, log: Log) -> None:
        ben = make_relationship(status="paused")
        log.make_persona()
        names = {
            "user": ben.user_external_id,
            "creator": ben.creator_external_id,
            "persona": ben.persona_key,
        }
        log.write(said("早"), said("在吗") | names)

        with pytest.raises(CommandError, match="relationship-paused"):
            log.run()

        with access_scope(Purpose.JOB, relationship=log.relationship_id):
            assert not Message.objects.filter(
                relationship_id=log.relationship_id
            ).exists()

    def test_an_unknown_persona_is_named(self, log: Log) -> None:
        log.write(said("早"))

        with pytest.raises(CommandError, match="There is no persona night of creator"):
            log.run()

        self.assert_untouched(log)

    @pytest.mark.parametrize("data", [b"", b"\n \r\n", b"\xef\xbb\xbf"])
    def test_an_empty_file_is_refused(self, log: Log, data: bytes) -> None:
        log.path.write_bytes(data)

        with pytest.raises(CommandError, match="holds no message"):
            log.run()

    def test_a_file_that_is_not_there_is_refused(self, log: Log) -> None:
        with pytest.raises(CommandError, match="cannot be read"):
            log.run()

    def test_a_folder_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(CommandError, match="cannot be read"):
            call_command("ingest", str(tmp_path))

    def test_another_encoding_is_refused(self, log: Log) -> None:
        log.path.write_bytes(
            json.dumps(said("早"), ensure_ascii=False).encode("utf-16")
        )

        with pytest.raises(CommandError, match="Nothing was stored"):
            log.run()
