"""What isolation is tried by: raw unfiltered SQL in the scope of one owner.

Owns the attempts, for tables of both kinds: those that belong to a relationship, and
those that belong to a user over all relationships.

>>> count_foreign(Memory, cast, BY_RELATIONSHIP)  # doctest: +SKIP
0
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import IntegrityError, ProgrammingError

from identity.types import RelationshipRef
from memsys.kernel.scope import Purpose
from memsys.kernel.sharding.ids import bucket_of, new_id
from memsys.kernel.sharding.models import ShardModel
from tests.memsys.kernel.cast import Cast, undone_scope

# Of these a row once written stays; the database refuses the app both.
APPEND_ONLY = {
    "consent.AccessRecord",
    "consent.ConsentEvent",
    "consent.DisclosureReminder",
    "consent.ReleaseReceipt",
}


@dataclass(frozen=True)
class Border:
    """What keeps the rows of two owners apart: a column, and a target of scopes."""

    column: str
    target: str

    def owner_of(self, relationship: RelationshipRef) -> UUID:
        """Return who owns this relationship's rows."""
        is_user = self.target == "user"
        return relationship.user_id if is_user else relationship.id

    def reads(self, model: type[ShardModel]) -> str:
        return f"SELECT {self.column} FROM {model._meta.db_table}"  # noqa: S608

    def updates(self, model: type[ShardModel]) -> str:
        return (
            f"UPDATE {model._meta.db_table} SET global_user_id = global_user_id "  # noqa: S608
            f"RETURNING {self.column}"
        )

    def deletes(self, model: type[ShardModel]) -> str:
        table = model._meta.db_table
        return f"DELETE FROM {table} RETURNING {self.column}"  # noqa: S608

    def list_statements(
        self, model: type[ShardModel], purpose: Purpose = Purpose.SERVICE
    ) -> list[str]:
        """Return what a purpose's role may do with rows that are there."""
        if purpose is Purpose.DESK or model._meta.label in APPEND_ONLY:
            return [self.reads(model)]
        return [self.reads(model), self.updates(model), self.deletes(model)]


BY_RELATIONSHIP = Border("relationship_id", "relationship")
BY_USER = Border("global_user_id", "user")


def list_owners(statement: str, purpose: Purpose, **target: Any) -> list[UUID]:
    """Run an unfiltered statement that returns owners; return all of them."""
    with undone_scope(purpose, **target) as cursor:
        cursor.execute(statement)
        return [row[0] for row in cursor.fetchall()]


def count_foreign(model: type[ShardModel], cast: Cast, border: Border) -> int:
    """Return how many foreign rows Ann's scope reads, changes, takes or plants."""
    mine = border.owner_of(cast.ann)
    touched = [
        owner
        for statement in border.list_statements(model)
        for owner in list_owners(statement, Purpose.SERVICE, **{border.target: mine})
    ]
    foreign = sum(owner != mine for owner in touched)
    is_planted = not is_refused(plant, model, cast, border)
    is_given_away = not is_refused(give_away, model, cast, border)
    return foreign + is_planted + is_given_away


def is_refused(
    deed: Callable[[Any, type[ShardModel], Cast, Border], None],
    model: type[ShardModel],
    cast: Cast,
    border: Border,
    purpose: Purpose = Purpose.SERVICE,
) -> bool:
    """Say whether a policy, or the lack of any right, refused a deed in Ann's scope."""
    target = {border.target: border.owner_of(cast.ann)}
    try:
        with undone_scope(purpose, **target) as cursor:
            deed(cursor, model, cast, border)
    except ProgrammingError as error:
        refusals = ("violates row-level security policy", "permission denied for table")
        return any(refusal in str(error) for refusal in refusals)
    except IntegrityError:
        return False
    return False


def plant(cursor: Any, model: type[ShardModel], cast: Cast, border: Border) -> None:
    """Write a copy of Ann's row that says that it is Chloe's."""
    table = model._meta.db_table
    copy = {
        "id": str(new_id(bucket=bucket_of(cast.chloe.id))),
        border.column: str(border.owner_of(cast.chloe)),
    }
    cursor.execute(
        f"INSERT INTO {table} SELECT (jsonb_populate_record(one, %s)).* "  # noqa: S608
        f"FROM {table} AS one LIMIT 1",
        [json.dumps(copy)],
    )


def give_away(cursor: Any, model: type[ShardModel], cast: Cast, border: Border) -> None:
    """Make Ann's row Chloe's."""
    column = border.column
    cursor.execute(
        f"UPDATE {model._meta.db_table} SET {column} = %s WHERE {column} = %s",  # noqa: S608
        [border.owner_of(cast.chloe), border.owner_of(cast.ann)],
    )
