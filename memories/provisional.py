"""The rules' memories of a session that waited for the model.

Owns what becomes of them once it has answered: what the answer does not confirm is
taken back, as if it had not been said.

>>> take_back(relationship, session_id, news, now=now)  # doctest: +SKIP
"""

from collections.abc import Hashable, Sequence
from datetime import datetime
from uuid import UUID

from identity.types import RelationshipRef
from memories.lines import meaning_of
from memories.models import Memory
from memories.types import SLOTTED_KINDS, MemoryAuthor
from memories.versions import NewMemory
from memories.writing import withdraw_memories
from memsys.kernel.scope import require_scope
from memsys.kernel.text.clean import fold


def take_back(
    relationship: RelationshipRef,
    session_id: UUID,
    news: Sequence[NewMemory],
    *,
    now: datetime,
) -> None:
    """Withdraw what the rules found in a session and `news` does not say. One query."""
    require_scope(relationship=relationship.id)
    confirmed = {_said(one, one.statement.text) for one in news}
    rows = (
        Memory.objects.of(relationship.id)
        .current()
        .filter(source_session_id=session_id, author=MemoryAuthor.RULES)
        .defer("embedding", "tokens")
    )
    gone = [row.lineage for row in rows if _said(row, row.text) not in confirmed]
    if gone:
        withdraw_memories(relationship, gone, now=now)


def _said(one: Memory | NewMemory, text: str) -> Hashable:
    """Return what two memories have in common when they say the same."""
    if one.kind in SLOTTED_KINDS:
        return one.kind, meaning_of(one)
    return one.kind, one.subject, fold(text)
