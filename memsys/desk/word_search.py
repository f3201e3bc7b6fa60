"""Looks for words inside one chosen user, relationship or persona.

Owns where is looked and that the look is recorded: how long the words were, never the
words. Sensitive memories and all of minors are left out: that a word is found there
would already tell what takes a second person.

>>> search_words(target, "芒果", is_exact=False, after=None, by="staff:3")
... # doctest: +SKIP
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Q

from identity.models import CreatorPersona, GlobalUser, Relationship
from identity.resolution import to_ref
from identity.types import AgeBand, RelationshipRef
from memories.models import Memory, Message
from memories.types import Visibility
from memsys.kernel.audit.chain import Deed, deed_chain, record
from memsys.kernel.pages.read_only import DESK_CHAIN
from memsys.kernel.scope import Purpose, access_scope
from memsys.kernel.sharding.ids import bucket_of_user
from memsys.kernel.text.tokens import Names, query_tokens

# Relationships looked through at a time, and hits shown of each.
PAGE, HITS = 20, 50
MINORS = (AgeBand.MINOR_14_17, AgeBand.UNDER_14)


class Where(StrEnum):
    USER = "user"
    RELATIONSHIP = "relationship"
    PERSONA = "persona"


@dataclass(frozen=True)
class Target:
    """Where is looked: which user, relationship or persona."""

    where: Where
    id: UUID

    @property
    def ref(self) -> str:
        return f"{self.where.value}:{self.id}"


@dataclass(frozen=True)
class Hit:
    """A memory or message in which the words are; not what it says."""

    kind: str
    id: UUID
    at: datetime
    what: Any


@dataclass(frozen=True)
class Group:
    """The hits in one relationship."""

    relationship: RelationshipRef
    hits: tuple[Hit, ...]


@dataclass(frozen=True)
class Result:
    """What was found, and from which relationship on to look further."""

    groups: tuple[Group, ...]
    looked_through: int
    left_out: int
    next: UUID | None


def find_target(where: Where, name: str) -> Target | None:
    """Return what a name means: an id, a user's external id, or creator/persona."""
    key = _parse(name)
    match where:
        case Where.RELATIONSHIP:
            rows: Any = Relationship.objects.filter(pk=key) if key else None
        case Where.USER:
            rows = _users(name, key)
        case Where.PERSONA:
            rows = _personas(name, key)
    found = rows.values_list("pk", flat=True).first() if rows is not None else None
    return Target(where, found) if found is not None else None


def search_words(
    target: Target,
    words: str,
    *,
    is_exact: bool,
    after: UUID | None,
    by: str,
    within: Any = None,
) -> Result:
    """Look through up to twenty relationships, one scope after the other.

    The look is committed to the audit before anything is read. `within` limits the
    relationships to those that the person may open.
    """
    rows = _list_relationships(target, within)
    if after is not None:
        rows = rows.filter(pk__gt=after)
    refs = [to_ref(row) for row in rows.order_by("pk")[: PAGE + 1]]
    has_more, refs = len(refs) > PAGE, refs[:PAGE]
    open_ones = [ref for ref in refs if ref.age_band not in MINORS]
    _record(target, open_ones, words, is_exact=is_exact, by=by)
    groups = [_look(ref, words, is_exact=is_exact) for ref in open_ones]
    return Result(
        groups=tuple(group for group in groups if group.hits),
        looked_through=len(open_ones),
        left_out=len(refs) - len(open_ones),
        next=refs[-1].id if has_more else None,
    )


def _list_relationships(target: Target, within: Any) -> Any:
    rows: Any = Relationship.objects.with_sides()
    rows = within(rows) if within is not None else rows
    match target.where:
        case Where.USER:
            return rows.filter(global_user_id=target.id)
        case Where.PERSONA:
            return rows.filter(persona_id=target.id)
    return rows.filter(pk=target.id)


def _look(relationship: RelationshipRef, words: str, *, is_exact: bool) -> Group:
    tokens = query_tokens(words, names=Names(relationship.names))
    with access_scope(Purpose.DESK, relationship=relationship.id):
        memories = Memory.objects.of(relationship.id).current()
        memories = memories.filter(visibility=Visibility.NORMAL, sensitive_category="")
        if is_exact or not tokens:
            memories = memories.filter(text__icontains=words)
        else:
            memories = memories.filter(tokens__contains=tokens)
        messages = Message.objects.filter(relationship_id=relationship.id)
        messages = messages.filter(_has_all(words.split(), is_exact, words))
        hits = [*_memory_hits(memories), *_message_hits(messages)]
    hits.sort(key=lambda one: (one.at, one.id), reverse=True)
    return Group(relationship, tuple(hits[:HITS]))


def _memory_hits(rows: Any) -> Iterable[Hit]:
    found = rows.order_by("-recorded_at", "-pk").only("lineage", "kind", "recorded_at")
    for row in found[:HITS]:
        yield Hit("memory", row.lineage, row.recorded_at, row.get_kind_display())


def _message_hits(rows: Any) -> Iterable[Hit]:
    found = rows.order_by("-sent_at", "-pk").only("author_kind", "sent_at")
    for row in found[:HITS]:
        yield Hit("message", row.pk, row.sent_at, row.get_author_kind_display())


def _has_all(parts: list[str], is_exact: bool, words: str) -> Q:
    wanted = Q()
    for part in [words] if is_exact else parts:
        wanted &= Q(text__icontains=part)
    return wanted


def _record(
    target: Target,
    relationships: list[RelationshipRef],
    words: str,
    *,
    is_exact: bool,
    by: str,
) -> None:
    """Record the look: once for what was chosen, once for each user in it."""
    details = {"length": len(words), "exact": is_exact, "target": target.ref}
    deeds = [Deed(DESK_CHAIN, "desk.words_searched", by, target.ref, details=details)]
    deeds += [
        Deed(
            deed_chain(one.user_id),
            "desk.words_searched",
            by,
            f"relationship:{one.id}",
            subject=one.user_id,
            details=details,
        )
        for one in relationships
    ]
    with transaction.atomic(durable=True):
        # Several writers lock the chains in the same order.
        for deed in sorted(deeds, key=lambda one: one.chain):
            record(deed)


def _users(name: str, key: UUID | None) -> Any:
    if key is not None:
        return GlobalUser.objects.filter(pk=key)
    return GlobalUser.objects.filter(shard=bucket_of_user(name), external_id=name)


def _personas(name: str, key: UUID | None) -> Any:
    if key is not None:
        return CreatorPersona.objects.filter(pk=key)
    creator, _slash, persona = name.rpartition("/")
    return CreatorPersona.objects.filter(creator__external_id=creator, key=persona)


def _parse(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
