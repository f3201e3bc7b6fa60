"""The search for a text: it finds what is anywhere, in whatever form, and says where."""

import base64
import gzip
import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connections

from consent.models import ChangeRequest, ExportChunk, ExportRun
from memsys.kernel.scope import Purpose, access_scope
from memsys.kernel.valkey import get_valkey
from memsys.runfile import get_memsys_dir
from memsys.scanning import CanaryNotFound, ScanFailed, scan
from memsys.scanning.canaries import check_tables
from memsys.scanning.forms import forms_of
from memsys.scanning.tables import search_tables
from tests import servers
from tests.factories.erasing import BY, NOW, later, make_filled
from tests.factories.identity import make_relationship

pytestmark = pytest.mark.usefixtures("real_commits")


@pytest.fixture
def words() -> str:
    """A text that is nowhere yet."""
    return f"暗号{uuid4().hex[:12]}"


@pytest.fixture
def key() -> Iterator[str]:
    name = f"tests:{uuid4()}"
    yield name
    get_valkey().delete(name)


def places(text: str) -> list[str]:
    return [one.place for one in scan(text).found]


def run_command(*arguments: str) -> tuple[str, str]:
    out = io.StringIO()
    try:
        call_command("erasure_scan", *arguments, stdout=out)
    except CommandError as exc:
        return out.getvalue(), f"{exc.returncode}: {exc}"
    return out.getvalue(), ""


class TestForms:
    @pytest.mark.parametrize("text", ["花生暗号7731", 'O\'Neill "x"', "a%b_c\\d"])
    @pytest.mark.parametrize(
        "store",
        [
            str.encode,
            lambda text: json.dumps({"x": text}).encode(),
            lambda text: json.dumps({"x": text}, ensure_ascii=False).encode(),
            lambda text: text.encode().hex().encode(),
            lambda text: base64.b64encode(f"a{text}b".encode()),
            lambda text: base64.b64encode(json.dumps([f"ab{text}"]).encode()),
        ],
    )
    def test_it_is_known_in_whatever_form(self, text: str, store: Any) -> None:
        assert forms_of(text).are_in(b"before" + store(text) + b"after")

    def test_it_is_known_over_the_border_of_two_pieces(self) -> None:
        data = b"x" * 10 + "花生暗号7731".encode() + b"y" * 10

        pieces = [data[at : at + 3] for at in range(0, len(data), 3)]

        assert forms_of("花生暗号7731").are_in_any(pieces)

    def test_another_text_is_not(self) -> None:
        assert not forms_of("花生暗号7731").are_in("花生暗号7732".encode())


class TestTables:
    def test_it_finds_rows_of_every_relationship_with_their_ids(
        self, words: str
    ) -> None:
        make_filled(words)
        make_filled(words)

        found = {one.place: one for one in scan(words).found}

        assert found["memories_memory.text"].count == 2
        assert len(found["memories_message.text"].ids) == 2

    def test_it_finds_what_is_in_json(self, words: str) -> None:
        ChangeRequest.objects.create(
            kind="x", payload={"a": [words]}, payload_hash="", reason="",
            requested_by=1, expires_at=later(hours=1),
        )  # fmt: skip

        assert places(words) == ["consent_changerequest.payload"]

    def test_it_reads_the_packed_files_of_exports(self, words: str) -> None:
        ann = make_relationship()
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
            packed.writestr("memories.json", json.dumps({"text": "x" * 5000 + words}))
        data = file.getvalue()
        own = {"global_user_id": ann.user_id}
        export = ExportRun.objects.create(
            **own, parts=[], formats=[], for_staff=False, requested_by=BY,
            reason_code="x", requested_at=NOW,
        )  # fmt: skip
        with access_scope(Purpose.JOB, user=ann.user_id):
            for number, part in enumerate((data[:100], data[100:])):
                ExportChunk.objects.create(
                    **own, export=export, number=number, data=part
                )

        assert places(words) == ["consent_exportchunk.data (unpacked)"]

    def test_it_fails_where_row_policies_bind_it(self) -> None:
        """A search as the owner would see no row of a user, and no error."""
        with pytest.raises(ScanFailed, match="does not see all"):
            check_tables(connections["owner"])

    def test_it_leaves_no_canary_behind(self) -> None:
        check_tables(connections["maintenance"])

        with connections["maintenance"].cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM memories_message WHERE text LIKE '暗号%' "
                "AND session_id NOT IN (SELECT id FROM memories_chatsession)"
            )
            assert cursor.fetchone() == (0,)
        assert issubclass(CanaryNotFound, ScanFailed)


