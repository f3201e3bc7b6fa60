"""The search through every column of every table, as the login that sees all rows.

One read of each table; ids are asked for where something was found. The export's files
are ZIPs, so their members are read as well.

>>> list(search_tables(connections["maintenance"], forms_of("暗号")))  # doctest: +SKIP
"""

import io
import tempfile
import zipfile
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from psycopg import sql

from memsys.kernel.sql import load_sql
from memsys.scanning.forms import WINDOW_BYTES, Forms
from memsys.scanning.results import IDS_SHOWN, Found, ScanFailed

HIDDEN = "(its key holds the text)"
SPOOLED_BYTES = 8 << 20
EXPORTS = "consent_exportchunk"
_ESCAPES = str.maketrans({"\\": r"\\", "%": r"\%", "_": r"\_"})

Column = tuple[str, str, str, list[str]]


def list_columns(connection: Any) -> list[Column]:
    """Return table, column, kind and key of all that can hold a text. Two queries.

    Raises:
        ScanFailed: a table is not wholly visible to this login.
    """
    with connection.cursor() as cursor:
        cursor.execute(load_sql("memsys", "scan_tables"))
        blind = [name for name, is_seen in cursor.fetchall() if not is_seen]
        cursor.execute(load_sql("memsys", "scan_columns"))
        columns = list(cursor.fetchall())
    if blind:
        raise ScanFailed("This login does not see all of " + ", ".join(blind) + ".")
    return columns


def count_tables(connection: Any) -> int:
    """Return how many tables there are. One query."""
    with connection.cursor() as cursor:
        cursor.execute(load_sql("memsys", "scan_tables"))
        return len(cursor.fetchall())


def search_tables(connection: Any, forms: Forms) -> Iterator[Found]:
    """Yield each column that holds one of the forms, table by table."""
    for table, columns in groupby(list_columns(connection), lambda one: one[0]):
        yield from search_table(connection, forms, table, list(columns))
    yield from search_exports(connection, forms)


def search_table(
    connection: Any, forms: Forms, table: str, columns: list[Column]
) -> Iterator[Found]:
    """Yield the columns of one table that hold one of the forms."""
    tests = [_test(column, forms) for column in columns]
    counted = sql.SQL(", ").join(
        sql.SQL("count(*) FILTER (WHERE {})").format(test) for test in tests
    )
    query = sql.SQL("SELECT {} FROM {}").format(counted, sql.Identifier(table))
    with connection.cursor() as cursor:
        cursor.execute(query)
        counts = cursor.fetchone()
    for column, test, count in zip(columns, tests, counts, strict=True):
        if count:
            ids = _read_ids(connection, column, test, forms)
            yield Found(f"{table}.{column[1]}", count, ids)


def _test(column: Column, forms: Forms) -> sql.Composable:
    _, name, kind, _ = column
    place = sql.Identifier(name)
    if kind == "bytes":
        parts = (
            sql.SQL("position({}::bytea in {}) > 0").format(sql.Literal(form), place)
            for form in forms.data
        )
        return sql.SQL("({})").format(sql.SQL(" OR ").join(parts))
    patterns = sql.Literal([f"%{one.translate(_ESCAPES)}%" for one in forms.texts])
    whole = (
        sql.SQL("array_to_string({}, chr(31))")
        if kind == "array"
        else sql.SQL("{}::text")
    ).format(place)
    return sql.SQL("({} LIKE ANY ({}))").format(whole, patterns)


def _read_ids(
    connection: Any, column: Column, test: sql.Composable, forms: Forms
) -> tuple[str, ...]:
    table, _, _, key = column
    parts = [sql.SQL("{}::text").format(sql.Identifier(one)) for one in key]
    shown = sql.SQL(" || '/' || ").join(parts) if parts else sql.SQL("ctid::text")
    query = sql.SQL("SELECT {} FROM {} WHERE {} LIMIT {}").format(
        shown, sql.Identifier(table), test, sql.Literal(IDS_SHOWN)
    )
    with connection.cursor() as cursor:
        cursor.execute(query)
        ids = [str(one) for (one,) in cursor.fetchall()]
    return tuple(HIDDEN if forms.are_in(one.encode()) else one for one in ids)


def search_exports(connection: Any, forms: Forms) -> Iterator[Found]:
    """Yield the exports whose files hold one of the forms inside their ZIP."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT DISTINCT export_id FROM {EXPORTS} ORDER BY 1")  # noqa: S608 - a constant
        exports = [one for (one,) in cursor.fetchall()]
    hit = tuple(str(one) for one in exports if _holds(connection, one, forms))
    if hit:
        yield Found(f"{EXPORTS}.data (unpacked)", len(hit), hit[:IDS_SHOWN])


def _holds(connection: Any, export: Any, forms: Forms) -> bool:
    """Say whether a file holds one of the forms; its pieces are fetched one by one."""
    with (
        tempfile.SpooledTemporaryFile(max_size=SPOOLED_BYTES) as file,
        connection.cursor() as cursor,
    ):
        cursor.execute(
            f"SELECT id FROM {EXPORTS} WHERE export_id = %s ORDER BY number",  # noqa: S608 - a constant
            [export],
        )
        for (piece,) in cursor.fetchall():
            cursor.execute(f"SELECT data FROM {EXPORTS} WHERE id = %s", [piece])  # noqa: S608 - a constant
            file.write(cursor.fetchone()[0])
        if not zipfile.is_zipfile(file):
            return False
        with zipfile.ZipFile(file) as packed:
            return any(
                forms.are_in(name.filename.encode())
                or forms.are_in_any(_read(packed, name))
                for name in packed.infolist()
            )


def _read(packed: zipfile.ZipFile, name: zipfile.ZipInfo) -> Iterator[bytes]:
    with packed.open(name) as member:
        stream: io.BufferedIOBase = member  # type: ignore[assignment]
        while window := stream.read(WINDOW_BYTES):
            yield window
