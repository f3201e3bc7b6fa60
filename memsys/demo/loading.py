"""Loads the demo: personas, chats through the real pipeline, and sign-ins.

Owns what is made once on a fresh machine. Passwords and keys are made by chance and
kept in one private file, for `manage.py up` to print.

>>> load_demo(folder, now=now)  # doctest: +SKIP
"""

import json
import secrets
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.contrib.auth import get_user_model

from identity.models import CreatorPersona
from identity.services import PersonaForm, ProfileForm, put_persona, put_profile
from memsys.api.keys import KeyForm, make_key
from memsys.api.scopes import Scope
from memsys.chat_log import ChatLine
from memsys.replay import Summary, replay

HERE = Path(__file__).parent
BY = "system:demo"
OFFICER = "officer"
KEY_LIFE = timedelta(days=180)
DEMO_SCOPES = (
    Scope.PERSONA_WRITE,
    Scope.RELATIONSHIP_ROUTE,
    Scope.TRANSFER_EXECUTE,
    Scope.MESSAGE_WRITE,
    Scope.SESSION_WRITE,
    Scope.CONTEXT_READ,
    Scope.MEMORY_READ_ITEM,
    Scope.MEMORY_WRITE,
    Scope.ERASURE_REQUEST,
    Scope.PROFILE_WRITE,
    Scope.STATS_READ,
)


@dataclass(frozen=True)
class SignIn:
    """Where and as whom a person or a service can come in."""

    what: str
    address: str
    user: str
    secret: str


def load_demo(*, now: datetime) -> Summary:
    """Make the demo personas and send the chats in as if they had been posted."""
    for entry in json.loads((HERE / "personas.json").read_text(encoding="utf-8")):
        _put(entry)
    lines = (HERE / "chats.jsonl").read_text(encoding="utf-8").splitlines()
    chats = [_to_line(json.loads(line), now=now) for line in lines]
    return replay(chats, now=now, advance=lambda count: None)


def is_loaded() -> bool:
    """Say whether the demo's personas are there."""
    return CreatorPersona.objects.filter(creator__external_id="studio-yue").exists()


def _put(entry: dict[str, Any]) -> None:
    persona = put_persona(
        PersonaForm(
            creator=entry["creator"],
            key=entry["key"],
            display_name=entry["display_name"],
            relationship_kind=entry["relationship_kind"],
        ),
        by=BY,
    )
    put_profile(
        persona.pk,
        ProfileForm(
            background=entry["background"],
            voice=entry["voice"],
            taboos=tuple(entry["taboos"]),
            standard_lines=tuple(entry["standard_lines"]),
        ),
        by=BY,
    )


def _to_line(entry: dict[str, Any], *, now: datetime) -> ChatLine:
    """Return a chat line on a day counted from today."""
    hour, minute = map(int, entry["time"].split(":"))
    day = now + timedelta(days=entry["day"])
    return ChatLine(
        user=entry["user"],
        facet=entry["facet"],
        creator=entry["creator"],
        persona=entry["persona"],
        author_kind=entry["author_kind"],
        text=entry["text"],
        sent_at=day.replace(hour=hour, minute=minute, second=0, microsecond=0),
    )


def make_sign_ins(path: Path, *, now: datetime) -> list[SignIn]:
    """Return the sign-ins kept in `path`; made, with new secrets, if it is not there."""
    if path.exists():
        kept = json.loads(path.read_text(encoding="utf-8"))
        return [SignIn(**entry) for entry in kept]
    password = secrets.token_urlsafe(12)
    officer, _ = get_user_model().objects.get_or_create(
        username=OFFICER, defaults={"is_staff": True, "is_superuser": True}
    )
    officer.set_password(password)
    officer.save()
    key = make_key(
        KeyForm("demo chat service", DEMO_SCOPES, now + KEY_LIFE), by=BY, now=now
    )
    sign_ins = [
        SignIn("Desk", "/desk/", OFFICER, password),
        SignIn("API", "/api/v1/", "demo chat service", key.secret),
    ]
    path.touch(mode=0o600)
    path.write_text(json.dumps([asdict(one) for one in sign_ins]), encoding="utf-8")
    return sign_ins
