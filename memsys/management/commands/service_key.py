"""`manage.py service_key make|revoke`: keys of calling services.

A key is printed once, when it is made; only its hash is kept.

    manage.py service_key make chat --scope context:read --scope message:write
    manage.py service_key revoke ab12cd34
"""

from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from memsys.api.errors import ApiError
from memsys.api.keys import KeyForm, make_key, revoke_key
from memsys.api.models import LONGEST_LIFE
from memsys.api.scopes import Scope
from memsys.kernel.text.clean import InvalidIdentifier

DEFAULT_DAYS = 90
ACTOR = "command:service_key"


class Command(BaseCommand):
    help = "Make or revoke the key of a calling service."

    def add_arguments(self, parser: CommandParser) -> None:
        deeds = parser.add_subparsers(dest="deed", required=True)
        make = deeds.add_parser("make", help="Make a key and print it once.")
        make.add_argument("name", help="What the key is for, up to 50 characters.")
        make.add_argument(
            "--scope",
            action="append",
            required=True,
            choices=sorted(Scope),
            help="A right of the key; give one --scope for each.",
        )
        make.add_argument(
            "--creator",
            action="append",
            default=[],
            help="Limit the key to this creator (external id); may be repeated.",
        )
        make.add_argument(
            "--days",
            type=int,
            default=DEFAULT_DAYS,
            help=f"Days until it expires, at most {LONGEST_LIFE.days}.",
        )
        revoke = deeds.add_parser("revoke", help="End a key for good.")
        revoke.add_argument("prefix", help="The part of the key before the dot.")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["deed"] == "make":
                self._make(options)
            else:
                revoke_key(options["prefix"], by=ACTOR)
                self.stdout.write("Revoked; it stops working within seconds.")
        except (ApiError, InvalidIdentifier) as exc:
            raise CommandError(str(exc)) from exc

    def _make(self, options: dict[str, Any]) -> None:
        now = timezone.now()
        days = min(max(options["days"], 0), LONGEST_LIFE.days + 1)
        form = KeyForm(
            name=options["name"],
            scopes=tuple(options["scope"]),
            creators=tuple(options["creator"]),
            expires_at=now + timedelta(days=days),
        )
        key = make_key(form, by=ACTOR, now=now)
        self.stderr.write(f"Expires {key.expires_at:%Y-%m-%d}. Shown only this once:")
        self.stdout.write(key.secret)
