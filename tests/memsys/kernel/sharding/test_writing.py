"""Saving, deleting and locking rows of sharded models."""

from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import F, ProtectedError
from django.utils import timezone

from identity.models import (
    CreatorPersona,
    CustodyTransfer,
    GlobalUser,
    Relationship,
    UserFacet,
)
from identity.resolution import get_relationship
from memsys.kernel.sharding.ids import bucket_of, bucket_of_user, new_id
from tests.factories.identity import make_persona, new_name
from tests.factories.memories import make_memory
from tests.memsys.kernel.sharding.conftest import Recorder


def new_move(relationship: Relationship, **fields: Any) -> CustodyTransfer:
    """Return an unsaved row that refers to a relationship."""
    return CustodyTransfer(
        **{
            "relationship": relationship,
            "from_custody": "creator_pool",
            "to_custody": "proxy_pool",
            "actor": "test",
            "reason_code": "window",
            "moved_at": timezone.now(),
        }
        | fields
    )


def check_references() -> None:
    """Check the deferred foreign keys now, as a commit would."""
    connection.check_constraints()


def test_it_puts_a_user_into_the_bucket_of_the_external_id(db: None):
    name = new_name("user")

    user = GlobalUser.objects.create(external_id=name)

    assert user.shard == bucket_of(user.pk) == bucket_of_user(name)


def test_it_puts_all_rows_of_a_user_into_the_same_bucket(ann: Relationship):
    memory = make_memory(get_relationship(ann.pk), "我爱猫")

    buckets = {bucket_of(one) for one in (ann.pk, ann.facet_id, ann.global_user_id)}
    assert buckets == {ann.shard}
    assert bucket_of(memory.pk) == memory.shard == ann.shard


def test_it_refuses_a_row_without_an_owner(db: None):
    with pytest.raises(ValueError, match="needs its owner"):
        UserFacet.objects.create(key="default")


def test_it_takes_a_key_that_is_given(ann: Relationship):
    key = new_id(bucket=ann.shard)

    move = new_move(ann, id=key)
    move.save()

    assert CustodyTransfer.objects.get(pk=key) == move


def test_it_inserts_a_new_row_with_one_statement(ann: Relationship, sql_of: Recorder):
    statements = sql_of(new_move(ann).save)

    assert [one.split()[0] for one in statements] == ["INSERT"]


def test_it_creates_many_rows_of_one_user_with_one_statement(
    ann: Relationship, sql_of: Recorder
):
    moves = [new_move(ann) for _ in range(200)]

    statements = sql_of(lambda: CustodyTransfer.objects.bulk_create(moves))

    assert len(statements) == 1
    assert {move.shard for move in moves} == {ann.shard}
    assert CustodyTransfer.objects.filter(relationship=ann).count() == 200


def test_it_creates_rows_of_many_users_at_once(db: None):
    users = GlobalUser.objects.bulk_create(
        [GlobalUser(external_id=new_name("user")) for _ in range(50)]
    )

    facets = UserFacet.objects.bulk_create(
        [UserFacet(global_user=user, key="default") for user in users]
    )

    assert len({facet.shard for facet in facets}) > 40
    assert all(facet.shard == facet.global_user.shard for facet in facets)
    check_references()


def test_it_saves_a_change_within_the_shard(ann: Relationship, sql_of: Recorder):
    ann.status = "paused"

    (statement,) = sql_of(ann.save)

    changes, condition = statement.split(" WHERE ")
    assert '"shard"' not in changes
    assert f'"shard" = {ann.shard}' in condition
    ann.refresh_from_db()
    assert ann.status == "paused"


def test_it_saves_a_user_within_the_shard(ann: Relationship, sql_of: Recorder):
    user = ann.global_user
    user.age_band = "adult"

    (statement,) = sql_of(user.save)

    assert '"shard" = ' in statement.split(" WHERE ")[1]


def test_it_saves_some_fields_of_a_row_that_was_loaded_in_part(ann: Relationship):
    row = Relationship.objects.only("status").get(pk=ann.pk)
    row.status = "ended"

    row.save()

    ann.refresh_from_db()
    assert (ann.status, ann.custody) == ("ended", "creator_pool")


def test_it_reloads_a_row_within_the_shard(ann: Relationship, sql_of: Recorder):
    (statement,) = sql_of(ann.refresh_from_db)

    assert f'"shard" = {ann.shard}' in statement


