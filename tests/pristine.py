"""The database as the migrations made it, to go back to after real commits.

Owns a copy of it, made once, and its return: so what one file's tests have committed is
seen by no other, in whatever order the files run. With it go the erasure ledger and the
published heads, which would know more than the database, and all of Valkey.

>>> keep()  # doctest: +SKIP
>>> give_back()  # doctest: +SKIP
"""

from shutil import rmtree

import psycopg
from django.conf import settings
from django.db import connections
from psycopg import sql

from memsys.kernel.database import OWNER
from memsys.kernel.valkey import get_valkey

COPY = "memsys_as_migrated"


def keep() -> None:
    """Make the copy; nobody may be connected to the database."""
    _close()
    _copy(settings.DATABASES["default"]["NAME"], to=COPY)


def give_back() -> None:
    """Put the copy in the place of the database; who is connected is cut off."""
    _close()
    _copy(COPY, to=settings.DATABASES["default"]["NAME"])
    get_valkey().flushdb()
    for outside in (settings.ERASURE_LEDGER_DIR, settings.AUDIT_HEADS_DIR):
        rmtree(outside, ignore_errors=True)


def _copy(name: str, *, to: str) -> None:
    parameters = connections["admin"].get_connection_params()
    with psycopg.connect(**parameters | {"autocommit": True}) as connection:
        for text in (
            "DROP DATABASE IF EXISTS {to} WITH (FORCE)",
            "CREATE DATABASE {to} TEMPLATE {name} OWNER {owner}",
        ):
            connection.execute(
                sql.SQL(text).format(
                    to=sql.Identifier(to),
                    name=sql.Identifier(name),
                    owner=sql.Identifier(OWNER),
                )
            )


def _close() -> None:
    for one in connections.all():
        one.close()
    connections["default"].close_pool()
