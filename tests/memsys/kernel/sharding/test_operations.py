"""The statements of the migration operations, forwards and back, in both layouts."""

from types import SimpleNamespace
from typing import Any

import pytest
from django.apps import apps
from django.db import connections
from django.db.migrations.state import ProjectState

from identity.models import Creator, GlobalUser, Relationship, UserFacet
from memories.models import Memory, Message
from memsys.kernel.sharding.isolation import IsolateRows
from memsys.kernel.sharding.operations import (
    DatabaseOperation,
    ReferenceTable,
    ShardKey,
    ShardReference,
)
from tests.memsys.kernel.sharding.test_layout import list_operations

KEY_OF_FACET = (
    'ALTER TABLE "identity_userfacet" DROP CONSTRAINT "identity_userfacet_pkey", '
    'ADD PRIMARY KEY (id, "shard"), '
    'ADD CONSTRAINT "identity_userfacet_shard_check" '
    "CHECK (\"shard\" = ('x' || right(id::text, 3))::bit(12)::int)"
)
NO_KEY_OF_FACET = (
    'ALTER TABLE "identity_userfacet" '
    'DROP CONSTRAINT "identity_userfacet_shard_check", '
    'DROP CONSTRAINT "identity_userfacet_pkey", ADD PRIMARY KEY (id)'
)
IN_SEQUENCE = "SET LOCAL citus.multi_shard_modify_mode TO 'sequential'"


@pytest.fixture
def citus(settings: Any) -> None:
    """The layout of many machines."""
    settings.MEMSYS_LAYOUT = "citus"


def test_it_composes_the_key_of_a_plain_table():
    operation = ShardKey("userfacet", colocate_with="identity_globaluser")

    assert operation.forwards(UserFacet) == [KEY_OF_FACET]
    assert operation.backwards(UserFacet) == [NO_KEY_OF_FACET]


@pytest.mark.usefixtures("citus")
def test_it_distributes_a_table_beside_its_user():
    operation = ShardKey("userfacet", colocate_with="identity_globaluser")

    assert operation.forwards(UserFacet) == [
        KEY_OF_FACET,
        IN_SEQUENCE,
        "SELECT create_distributed_table('identity_userfacet', 'shard', "
        "colocate_with => 'identity_globaluser')",
    ]
    assert operation.backwards(UserFacet) == [
        "SELECT undistribute_table('identity_userfacet')",
        NO_KEY_OF_FACET,
    ]


@pytest.mark.usefixtures("citus")
def test_it_distributes_the_users_first_of_all():
    statements = ShardKey("globaluser").forwards(GlobalUser)

    assert statements[-1] == (
        "SELECT create_distributed_table('identity_globaluser', 'shard', "
        "colocate_with => 'default')"
    )


def test_it_leaves_a_reference_table_alone_on_one_machine():
    operation = ReferenceTable("creator")

    assert operation.forwards(Creator) == operation.backwards(Creator) == []


@pytest.mark.usefixtures("citus")
def test_it_copies_a_reference_table_to_each_node():
    operation = ReferenceTable("creator")

    assert operation.forwards(Creator) == [
        "SELECT create_reference_table('identity_creator')"
    ]
    assert operation.backwards(Creator) == [
        "SELECT undistribute_table('identity_creator')"
    ]


@pytest.mark.parametrize("layout", ["plain", "citus"])
def test_it_ties_a_reference_by_what_both_rows_share(settings: Any, layout: str):
    settings.MEMSYS_LAYOUT = layout
    operation = ShardReference("message", "session", within=["relationship"])

    assert operation.forwards(Message) == [
        'ALTER TABLE "memories_message" '
        'ADD CONSTRAINT "memories_message_session_id_shard_fk" '
        'FOREIGN KEY ("shard", "relationship_id", "session_id") '
        'REFERENCES "memories_chatsession" ("shard", "relationship_id", "id") '
        "DEFERRABLE INITIALLY DEFERRED"
    ]
    assert operation.backwards(Message) == [
        'ALTER TABLE "memories_message" '
        'DROP CONSTRAINT "memories_message_session_id_shard_fk"'
    ]


