"""Many rows at once, copied from one by the database: what lists must stay quick over.

>>> make_crowd(ann, 10_000)  # doctest: +SKIP
"""

from typing import Any

from django.db import connection
from django.utils import timezone

from consent.models import (
    AccessBatch,
    ChangeRequest,
    ErasureRun,
    ExportRun,
    LegalHold,
    SubjectRequest,
)
from identity.models import CustodyTransfer, GlobalUser, Relationship, UserFacet
from identity.types import RelationshipRef
from memories.models import (
    ChatSession,
    ErasureTombstone,
    Memory,
    Message,
    MessageFingerprint,
    ModelAttempt,
)
from memsys.api.models import IdempotencyRecord
from memsys.kernel.scope import Purpose, access_scope
from tests.desk.rows import make_governance
from tests.factories.content import make_row
from tests.factories.identity import new_name
from tests.factories.memories import make_memory, make_message, make_session


def new_key(kind: str, key: str = "id") -> str:
    """Return SQL for a new key of one kind in the bucket of a row's own.

    The same for each number, so that rows of one number can refer to each other.
    """
    return f"(left(md5('{kind}' || nth), 29) || right({key}::text, 3))::uuid"


def copy_row(row: Any, times: int, **changed: str) -> None:
    """Copy a row; `changed` says by SQL what is another in each copy."""
    table = row._meta.db_table
    fields = [field.column for field in row._meta.concrete_fields]
    values = ", ".join(changed.get(one, f'"{one}"') for one in fields)
    columns = ", ".join(f'"{one}"' for one in fields)
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {table} ({columns}) SELECT {values} "  # noqa: S608
            f"FROM {table}, generate_series(1, %s) AS nth WHERE id = %s",
            [times, row.pk],
        )


def make_crowd(relationship: RelationshipRef, times: int) -> None:
    """Make users, each with a facet, a relationship and an ended session."""
    row = Relationship.objects.select_related("facet", "global_user").get(
        pk=relationship.id
    )
    session = make_session(relationship, status="done", ended_at=row.created_at)
    of_user = {"global_user_id": new_key("user", "global_user_id")}
    of_both = of_user | {"relationship_id": new_key("relationship", "relationship_id")}
    copy_row(row.global_user, times, id=new_key("user"), external_id="'crowd-' || nth")
    copy_row(row.facet, times, id=new_key("facet"), **of_user)
    copy_row(
        row,
        times,
        id=new_key("relationship"),
        facet_id=new_key("facet", "facet_id"),
        **of_user,
    )
    copy_row(session, times, id=new_key("session"), **of_both)


def make_content(relationship: RelationshipRef, times: int) -> None:
    """Make memories and messages of one relationship."""
    with access_scope(Purpose.JOB, relationship=relationship.id):
        copy_row(
            make_memory(relationship, "喜欢看海"),
            times,
            id=new_key("memory"),
            lineage=new_key("memory"),
            recorded_at="recorded_at - nth * interval '1 minute'",
        )
        copy_row(
            make_message(relationship, "嗯"),
            times,
            id=new_key("message"),
            external_id="'copy-' || nth",
            sent_at="sent_at - nth * interval '1 minute'",
        )
        for model, changed in TRACES.items():
            copy_row(
                make_row(model, relationship),
                times,
                id=new_key(model._meta.model_name),
                **changed,
            )


CROWDED = (GlobalUser, UserFacet, Relationship, ChatSession)
# What messages and erasures leave, and what must be another in each copy of it.
TRACES: dict[Any, dict[str, str]] = {
    MessageFingerprint: {"digest": "sha256(nth::text::bytea)"},
    ErasureTombstone: {},
}
CONTENT = (Memory, Message, *TRACES)

# Of the queues, what must be another in each copy besides the key.
QUEUES: dict[Any, dict[str, str]] = {
    SubjectRequest: {"number": "'R-' || nth"},
    ChangeRequest: {},
    ErasureRun: {"receipt_code": "'code-' || nth"},
    ExportRun: {},
    LegalHold: {},
    AccessBatch: {},
    CustodyTransfer: {},
    ModelAttempt: {"number": "nth"},
    IdempotencyRecord: {
        "id": "nextval('api_idempotencyrecord_id_seq')",
        "key": "'key-' || nth",
    },
}


def make_answer() -> IdempotencyRecord:
    """Make the answer that a write is given again."""
    return IdempotencyRecord.objects.create(
        client="crowd",
        key=new_name("key"),
        request_digest=b"1",
        status_code=202,
        answer={},
    )


def make_queues(relationship: RelationshipRef, times: int) -> None:
    """Make rows of the queues of the desk.

    Registers are left out: each of their rows is recorded in the audit when it is made.
    """
    keys = make_governance(relationship)
    move = CustodyTransfer.objects.create(
        relationship_id=relationship.id,
        from_custody="creator_pool",
        to_custody="proxy_pool",
        reason_code="window-passed",
        moved_at=timezone.now(),
    )
    keys[CustodyTransfer] = move.pk
    attempt = make_row(
        ModelAttempt, relationship, status="unusable", finished_at=timezone.now()
    )
    keys[ModelAttempt] = attempt.pk
    keys[IdempotencyRecord] = make_answer().pk
    for model, changed in QUEUES.items():
        row = model.objects.get(pk=keys[model])
        copy_row(row, times, **{"id": new_key(model._meta.model_name)} | changed)