TEXTS = {
    "character varying": "%(text)s::text",
    "text": "%(text)s::text",
    "jsonb": "jsonb_build_object('x', jsonb_build_array(%(text)s::text))",
    "bytea": "convert_to(%(text)s::text, 'UTF8')",
    "ARRAY": "ARRAY['x', %(text)s::text]",
}
NO_TEXTS = {
    "bigint", "boolean", "date", "double precision", "inet", "integer", "interval",
    "numeric", "real", "smallint", "time without time zone",
    "timestamp with time zone", "USER-DEFINED", "uuid",
}  # fmt: skip
COLUMNS = """
    SELECT table_name, column_name, data_type, udt_name, character_maximum_length,
        is_nullable = 'NO' AND is_identity = 'NO'
    FROM information_schema.columns
    WHERE table_schema = 'public' ORDER BY table_name, ordinal_position
"""
BOUNDS = """
    SELECT format('ALTER TABLE %s DROP CONSTRAINT %I CASCADE',
                  conrelid::regclass, conname)
    FROM pg_constraint
    WHERE contype IN ('c', 'p') AND connamespace = 'public'::regnamespace
"""


@pytest.fixture
def unbound(real_commits: None) -> Iterator[Any]:
    """A connection that may plant anything anywhere; nothing of it stays."""
    with psycopg.connect(servers.postgres.url("postgres")) as connection:
        connection.execute("SET lock_timeout = '30s'")
        connection.execute("SET session_replication_role = replica")
        for (statement,) in connection.execute(BOUNDS).fetchall():
            connection.execute(statement)
        yield connection
        connection.rollback()


def plant_everywhere(connection: Any, text: str) -> set[str]:
    """Write a row into every table with the text in each column that takes it."""
    columns: dict[str, dict[str, str]] = {}
    for table, name, kind, element, length, is_needed in connection.execute(COLUMNS):
        if is_needed:
            connection.execute(f'ALTER TABLE "{table}" ALTER "{name}" DROP NOT NULL')
        assert kind in TEXTS.keys() | NO_TEXTS, f"What is a {kind}?"
        is_text = kind in TEXTS and element not in ("_uuid", "_timestamptz")
        if is_text and (length is None or length >= len(text)):
            cast = f"::{element}[]".replace("_", "") if kind == "ARRAY" else ""
            columns.setdefault(table, {})[name] = TEXTS[kind] + cast
    for table, values in columns.items():
        names = ", ".join(f'"{one}"' for one in values)
        made = ", ".join(values.values())
        statement = f'INSERT INTO "{table}" ({names}) VALUES ({made})'  # noqa: S608
        connection.execute(statement, {"text": text})
    return {f"{table}.{name}" for table, values in columns.items() for name in values}


def test_it_finds_a_text_in_each_column_of_each_table_that_can_hold_one(
    unbound: Any,
) -> None:
    """Acceptance row 21: no table, and none that is added later, is overlooked."""
    text = f"暗号{uuid4().hex[:4]}"
    planted = plant_everywhere(unbound, text)

    found = {one.place for one in search_tables(unbound, forms_of(text))}

    assert found == planted
    assert len(planted) > 150


