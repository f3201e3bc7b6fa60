"""Row-level security of content tables, as a migration operation.

Owns the policies: which role sees which rows under which setting. The settings are
set by `memsys.kernel.scope.access_scope` alone; without one, reading is an error.
The staff's role only reads: what staff do is done by services, in a service's scope.

>>> IsolateRows("memory", by="relationship").describe()
'Isolate the rows of memory'
"""

from typing import Any, Literal

from memsys.kernel.sharding.operations import DatabaseOperation

_RELATIONSHIP = "relationship_id = current_setting('memsys.relationship')::uuid"
_USER = "global_user_id = current_setting('memsys.user')::uuid"
_STAFF = f"current_setting('memsys.purpose') <> '' AND ({_RELATIONSHIP} OR {_USER})"
_STAFF_BY_USER = f"current_setting('memsys.purpose') <> '' AND {_USER}"

ENTERED = "memsys_staff, memsys_portal"

POLICIES: dict[str, dict[str, str]] = {
    "relationship": {
        "memsys_app": _RELATIONSHIP,
        "memsys_portal": _USER,
        "memsys_staff": _STAFF,
    },
    "user": {
        "memsys_app": _USER,
        "memsys_portal": _USER,
        "memsys_staff": _STAFF_BY_USER,
    },
}


class IsolateRows(DatabaseOperation):
    """Show a role only the rows of its open scope, the table's owner included."""

    verb = "Isolate the rows of"

    def __init__(self, model_name: str, *, by: Literal["relationship", "user"]) -> None:
        super().__init__(model_name)
        self.by = by

    def forwards(self, model: Any) -> list[str]:
        table = model._meta.db_table
        return [
            f'ALTER TABLE "{table}" ENABLE ROW LEVEL SECURITY',
            f'ALTER TABLE "{table}" FORCE ROW LEVEL SECURITY',
            *(
                f'CREATE POLICY "{table}_{role}" ON "{table}" FOR ALL TO {role} '
                f"USING ({rows}) WITH CHECK ({rows})"
                for role, rows in POLICIES[self.by].items()
            ),
            f'GRANT SELECT ON "{table}" TO memsys_staff',
            f'GRANT SELECT, INSERT, UPDATE, DELETE ON "{table}" TO memsys_portal',
        ]

    def backwards(self, model: Any) -> list[str]:
        table = model._meta.db_table
        return [
            f'REVOKE ALL ON "{table}" FROM {ENTERED}',
            *(
                f'DROP POLICY "{table}_{role}" ON "{table}"'
                for role in POLICIES[self.by]
            ),
            f'ALTER TABLE "{table}" NO FORCE ROW LEVEL SECURITY',
            f'ALTER TABLE "{table}" DISABLE ROW LEVEL SECURITY',
        ]
