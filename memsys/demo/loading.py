"""Loads the demo: personas, chats through the real pipeline, and sign-ins.

Owns what is made once on a fresh machine. Passwords and keys are made by chance and
kept in one private file, for `manage.py up` to print.

>>> load_demo(now=now)  # doctest: +SKIP
"""

import json
from dataclasses import asdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from identity.models import Relationship
from identity.resolution import Address
from identity.services import (
    PersonaForm,
    ProfileForm,
    mark_synthetic,
    put_persona,
    put_profile,
)
from memories.models import ChatSession
from memsys.api.keys import KeyForm, make_key
from memsys.api.scopes import Scope
from memsys.chat_log import ChatLine
from memsys.demo.colleagues import SignIn, make_colleagues
from memsys.kernel.sharding.ids import bucket_of_user
from memsys.replay import Summary, replay

HERE = Path(__file__).parent
BY = "system:demo"
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
    Scope.CONSENT_READ,
    Scope.CONSENT_WRITE,
    Scope.DISCLOSURE_WRITE,
    Scope.RELEASE_READ,
    Scope.HOLD_READ,
    Scope.EXPORT_REQUEST,
    Scope.WEBHOOK_MANAGE,
    Scope.STATS_READ,
)


def load_demo(*, now: datetime) -> Summary:
    """Make the demo personas and send the chats in as if they had been posted.

    Again after an interruption, it sends what is missing: each line has its own id.
    """
    for entry in json.loads((HERE / "personas.json").read_text(encoding="utf-8")):
        _put(entry)
    lines = _read_chats(now=now)
    for user in sorted({line.address.user for line in lines}):
        # Before anything is said: what is sensitive is judged when it is written.
        mark_synthetic(user, by=BY)
    return replay(lines, now=now, advance=lambda count: None)


def is_loaded(*, now: datetime) -> bool:
    """Say whether each chat of the demo came in; what was erased since counts too."""
    addresses = {line.address for line in _read_chats(now=now)}
    return all(_has_chats(address) for address in addresses)


def _has_chats(address: Address) -> bool:
    row = Relationship.objects.between(
        bucket=bucket_of_user(address.user),
        user=address.user,
        facet=address.facet,
        creator=address.creator,
        persona=address.persona,
    ).first()
    return row is not None and ChatSession.objects.of(row.pk).exists()


def _read_chats(*, now: datetime) -> list[ChatLine]:
    lines = (HERE / "chats.jsonl").read_text(encoding="utf-8").splitlines()
    return [
        _to_line(json.loads(line), number=number, now=now)
        for number, line in enumerate(lines, start=1)
    ]


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


def _to_line(entry: dict[str, Any], *, number: int, now: datetime) -> ChatLine:
    """Return a chat line on a day counted from today."""
    hour, minute = map(int, entry["time"].split(":"))
    day = now + timedelta(days=entry["day"])
    return ChatLine(
        id=f"demo-{number}",
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
    key = make_key(
        KeyForm("demo chat service", DEMO_SCOPES, now + KEY_LIFE), by=BY, now=now
    )
    sign_ins = [
        *make_colleagues(),
        SignIn("API", "/api/v1/", "demo chat service", key.secret),
    ]
    _write_private(path, json.dumps([asdict(one) for one in sign_ins]))
    return sign_ins


def _write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read, as a whole or not at all."""
    unfinished = path.with_suffix(".new")
    unfinished.unlink(missing_ok=True)
    unfinished.touch(mode=0o600)
    unfinished.write_text(text, encoding="utf-8")
    unfinished.replace(path)
