"""Every route of the API with a body that it takes, for the sweeps.

A test checks that no route is missing here.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

from identity.types import RelationshipRef
from tests.factories.api import make_message_body
from tests.factories.erasures import make_erasure
from tests.factories.exporting import plant_export
from tests.factories.webhooks import make_delivery


@dataclass(frozen=True)
class Names:
    """Whose things a request is about: real ones, or ones that do not exist."""

    relationship: UUID
    persona: UUID
    memory: UUID
    user: str
    creator: str
    persona_key: str
    webhook: UUID = field(default_factory=uuid4)
    delivery: UUID = field(default_factory=uuid4)
    erasure: UUID = field(default_factory=uuid4)
    export: UUID = field(default_factory=uuid4)

    @classmethod
    def of(cls, relationship: RelationshipRef, memory: UUID) -> "Names":
        delivery = make_delivery(relationship)
        return cls(
            webhook=delivery.endpoint_id,
            delivery=delivery.pk,
            erasure=make_erasure(relationship).pk,
            export=plant_export(relationship).pk,
            relationship=relationship.id,
            persona=relationship.persona_id,
            memory=memory,
            user=relationship.user_external_id,
            creator=relationship.creator_external_id,
            persona_key=relationship.persona_key,
        )

    @classmethod
    def of_nobody(cls, creator: str) -> "Names":
        return cls(uuid4(), uuid4(), uuid4(), "nobody", creator, "nobody")

    @property
    def address(self) -> dict[str, str]:
        return {
            "user": self.user,
            "creator": self.creator,
            "persona": self.persona_key,
        }


@dataclass(frozen=True)
class Route:
    """One method of one address, the scope that it needs, and a body that it takes."""

    method: str
    path: str
    scope: str
    body: Any = None
    status: int = 200

    def fill(self, names: Names) -> tuple[str, str, Any]:
        """Return the request about somebody's things."""
        return self.method, self.path.format(**vars(names)), _fill(self.body, names)


def _fill(body: Any, names: Names) -> Any:
    if body == "{address}":
        return names.address
    if isinstance(body, str):
        return body.format(**vars(names))
    if isinstance(body, dict):
        filled = {name: _fill(value, names) for name, value in body.items()}
        return filled.pop("target", {}) | filled
    return body


def list_routes() -> Iterator[Route]:
    """Return all routes; where a relationship can be named in two ways, both."""
    yield from _identity_routes()
    yield from _memory_routes()
    yield from _webhook_routes()
    yield from _erasure_routes()
    yield from _export_routes()
    yield from _consent_routes()
    for target in ({"relationship": "{relationship}"}, "{address}"):
        yield from _targeted_routes(target)


def _identity_routes() -> Iterator[Route]:
    one = "/relationships/{relationship}"
    persona = {
        "creator": "{creator}",
        "key": "night",
        "display_name": "月影",
        "relationship_kind": "friend",
    }
    move = {"to": "proxy_pool", "reason_code": "test"}
    route = "relationship:route"
    yield Route("PUT", "/personas", "persona:write", persona)
    yield Route("GET", "/personas/{persona}", route)
    yield Route("PUT", "/personas/{persona}/profile", "persona:write", {"voice": "好"})
    yield Route("POST", "/relationships/resolve", route, "{address}")
    yield Route("GET", one, route)
    yield Route("PUT", f"{one}/user", "profile:write", {"nickname": "阿澈"})
    yield Route("POST", f"{one}/custody", "transfer:execute", move)
    yield Route("POST", f"{one}/status", route, {"action": "pause"})
    yield Route("GET", f"{one}/sessions", "session:write")
    yield Route("GET", f"{one}/profile", "profile:read:released")
    yield Route("GET", f"{one}/releases", "release:read")
    values = {"user": "{user}", "fields": {"region": "浙江杭州"}}
    yield Route("PUT", "/users/profile", "profile:write", values)


def _webhook_routes() -> Iterator[Route]:
    manage, one = "webhook:manage", "/webhooks/{webhook}"
    body = {"url": "https://hooks.test/", "events": ["hold.set"]}
    again = "/webhooks/deliveries/{delivery}/replay"
    yield Route("GET", "/webhooks", manage)
    yield Route("POST", "/webhooks", manage, body, 201)
    yield Route("GET", f"{one}/deliveries", manage)
    yield Route("POST", f"{one}/secret", manage)
    yield Route("POST", again, manage, None, 202)
    yield Route("DELETE", one, manage)


def _memory_routes() -> Iterator[Route]:
    one = "/relationships/{relationship}"
    read, write, erase = "memory:read:item", "memory:write", "erasure:request"
    text, all_of_it = {"text": "喜欢看海"}, {"confirm": "{relationship}"}
    yield Route("GET", f"{one}/memories", read)
    yield Route("POST", f"{one}/memories", write, text, 201)
    yield Route("GET", f"{one}/memories/{{memory}}", read)
    yield Route("PUT", f"{one}/memories/{{memory}}", write, text)
    yield Route("GET", f"{one}/timeline", read)
    yield Route("POST", f"{one}/search", "context:read", {"query": "生日"})
    yield Route("DELETE", f"{one}/memories/{{memory}}", erase)
    yield Route("DELETE", f"{one}/memories", erase, all_of_it)


def _erasure_routes() -> Iterator[Route]:
    erase, one = "erasure:request", "/erasures/{erasure}"
    target = {"relationship": "{relationship}"}
    wanted = target | {"confirm": "{relationship}"}
    yield Route("POST", "/erasures/preview", erase, target)
    yield Route("POST", "/erasures", erase, wanted, 202)
    yield Route("GET", one, erase)
    yield Route("POST", f"{one}/undo", erase)


def _export_routes() -> Iterator[Route]:
    ask, one = "export:request", "/exports/{export}"
    wanted = {"relationship": "{relationship}", "formats": ["json"]}
    yield Route("POST", "/exports", ask, wanted, 202)
    yield Route("GET", one, ask)
    yield Route("GET", f"{one}/file", ask)


def _consent_routes() -> Iterator[Route]:
    read, one = "consent:read", "/relationships/{relationship}/disclosures"
    withdrawn = {
        "user": "{user}",
        "scope": "release:region",
        "action": "withdraw",
        "relationship": "{relationship}",
    }
    shown = {
        "kind": "periodic",
        "version": "2026-07",
        "shown_at": "2026-01-01T12:00:00+08:00",
    }
    yield Route("POST", "/consents", "consent:write", withdrawn, 201)
    yield Route("GET", "/consents?user={user}", read)
    yield Route("GET", "/consents/events?user={user}", read)
    yield Route("GET", "/consent-prompts?user={user}", read)
    yield Route("GET", "/consent-texts", read)
    yield Route("GET", "/holds?user={user}", "hold:read")
    yield Route("POST", one, "disclosure:write", shown, 201)
    yield Route("GET", one, "disclosure:write")


def _targeted_routes(target: Any) -> Iterator[Route]:
    asked = {"target": target, "query": "生日"}
    posted = {"target": target, "messages": [make_message_body()]}
    yield Route("POST", "/messages", "message:write", posted, 202)
    yield Route("POST", "/sessions/end", "session:write", {"target": target})
    yield Route("POST", "/context", "context:read", asked)


ROUTES = list(list_routes())
# Shows nothing of anybody, so any key will do.
# They name nobody's things: a key makes its own there, and sees its own alone.
ABOUT_ONES_OWN = {
    ("GET", "/webhooks"),
    ("POST", "/webhooks"),
    ("GET", "/consent-texts"),
}
OPEN_TO_ANY_KEY = {("GET", "schema")}