class TestKeys:
    @pytest.mark.parametrize(
        "kind", ["string", "hash", "list", "set", "zset", "stream"]
    )
    def test_it_finds_keys_of_every_type(self, words: str, key: str, kind: str) -> None:
        client = get_valkey()
        plant = {
            "string": lambda: client.set(key, "x" * (3 << 19) + words),
            "hash": lambda: client.hset(key, "a", words),
            "list": lambda: client.rpush(key, *(["a"] * 600), words),
            "set": lambda: client.sadd(key, words),
            "zset": lambda: client.zadd(key, {words: 1}),
            "stream": lambda: [client.xadd(key, {"a": x}) for x in ("b", words)],
        }
        plant[kind]()

        assert places(words) == [f"valkey: {key}"]

    def test_it_finds_what_waits_in_a_queue(self, words: str, key: str) -> None:
        body = base64.b64encode(json.dumps([[], {"text": words}, {}]).encode())
        get_valkey().lpush(key, json.dumps({"body": body.decode()}))

        assert places(words) == [f"valkey: {key}"]


class TestFiles:
    def test_it_finds_a_line_of_a_log(self, words: str, settings: Any) -> None:
        path = get_memsys_dir(Path(settings.BASE_DIR)) / "some.log"
        path.write_text(f"before\n{json.dumps(words)}\n", encoding="utf-8")

        try:
            assert places(words) == [f"file: {path}"]
        finally:
            path.unlink()

    @pytest.mark.parametrize("name", ["ERASURE_LEDGER_DIR", "AUDIT_HEADS_DIR"])
    def test_it_looks_where_the_ledger_and_the_heads_are_kept(
        self, words: str, settings: Any, tmp_path: Path, name: str
    ) -> None:
        setattr(settings, name, str(tmp_path))
        (tmp_path / "kept.jsonl").write_text(words, encoding="utf-8")

        assert places(words) == [f"file: {tmp_path / 'kept.jsonl'}"]

    def test_it_looks_into_old_logs(
        self, words: str, settings: Any, tmp_path: Path
    ) -> None:
        settings.AUDIT_HEADS_DIR = str(tmp_path)
        (tmp_path / "old.gz").write_bytes(gzip.compress(b"x" * 999 + words.encode()))

        assert places(words) == [f"file: {tmp_path / 'old.gz'}"]

    def test_it_fails_where_it_cannot_read(
        self, words: str, settings: Any, tmp_path: Path
    ) -> None:
        """What it cannot look into could hold the text."""
        settings.AUDIT_HEADS_DIR = str(tmp_path)
        (tmp_path / "broken.gz").write_bytes(gzip.compress(b"x" * 999)[:20])

        with pytest.raises(ScanFailed, match="cannot be read"):
            scan(words)

    def test_it_tells_which_folder_it_leaves_out(self, words: str) -> None:
        assert any("postgres" in folder for folder in scan(words).left_out)


class TestCommand:
    def test_it_ends_well_when_the_text_is_nowhere(self, words: str) -> None:
        out, error = run_command(words)

        assert error == ""
        assert "Nowhere: looked at" in out

    def test_it_names_the_places_and_never_the_text(self, words: str, key: str) -> None:
        get_valkey().set(f"{key}", words)

        out, error = run_command(words, "--json")

        told = json.loads(out)
        assert error == "1: Found in 1 place(s)."
        assert told["found"][0]["place"] == f"valkey: {key}"
        assert words not in out + error

    def test_a_key_whose_name_holds_it_is_not_told(self, words: str) -> None:
        get_valkey().set(words, "x")

        out, error = run_command(words)
        get_valkey().delete(words)

        assert error.startswith("1: ")
        assert words not in out

    def test_it_reads_the_text_from_the_input(
        self, words: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("sys.stdin", io.StringIO(words + "\n"))

        out, _ = run_command("-")

        assert "Nowhere" in out

    @pytest.mark.parametrize("text", ["", " ", "x"])
    def test_it_refuses_a_text_that_is_everywhere(self, text: str) -> None:
        _, error = run_command(text)

        assert error.startswith("2: ")
