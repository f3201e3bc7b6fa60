"""`manage.py prepare_database`: what a superuser must do once, before migrating.

Reads DATABASE_ADMIN_URL (a superuser) and makes the logins that DATABASE_URL,
DATABASE_OWNER_URL and DATABASE_MAINTENANCE_URL name.
"""

from typing import Any

import psycopg
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from memsys.kernel.database import prepare_database

LOGINS = {
    "default": "memsys_app",
    "owner": "memsys_owner",
    "maintenance": "memsys_maintenance",
}


class Command(BaseCommand):
    help = "Make the roles, the database and its rights; safe to run again."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        databases = settings.DATABASES
        if "admin" not in databases:
            raise CommandError("Set DATABASE_ADMIN_URL to a superuser's URL.")
        for alias, login in LOGINS.items():
            if alias in databases and databases[alias]["USER"] != login:
                raise CommandError(f"The URL of {alias} must sign in as {login}.")
        try:
            prepare_database(
                admin=databases["admin"],
                name=databases["default"]["NAME"],
                passwords=_passwords(databases),
            )
        except psycopg.Error as exc:
            raise CommandError(f"The server refused: {exc}") from exc
        self.stdout.write("The database is prepared.")


def _passwords(databases: dict[str, Any]) -> dict[str, str]:
    return {
        login: databases[alias]["PASSWORD"]
        for alias, login in LOGINS.items()
        if alias in databases and databases[alias]["PASSWORD"]
    }
