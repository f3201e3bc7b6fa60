"""The demo: loaded once, whole after an interruption, and never over an erasure."""

import json
import stat
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from identity.models import CreatorPersona, GlobalUser, Relationship
from identity.resolution import get_relationship
from identity.services import PersonaForm, put_persona
from memories import personal_data
from memories.models import Message
from memsys.demo.colleagues import COLLEAGUES, code_now
from memsys.demo.loading import is_loaded, load_demo, make_sign_ins
from memsys.kernel.scope import Purpose, access_scope

pytestmark = pytest.mark.django_db
DEMO_CREATORS = ("studio-yue", "lab-nan")


def count_messages() -> int:
    total = 0
    for row in Relationship.objects.filter(
        persona__creator__external_id__in=DEMO_CREATORS
    ):
        with access_scope(Purpose.JOB, relationship=row.pk):
            total += Message.objects.filter(relationship_id=row.pk).count()
    return total


def test_it_is_not_there_at_first() -> None:
    assert not is_loaded(now=timezone.localtime())


def test_it_is_loaded_once() -> None:
    now = timezone.localtime()
    summary = load_demo(now=now)

    assert is_loaded(now=now)
    assert summary.stored == count_messages() > 40
    assert CreatorPersona.objects.filter(creator__external_id="studio-yue").exists()


def test_its_users_hold_every_grant() -> None:
    load_demo(now=timezone.localtime())

    users = GlobalUser.objects.filter(
        relationship__persona__creator__external_id__in=DEMO_CREATORS
    )
    assert set(users.values_list("is_synthetic", flat=True)) == {True}


def test_no_message_of_it_is_in_the_future() -> None:
    now = timezone.localtime()
    load_demo(now=now)

    for row in Relationship.objects.filter(
        persona__creator__external_id__in=DEMO_CREATORS
    ):
        with access_scope(Purpose.JOB, relationship=row.pk):
            later = Message.objects.filter(relationship_id=row.pk, sent_at__gt=now)
            assert not later.exists()


def test_a_load_that_stopped_after_the_personas_is_finished() -> None:
    put_persona(PersonaForm("studio-yue", "yueying", "月影"), by="system:demo")
    now = timezone.localtime()

    was_loaded = is_loaded(now=now)
    load_demo(now=now)

    assert not was_loaded
    assert is_loaded(now=now)


def test_a_load_on_the_next_day_sends_nothing_twice() -> None:
    now = timezone.localtime()
    load_demo(now=now)
    before = count_messages()

    again = load_demo(now=now + timedelta(days=1))

    assert again.stored == 0
    assert count_messages() == before


def test_it_does_not_come_back_after_an_erasure() -> None:
    now = timezone.localtime()
    summary = load_demo(now=now)
    for ref in summary.relationships:
        with access_scope(Purpose.SERVICE, relationship=ref.id):
            personal_data.erase(
                get_relationship(ref.id), by="job:t", reason_code="test", now=now
            )

    assert is_loaded(now=now)


class TestSignIns:
    def test_they_are_made_once(self, tmp_path: Path) -> None:
        path = tmp_path / "sign_ins.json"
        now = timezone.now()

        first, second = (make_sign_ins(path, now=now) for _ in range(2))

        assert first == second
        assert [one.user for one in first if one.address == "/desk/"] == [
            "officer", "legal", "auditor", "support", "lead", "keeper",
        ]  # fmt: skip
        assert first[-1].what == "API"

    def test_they_are_one_of_each_role_and_one_for_emergencies(
        self, tmp_path: Path
    ) -> None:
        make_sign_ins(tmp_path / "sign_ins.json", now=timezone.now())

        people = {
            name: list(User.objects.filter(username=name).values_list(
                "groups__name", "is_superuser"
            ))
            for name, _role in COLLEAGUES
        }  # fmt: skip
        assert people == {name: [(role or None, not role)] for name, role in COLLEAGUES}

    def test_they_let_a_person_in(self, tmp_path: Path) -> None:
        path = tmp_path / "sign_ins.json"
        officer = make_sign_ins(path, now=timezone.now())[0]
        browser = Client()
        password = {"username": officer.user, "password": officer.secret}
        code = {"code": code_now(officer.totp, at=time.time())}

        browser.post("/desk/login/", password)
        browser.post("/desk/second-step/", code)

        assert browser.get("/desk/").status_code == 200

    def test_only_their_owner_reads_them(self, tmp_path: Path) -> None:
        path = tmp_path / "sign_ins.json"

        make_sign_ins(path, now=timezone.now())

        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert [one.name for one in tmp_path.iterdir()] == ["sign_ins.json"]

    def test_a_stop_in_the_middle_leaves_no_broken_file(self, tmp_path: Path) -> None:
        path = tmp_path / "sign_ins.json"
        path.with_suffix(".new").write_text("[{", encoding="utf-8")

        made = make_sign_ins(path, now=timezone.now())

        assert json.loads(path.read_text(encoding="utf-8"))[0]["secret"]
        assert len(made) == len(COLLEAGUES) + 1

    def test_the_command_says_what_it_needs(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("MEMSYS_DIR")

        with pytest.raises(CommandError, match="MEMSYS_DIR"):
            call_command("load_demo")

    def test_the_command_can_be_run_twice(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
    ) -> None:
        monkeypatch.setenv("MEMSYS_DIR", str(tmp_path))

        call_command("load_demo")
        call_command("load_demo")

        told = capsys.readouterr().out.splitlines()
        assert told[0].startswith("Demo: ")
        assert told[1] == "The demo is there already."
