"""The chat platform: it passes on what users say and decide, and asks for contexts.

>>> chat = ChatService(web.url)  # doctest: +SKIP
>>> ann = chat.meet("ann", persona)  # doctest: +SKIP
"""

from dataclasses import dataclass
from typing import Any

import httpx
from django.utils import timezone

from memsys.api.scopes import Scope
from tests.factories.api import make_bot
from tests.factories.identity import new_name


@dataclass(frozen=True)
class Persona:
    """A persona, by the platform's names and by our id."""

    creator: str
    key: str
    id: str

    @property
    def address(self) -> str:
        return f"{self.creator}/{self.key}"


@dataclass(frozen=True)
class Friend:
    """A user with one persona."""

    user: str
    persona: Persona
    relationship: str


class ChatService:
    """A real client with two keys: whoever records consent reads no released fields."""

    def __init__(self, url: str) -> None:
        self._url = f"{url}/api/v1"
        self._key = make_bot().key.secret
        consent = [Scope.CONSENT_READ, Scope.CONSENT_WRITE]
        self._consent_key = make_bot(scopes=consent).key.secret
        self._client = httpx.Client(timeout=30)

    def close(self) -> None:
        self._client.close()

    def make_persona(self, creator: str | None = None) -> Persona:
        creator, key = creator or new_name("creator"), new_name("persona")
        told = {"display_name": "月影", "relationship_kind": "friend"}
        body = {"creator": creator, "key": key} | told
        return Persona(creator, key, self._call("PUT", "personas", body)["id"])

    def meet(self, persona: Persona, user: str | None = None) -> Friend:
        """Let a user, a new one by default, begin to talk with a persona."""
        user = user or new_name("user")
        body = {"user": user, "creator": persona.creator, "persona": persona.key}
        found = self._call("POST", "relationships/resolve", body)
        return Friend(user, persona, found["id"])

    def say(self, friend: Friend, *texts: str) -> None:
        """Pass on what a user said, and end the session."""
        here, now = {"relationship": friend.relationship}, timezone.now().isoformat()
        messages = [
            {"author_kind": "user", "text": text, "sent_at": now} for text in texts
        ]
        self._call("POST", "messages", here | {"messages": messages})
        self._call("POST", "sessions/end", here)

    def tell_field(self, friend: Friend, field: str, value: str) -> None:
        """Tell what the platform knows of a user."""
        body = {"user": friend.user, "fields": {field: value}}
        self._call("PUT", "users/profile", body)

    def grant(self, friend: Friend, scope: str) -> None:
        """Record that the user read the text in force and consented, for here alone."""
        asked = {"user": friend.user, "relationship": friend.relationship}
        prompts = self._consent("GET", "consent-prompts", params=asked)["items"]
        (text,) = (one["text"] for one in prompts if one["scope"] == scope)
        now = timezone.now().isoformat()
        body = asked | {
            "scope": scope,
            "action": "grant",
            "policy_version": text["id"],
            "locale": text["locale"],
            "text_sha256": text["sha256"],
            "surface": "chat",
            "shown_at": now,
            "evidence_id": new_name("click"),
        }
        self._consent("POST", "consents", json=body)

    def withdraw(self, friend: Friend, scope: str) -> None:
        asked = {"user": friend.user, "relationship": friend.relationship}
        body = asked | {"scope": scope, "action": "withdraw"}
        self._consent("POST", "consents", json=body)

    def move_custody(self, friend: Friend, pool: str) -> None:
        """Say who operates the relationship from now on."""
        path = f"relationships/{friend.relationship}/custody"
        self._call("POST", path, {"to": pool, "reason_code": "creator-on-leave"})

    def ask_context(self, friend: Friend, query: str) -> dict[str, Any]:
        """Ask for the context before the next reply."""
        body = {"relationship": friend.relationship, "query": query}
        return self._call("POST", "context", body)

    def ask_status(self, friend: Friend, query: str) -> int:
        """Ask for a context that may be refused; return the status of the answer."""
        body = {"relationship": friend.relationship, "query": query}
        return self._send("POST", "context", self._key, json=body).status_code

    def _call(self, method: str, path: str, body: Any) -> dict[str, Any]:
        return self._read(self._send(method, path, self._key, json=body))

    def _consent(self, method: str, path: str, **told: Any) -> dict[str, Any]:
        return self._read(self._send(method, path, self._consent_key, **told))

    def _send(self, method: str, path: str, key: str, **told: Any) -> httpx.Response:
        headers = {"Authorization": f"Bearer {key}"}
        return self._client.request(
            method, f"{self._url}/{path}", headers=headers, **told
        )

    def _read(self, answer: httpx.Response) -> dict[str, Any]:
        assert answer.is_success, answer.text
        found: dict[str, Any] = answer.json()
        return found