def test_it_updates_by_an_expression(ann: Relationship):
    changed = Relationship.objects.filter(pk=ann.pk).update(
        memory_version=F("memory_version") + 1
    )

    ann.refresh_from_db()
    assert (changed, ann.memory_version) == (1, 1)


def test_it_updates_rows_of_several_shards(ann: Relationship, chloe: Relationship):
    changed = Relationship.objects.filter(pk__in=[ann.pk, chloe.pk]).update(
        status="paused"
    )

    assert changed == 2


def test_it_updates_many_rows_each_with_its_own_value(
    ann: Relationship, chloe: Relationship, sql_of: Recorder
):
    ann.memory_version, chloe.memory_version = 7, 8

    statements = sql_of(
        lambda: Relationship.objects.bulk_update([ann, chloe], ["memory_version"])
    )

    (update,) = (one for one in statements if one.startswith("UPDATE"))
    assert '"shard" IN (' in update.split(" WHERE ")[-1]
    ann.refresh_from_db()
    chloe.refresh_from_db()
    assert (ann.memory_version, chloe.memory_version) == (7, 8)


def test_it_gets_or_creates_a_row(ann: Relationship):
    named = {"global_user": ann.global_user, "facet": ann.facet}
    other = make_persona()

    hit = Relationship.objects.get_or_create(**named, persona=ann.persona)
    miss = Relationship.objects.get_or_create(**named, persona=other)

    assert hit == (ann, False)
    assert miss[1] is True
    assert miss[0].shard == ann.shard


def test_it_updates_or_creates_a_row(ann: Relationship):
    row, is_new = Relationship.objects.update_or_create(
        global_user=ann.global_user,
        facet=ann.facet,
        persona=ann.persona,
        defaults={"memory_version": 9},
    )

    assert (row, is_new, row.memory_version) == (ann, False, 9)


def test_it_goes_on_after_a_refused_row_in_a_savepoint(ann: Relationship):
    with transaction.atomic():
        with pytest.raises(IntegrityError), transaction.atomic():
            Relationship.objects.create(
                global_user=ann.global_user, facet=ann.facet, persona=ann.persona
            )
        new_move(ann).save()

    assert CustodyTransfer.objects.filter(relationship=ann).count() == 1


def test_it_writes_rows_of_two_users_in_one_transaction(
    ann: Relationship, chloe: Relationship
):
    with transaction.atomic():
        new_move(ann).save()
        new_move(chloe).save()

    check_references()
    assert CustodyTransfer.objects.count() == 2


def test_it_locks_a_row_by_its_id_within_the_shard(ann: Relationship, sql_of: Recorder):
    rows = Relationship.objects.select_for_update()

    (statement,) = sql_of(lambda: rows.get(pk=ann.pk))

    assert f'"shard" = {ann.shard}' in statement
    assert statement.endswith("FOR UPDATE")


def test_it_locks_only_the_row_itself_of_a_join(ann: Relationship):
    rows = Relationship.objects.of_user(ann.global_user_id).select_related("facet")

    locked = list(rows.select_for_update(of=("self",), skip_locked=True))

    assert locked == [ann]


def test_it_deletes_a_row(ann: Relationship):
    move = new_move(ann)
    move.save()

    deleted, _ = move.delete()

    assert deleted == 1
    assert not CustodyTransfer.objects.filter(relationship=ann).exists()


def test_it_deletes_rows_of_a_queryset_within_the_shard(
    ann: Relationship, sql_of: Recorder
):
    CustodyTransfer.objects.bulk_create([new_move(ann) for _ in range(3)])

    statements = sql_of(CustodyTransfer.objects.filter(relationship=ann).delete)

    assert f'"shard" = {ann.shard}' in statements[-1]
    assert not CustodyTransfer.objects.filter(relationship=ann).exists()


def test_it_deletes_rows_of_several_shards(ann: Relationship, chloe: Relationship):
    new_move(ann).save()
    new_move(chloe).save()

    deleted, _ = CustodyTransfer.objects.filter(actor="test").delete()

    assert deleted == 2


def test_it_never_deletes_what_other_rows_stand_on(ann: Relationship):
    new_move(ann).save()

    with pytest.raises(ProtectedError):
        ann.delete()
    with pytest.raises(ProtectedError):
        CreatorPersona.objects.filter(pk=ann.persona_id).delete()
