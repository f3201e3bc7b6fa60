"""Migration operations that give sharded tables their keys, references and policies.

Owns what Django's schema editor cannot say: the key (id, shard), foreign keys that
carry the shard and the relationship, row-level security, and distribution by Citus.
They change the database only, never Django's state, and follow `MEMSYS_LAYOUT`.

>>> ShardKey("memory").describe()
'Compose the key of memory'
"""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState

from memsys.kernel.sharding.fields import SHARD

LOW_BITS = "('x' || right(id::text, 3))::bit(12)::int"


class DatabaseOperation(Operation):
    """Operation on one model's table that leaves Django's state alone."""

    reduces_to_sql = True
    reversible = True
    verb = "Change"

    def __init__(self, model_name: str) -> None:
        self.model_name = model_name

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Change nothing: Django does not know these facts."""

    def describe(self) -> str:
        return f"{self.verb} {self.model_name}"

    def _model(self, app_label: str, state: ProjectState) -> Any:
        return state.apps.get_model(app_label, self.model_name)

    def _execute(
        self, editor: BaseDatabaseSchemaEditor, statements: Sequence[str]
    ) -> None:
        for statement in statements:
            editor.execute(statement)

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        model = self._model(app_label, to_state)
        self._execute(schema_editor, self.forwards(model))

    def database_backwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        model = self._model(app_label, from_state)
        self._execute(schema_editor, self.backwards(model))

    def forwards(self, model: Any) -> list[str]:
        """Return the statements that make the change."""
        raise NotImplementedError

    def backwards(self, model: Any) -> list[str]:
        """Return the statements that take it back."""
        raise NotImplementedError


class ShardKey(DatabaseOperation):
    """Key (id, shard), a check that the shard is the id's, and distribution."""

    verb = "Compose the key of"

    def __init__(self, model_name: str, *, colocate_with: str = "default") -> None:
        super().__init__(model_name)
        self.colocate_with = colocate_with

    def forwards(self, model: Any) -> list[str]:
        table = model._meta.db_table
        statements = [
            f'ALTER TABLE "{table}" DROP CONSTRAINT "{table}_pkey", '
            f'ADD PRIMARY KEY (id, "{SHARD}"), '
            f'ADD CONSTRAINT "{table}_shard_check" CHECK ("{SHARD}" = {LOW_BITS})'
        ]
        if settings.MEMSYS_LAYOUT == "citus":
            statements += [
                "SET LOCAL citus.multi_shard_modify_mode TO 'sequential'",
                f"SELECT create_distributed_table('{table}', '{SHARD}', "
                f"colocate_with => '{self.colocate_with}')",
            ]
        return statements

    def backwards(self, model: Any) -> list[str]:
        table = model._meta.db_table
        undistribute = (
            [f"SELECT undistribute_table('{table}')"]
            if settings.MEMSYS_LAYOUT == "citus"
            else []
        )
        return [
            *undistribute,
            f'ALTER TABLE "{table}" DROP CONSTRAINT "{table}_shard_check", '
            f'DROP CONSTRAINT "{table}_pkey", ADD PRIMARY KEY (id)',
        ]


class ReferenceTable(DatabaseOperation):
    """Copy the table to each node, so that plain foreign keys to it work."""

    verb = "Copy to each node"

    def forwards(self, model: Any) -> list[str]:
        if settings.MEMSYS_LAYOUT != "citus":
            return []
        return [f"SELECT create_reference_table('{model._meta.db_table}')"]

    def backwards(self, model: Any) -> list[str]:
        if settings.MEMSYS_LAYOUT != "citus":
            return []
        return [f"SELECT undistribute_table('{model._meta.db_table}')"]


class ShardReference(DatabaseOperation):
    """Foreign key of a `ShardForeignKey`: (shard, …within, field) to (shard, …, id).

    `within` names further fields that both rows share. Between content tables it is
    the relationship, so that a hidden parent and a missing one give the same error.
    Never cascades; checked at commit.
    """

    verb = "Tie the references of"

    def __init__(
        self, model_name: str, field_name: str, *, within: Sequence[str] = ()
    ) -> None:
        super().__init__(model_name)
        self.field_name = field_name
        self.within = tuple(within)

    def _constraint(self, model: Any) -> str:
        column = model._meta.get_field(self.field_name).column
        return f"{model._meta.db_table}_{column}_shard_fk"

    def forwards(self, model: Any) -> list[str]:
        field = model._meta.get_field(self.field_name)
        shared = [SHARD, *(model._meta.get_field(n).column for n in self.within)]
        here = ", ".join(f'"{one}"' for one in [*shared, field.column])
        there = ", ".join(f'"{one}"' for one in [*shared, "id"])
        return [
            f'ALTER TABLE "{model._meta.db_table}" '
            f'ADD CONSTRAINT "{self._constraint(model)}" FOREIGN KEY ({here}) '
            f'REFERENCES "{field.related_model._meta.db_table}" ({there}) '
            "DEFERRABLE INITIALLY DEFERRED"
        ]

    def backwards(self, model: Any) -> list[str]:
        return [
            f'ALTER TABLE "{model._meta.db_table}" '
            f'DROP CONSTRAINT "{self._constraint(model)}"'
        ]
