"""Prepares a database cluster for memsys: roles, database, extension, rights.

Owns what a superuser must do once before the migrations. Safe to run again.

>>> prepare_database(admin=settings.DATABASES["admin"], ...)  # doctest: +SKIP
"""

from collections.abc import Mapping
from typing import Any

import psycopg
from psycopg import sql

from memsys.kernel.sql import load_sql

OWNER = "memsys_owner"


def prepare_database(
    *, admin: Mapping[str, Any], name: str, passwords: Mapping[str, str]
) -> None:
    """Make the roles, the database `name`, its extension and its default rights.

    `admin` is a DATABASES entry of a superuser; `passwords` maps role to password.

    Raises:
        psycopg.Error: the server refused; what was done before stays and is harmless.
    """
    with _connect(admin, database=admin["NAME"]) as connection:
        connection.execute(load_sql("kernel", "roles"))
        for role, password in passwords.items():
            connection.execute(
                sql.SQL("ALTER ROLE {} PASSWORD {}").format(
                    sql.Identifier(role), sql.Literal(password)
                )
            )
        if not _exists(connection, name):
            connection.execute(
                sql.SQL("CREATE DATABASE {} OWNER {}").format(
                    sql.Identifier(name), sql.Identifier(OWNER)
                )
            )
    with _connect(admin, database=name) as connection:
        connection.execute(load_sql("kernel", "database"))


def _connect(
    admin: Mapping[str, Any], *, database: str
) -> "psycopg.Connection[tuple[Any, ...]]":
    given = {
        "host": admin.get("HOST"),
        "port": admin.get("PORT"),
        "user": admin.get("USER"),
        "password": admin.get("PASSWORD"),
        **admin.get("OPTIONS", {}),
    }
    return psycopg.connect(
        dbname=database, autocommit=True, **{k: v for k, v in given.items() if v}
    )


def _exists(connection: "psycopg.Connection[tuple[Any, ...]]", name: str) -> bool:
    found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name])
    return found.fetchone() is not None