def test_it_ties_a_reference_by_the_shard_alone_outside_of_content():
    statements = ShardReference("relationship", "facet").forwards(Relationship)

    assert 'FOREIGN KEY ("shard", "facet_id")' in statements[0]


@pytest.mark.parametrize("layout", ["plain", "citus"])
@pytest.mark.parametrize(
    ("by", "app_rows"),
    [
        (
            "relationship",
            "relationship_id = current_setting('memsys.relationship')::uuid",
        ),
        ("user", "global_user_id = current_setting('memsys.user')::uuid"),
    ],
)
def test_it_isolates_rows_from_the_owner_too(
    settings: Any, layout: str, by: Any, app_rows: str
):
    settings.MEMSYS_LAYOUT = layout

    statements = IsolateRows("memory", by=by).forwards(Memory)

    assert statements[:3] == [
        'ALTER TABLE "memories_memory" ENABLE ROW LEVEL SECURITY',
        'ALTER TABLE "memories_memory" FORCE ROW LEVEL SECURITY',
        'CREATE POLICY "memories_memory_memsys_app" ON "memories_memory" '
        f"FOR ALL TO memsys_app USING ({app_rows}) WITH CHECK ({app_rows})",
    ]
    assert statements[5:] == [
        'GRANT SELECT ON "memories_memory" TO memsys_staff',
        'GRANT SELECT, INSERT, UPDATE, DELETE ON "memories_memory" TO memsys_portal',
    ]


def test_it_never_asks_for_a_setting_that_may_be_missing():
    for by in ("relationship", "user"):
        for statement in IsolateRows("memory", by=by).forwards(Memory)[2:5]:
            assert "true" not in statement
            assert "SELECT" not in statement


@pytest.mark.parametrize(
    ("operation", "text"),
    [
        (ShardKey("memory"), "Compose the key of memory"),
        (ReferenceTable("creator"), "Copy to each node creator"),
        (ShardReference("memory", "relationship"), "Tie the references of memory"),
        (IsolateRows("memory", by="user"), "Isolate the rows of memory"),
    ],
)
def test_it_says_what_it_does(operation: DatabaseOperation, text: str):
    assert operation.describe() == text


def test_it_leaves_the_state_of_django_alone():
    state = ProjectState()

    ShardKey("memory").state_forwards("memories", state)

    assert state.models == {}


def read_catalogue(cursor: Any) -> list[tuple[Any, ...]]:
    """Return every key, reference, check, policy and security flag there is."""
    cursor.execute(
        """
        SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid)
        FROM pg_constraint WHERE connamespace = 'public'::regnamespace
        UNION ALL
        SELECT tablename, policyname, concat(roles, cmd, qual, with_check)
        FROM pg_policies
        UNION ALL
        SELECT relname, relrowsecurity::text, relforcerowsecurity::text
        FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
        ORDER BY 1, 2, 3
        """
    )
    return list(cursor.fetchall())


def test_it_takes_everything_back_and_makes_it_again(real_commits: None):
    owner = connections["owner"]
    state: Any = SimpleNamespace(apps=apps)
    operations = list(list_operations())

    with owner.cursor() as cursor, owner.schema_editor(atomic=False) as editor:
        cursor.execute("BEGIN")
        try:
            before = read_catalogue(cursor)
            for app_label, operation in reversed(operations):
                operation.database_backwards(app_label, editor, state, state)
            without = read_catalogue(cursor)
            for app_label, operation in operations:
                operation.database_forwards(app_label, editor, state, state)
            again = read_catalogue(cursor)
        finally:
            cursor.execute("ROLLBACK")

    assert again == before
    assert not any("shard_fk" in name for _, name, _ in without)
    assert ("memories_memory", "false", "false") in without
