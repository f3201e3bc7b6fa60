"""Every route of the API with a body that it takes, for the sweeps.

A test checks that no route is missing here.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from identity.types import RelationshipRef
from tests.factories.api import make_message_body


@dataclass(frozen=True)
class Names:
    """Whose things a request is about: real ones, or ones that do not exist."""

    relationship: UUID
    persona: UUID
    memory: UUID
    user: str
    creator: str
    persona_key: str

    @classmethod
    def of(cls, relationship: RelationshipRef, memory: UUID) -> "Names":
        return cls(
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
    yield Route("GET", f"{one}/sessions", "session:write")


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


def _targeted_routes(target: Any) -> Iterator[Route]:
    asked = {"target": target, "query": "生日"}
    posted = {"target": target, "messages": [make_message_body()]}
    yield Route("POST", "/messages", "message:write", posted, 202)
    yield Route("POST", "/sessions/end", "session:write", {"target": target})
    yield Route("POST", "/context", "context:read", asked)


ROUTES = list(list_routes())
# Shows nothing of anybody, so any key will do.
OPEN_TO_ANY_KEY = {("GET", "schema")}
