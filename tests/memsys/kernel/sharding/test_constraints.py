"""What the database refuses, and what an upsert makes of it."""

import pytest
from django.db import IntegrityError, connection

from identity.models import GlobalUser, Relationship
from identity.resolution import get_relationship
from memsys.kernel.scope import Purpose, access_scope
from memsys.kernel.sharding.ids import new_id
from tests.factories.identity import make_persona, new_name
from tests.factories.memories import make_memory


def check_references() -> None:
    """Check the deferred foreign keys now, as a commit would."""
    connection.check_constraints()


def test_it_refuses_a_second_row_of_a_unique_pair(ann: Relationship):
    with pytest.raises(IntegrityError, match="relationship_pair"):
        Relationship.objects.create(
            global_user=ann.global_user, facet=ann.facet, persona=ann.persona
        )


def test_it_refuses_a_facet_of_another_user(ann: Relationship, chloe: Relationship):
    Relationship.objects.create(
        global_user=chloe.global_user, facet=ann.facet, persona=make_persona()
    )

    with pytest.raises(IntegrityError, match="identity_relationship_facet_id"):
        check_references()


def test_it_refuses_a_facet_of_another_user_in_the_same_bucket(ann: Relationship):
    neighbour = GlobalUser(
        id=new_id(bucket=ann.shard), external_id=new_name("neighbour")
    )
    neighbour.save(force_insert=True)
    Relationship.objects.create(
        global_user=neighbour, facet=ann.facet, persona=make_persona()
    )

    with pytest.raises(IntegrityError, match="identity_relationship_facet_id"):
        check_references()


def test_it_refuses_content_of_a_relationship_of_another_user(
    ann: Relationship, chloe: Relationship
):
    ref = get_relationship(ann.pk)

    def write_of_another_user() -> None:
        with access_scope(Purpose.JOB, relationship=ann.pk):
            make_memory(ref, "我爱猫", global_user_id=chloe.global_user_id)
            check_references()

    with pytest.raises(IntegrityError, match="memories_memory_relationship_id"):
        write_of_another_user()


def test_it_refuses_a_persona_that_there_is_not(ann: Relationship):
    Relationship.objects.create(
        global_user=ann.global_user, facet=ann.facet, persona_id=new_id()
    )

    with pytest.raises(IntegrityError, match="persona_id"):
        check_references()


def test_it_passes_over_a_row_that_is_there(ann: Relationship):
    again = Relationship(
        global_user=ann.global_user, facet=ann.facet, persona=ann.persona
    )

    Relationship.objects.bulk_create([again], ignore_conflicts=True)

    assert Relationship.objects.filter(global_user=ann.global_user).count() == 1


def test_it_overwrites_a_row_that_is_there(ann: Relationship):
    again = Relationship(
        global_user=ann.global_user,
        facet=ann.facet,
        persona=ann.persona,
        memory_version=77,
    )

    Relationship.objects.bulk_create(
        [again],
        update_conflicts=True,
        unique_fields=["shard", "facet", "persona"],
        update_fields=["memory_version"],
    )

    ann.refresh_from_db()
    assert ann.memory_version == 77


def test_it_overwrites_rows_of_several_shards_by_their_key(
    ann: Relationship, chloe: Relationship
):
    ann.memory_version = chloe.memory_version = 5

    Relationship.objects.bulk_create(
        [ann, chloe],
        update_conflicts=True,
        unique_fields=["id", "shard"],
        update_fields=["memory_version"],
    )

    mine = Relationship.objects.filter(pk__in=[ann.pk, chloe.pk])
    assert set(mine.values_list("memory_version", flat=True)) == {5}
    assert len(mine) == 2
