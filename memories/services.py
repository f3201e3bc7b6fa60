"""What can be done with the memories of one relationship, inside an access scope.

Owns correcting, noting and erasing single memories, each with its audit row.
Reading them is `reading`'s.

>>> erase_memory(relationship, memory_id, by="service:ab12", reason_code="asked",
...              now=now)  # doctest: +SKIP
"""

from datetime import datetime
from uuid import UUID

from consent.gate import check_erasable
from identity.types import RelationshipRef
from identity.versions import note_consolidation
from memories.corrections import correct
from memories.erasure import erase_lineage
from memories.errors import MemoryConflict, MemoryNotFound, SensitiveWithoutGrant
from memories.locks import lock_memories
from memories.reading import MemoryView, get_memory, get_row, to_view
from memories.sensitive.screening import check_statement, visibility_of
from memories.statements import PreparedStatement
from memories.types import Dimension, Kind, Tier, Visibility
from memories.versions import NewMemory
from memories.writing import write_memories
from memsys.kernel.audit.chain import Deed, deed_chain, record
from memsys.kernel.scope import require_scope


def correct_memory(
    relationship: RelationshipRef,
    memory_id: UUID,
    statement: PreparedStatement,
    *,
    by: str,
    author: str,
    now: datetime,
) -> MemoryView:
    """Record what a memory should say, until the user says something newer.

    What it said before is what was known before `now`. A sensitive memory stays one,
    whatever it is made to say.

    Raises:
        MemoryNotFound: there is none in this relationship.
        SensitiveWithoutGrant: what it should say is sensitive, and not allowed.
    """
    now = lock_memories(relationship.id, now=now)
    row = get_row(relationship.id, memory_id)
    category = check_statement(
        relationship, statement.text, kind=row.kind, dimension=row.dimension
    )
    if category is not None:
        row.visibility = visibility_of(row.visibility)
        row.sensitive_category = category
    row = correct(relationship, row, statement, author=author, now=now)
    note_consolidation(relationship.id, at=now)
    _record(relationship, "memory.corrected", memory_id, by, ("text", "value"))
    return to_view(row)


def add_note(
    relationship: RelationshipRef,
    statement: PreparedStatement,
    *,
    by: str,
    author: str,
    now: datetime,
    occurred_at: datetime | None = None,
    visibility: str = Visibility.NORMAL.value,
) -> MemoryView:
    """Write a note of a person or a service, true from `occurred_at`; it has no slot.

    Raises:
        MemoryConflict: it was erased after `occurred_at`.
        SensitiveWithoutGrant: it is sensitive, and the user has not allowed such ones.
    """
    moment = occurred_at or now
    note = _to_note(statement, author=author, moment=moment, visibility=visibility)
    # Dated before an erasure, it counts as a replay of what was erased.
    written = write_memories(relationship, [note], now=now)
    if written.dropped:
        raise SensitiveWithoutGrant("The user has not allowed to keep this.")
    if not written.made:
        raise MemoryConflict("This was erased, and it was said before that.")
    _record(relationship, "memory.noted", written.made[0], by, ("text",))
    return get_memory(relationship.id, written.made[0])


def _to_note(
    statement: PreparedStatement, *, author: str, moment: datetime, visibility: str
) -> NewMemory:
    return NewMemory(
        kind=Kind.NOTE,
        subject="user",
        dimension=Dimension.OTHER,
        key="",
        value="",
        polarity=0,
        statement=statement,
        evidence=(),
        source_session=None,
        importance=0.5,
        said_at=moment,
        occurred_at=moment,
        due_at=None,
        author=author,
        tier=Tier.SEMANTIC,
        visibility=visibility,
    )


def erase_memory(
    relationship: RelationshipRef,
    memory_id: UUID,
    *,
    by: str,
    reason_code: str,
    now: datetime,
) -> dict[str, int]:
    """Erase all versions of a memory and its evidence; return counts per store.

    Raises:
        HeldByLaw: a legal hold keeps it.
        MemoryNotFound: there is none in this relationship.
    """
    require_scope(relationship=relationship.id)
    check_erasable(
        relationship.user_id, relationship_id=relationship.id, memory_id=memory_id
    )
    lock_memories(relationship.id, now=now)
    counts = erase_lineage(relationship, memory_id, now=now)
    if not counts["memories"]:
        raise MemoryNotFound("There is no such memory.")
    note_consolidation(relationship.id, at=now)
    _record(relationship, "memory.erased", memory_id, by, (), reason_code)
    return counts


def _record(
    relationship: RelationshipRef,
    action: str,
    memory_id: UUID,
    by: str,
    field_names: tuple[str, ...],
    reason_code: str = "",
) -> None:
    record(
        Deed(
            chain=deed_chain(relationship.user_id),
            action=action,
            actor=by,
            object_ref=f"memory:{memory_id}",
            field_names=field_names,
            reason_code=reason_code,
        )
    )
