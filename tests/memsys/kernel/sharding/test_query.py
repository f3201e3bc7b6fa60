"""An id in a filter reveals the shard, and the query says so."""

import uuid

import pytest
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Count, Exists, F, OuterRef, Q

from identity.models import GlobalUser, Relationship, UserFacet
from memsys.kernel.sharding.ids import bucket_of, new_id
from tests.factories.identity import make_relationship
from tests.memsys.kernel.sharding.conftest import Recorder


def where_of(queryset: models.QuerySet) -> str:
    """Return the condition that a queryset sends."""
    return str(queryset.query).split(" WHERE ")[1]


ID = uuid.UUID("01a23002-20e2-7eec-9876-673dbe5d2ab5")


@pytest.mark.parametrize(
    "condition",
    [
        pytest.param(Q(id=ID), id="by id"),
        pytest.param(Q(pk=ID), id="by key"),
        pytest.param(Q(id__exact=ID), id="by exact id"),
        pytest.param(Q(pk=str(ID)), id="by the id's text"),
        pytest.param(Q(global_user=GlobalUser(pk=ID)), id="by a row"),
        pytest.param(Q(global_user_id=ID), id="by a reference's id"),
        pytest.param(Q(facet=ID), id="by a reference"),
        pytest.param(Q(status="active") & Q(pk=ID), id="by id and more"),
        pytest.param(Q(Q(Q(pk=ID))), id="nested"),
        pytest.param(Q(Q(pk=ID), _connector=Q.OR), id="an OR of one"),
    ],
)
def test_it_adds_the_shard_that_an_id_reveals(condition: Q):
    queryset = Relationship.objects.filter(condition)

    assert '"identity_relationship"."shard" = 2741' in where_of(queryset)


def test_it_adds_the_shards_that_a_list_of_ids_reveals():
    ids = [new_id(bucket=5), new_id(bucket=3), new_id(bucket=5)]

    queryset = Relationship.objects.filter(pk__in=ids)

    assert '"shard" IN (3, 5)' in where_of(queryset)


def test_it_adds_one_shard_when_all_ids_of_a_list_share_it():
    queryset = Relationship.objects.filter(pk__in={new_id(bucket=5), new_id(bucket=5)})

    assert '"shard" = 5' in where_of(queryset)


@pytest.mark.parametrize(
    "condition",
    [
        pytest.param(~Q(pk=ID), id="negated"),
        pytest.param(Q(pk=ID) | Q(status="active"), id="or"),
        pytest.param(Q(status="active"), id="no id"),
        pytest.param(Q(persona=ID), id="an id without a bucket"),
        pytest.param(Q(pk__gt=ID), id="a range"),
        pytest.param(Q(pk=F("facet_id")), id="an expression"),
        pytest.param(Q(pk__in=[ID, F("facet_id")]), id="a list with an expression"),
        pytest.param(Q(pk__in=Relationship.objects.values("pk")), id="a subquery"),
        pytest.param(Q(facet__key="default"), id="a field of a reference"),
    ],
)
def test_it_adds_no_shard_where_none_is_certain(condition: Q):
    statement = where_of(Relationship.objects.filter(condition))

    assert '"identity_relationship"."shard" = 2741' not in statement
    assert '"shard" IN' not in statement


def test_it_leaves_a_shard_that_the_caller_named():
    queryset = Relationship.objects.filter(shard=7, pk=ID)

    assert where_of(queryset).count('"shard"') == 1


def test_it_adds_the_shard_once_when_filters_are_chained():
    queryset = Relationship.objects.filter(pk=ID).filter(status="active")

    assert where_of(queryset).count('"shard" = 2741') == 1


def test_it_finds_nothing_for_an_empty_list(ann: Relationship):
    assert not Relationship.objects.filter(pk__in=[]).exists()


def test_it_leaves_the_refusal_of_a_bad_id_to_the_field(db: None):
    with pytest.raises(ValidationError):
        Relationship.objects.get(pk="no id")


def test_it_finds_a_row_by_its_id_alone(ann: Relationship):
    found = Relationship.objects.get(id=ann.pk)

    assert found == ann


def test_it_finds_nothing_for_an_id_of_nobody(ann: Relationship):
    nobody = new_id(bucket=ann.shard)

    assert Relationship.objects.filter(pk=nobody).first() is None


def test_it_finds_nothing_when_two_ids_contradict(
    ann: Relationship, chloe: Relationship
):
    queryset = Relationship.objects.filter(pk=ann.pk, facet=chloe.facet)

    assert list(queryset) == []


def test_it_excludes_a_row_by_id_and_keeps_the_rest(
    ann: Relationship, chloe: Relationship
):
    rest = Relationship.objects.exclude(pk=ann.pk)

    assert chloe in rest
    assert ann not in rest


def test_it_keeps_rows_of_both_sides_of_an_or(ann: Relationship, chloe: Relationship):
    both = Relationship.objects.filter(Q(pk=ann.pk) | Q(pk=chloe.pk))

    assert set(both) == {ann, chloe}


def test_it_follows_a_reference_within_its_shard(ann: Relationship, sql_of: Recorder):
    row = Relationship.objects.get(pk=ann.pk)

    (statement,) = sql_of(lambda: row.facet)

    assert f'"shard" = {ann.shard}' in statement.split(" WHERE ")[1]
    assert row.facet.key == "default"


def test_it_follows_a_reference_of_a_row_that_is_not_saved_yet(
    ann: Relationship, sql_of: Recorder
):
    row = Relationship(facet_id=ann.facet_id)

    (statement,) = sql_of(lambda: row.facet)

    assert f'"shard" = {ann.shard}' in statement.split(" WHERE ")[1]
    assert row.facet == ann.facet


def test_it_lists_the_rows_that_refer_to_one_within_its_shard(
    ann: Relationship, sql_of: Recorder
):
    user = ann.global_user
    make_relationship(user=user.external_id)

    (statement,) = sql_of(lambda: list(user.relationship_set.all()))

    assert f'"shard" = {ann.shard}' in statement.split(" WHERE ")[1]
    assert user.relationship_set.count() == 2


def test_it_joins_on_the_shard_too(ann: Relationship, sql_of: Recorder):
    queryset = Relationship.objects.select_related("facet", "persona")

    (statement,) = sql_of(lambda: queryset.get(pk=ann.pk))

    assert (
        'INNER JOIN "identity_userfacet" ON ('
        '"identity_relationship"."facet_id" = "identity_userfacet"."id" AND '
        '("identity_relationship"."shard" = ("identity_userfacet"."shard")))'
    ) in statement
    assert 'ON ("identity_relationship"."persona_id" = ' in statement


def test_it_joins_backwards_on_the_shard_too():
    queryset = GlobalUser.objects.filter(userfacet__key="default")

    assert ('"identity_userfacet"."shard" = ("identity_globaluser"."shard")') in str(
        queryset.query
    )


def test_it_joins_reference_tables_by_id_alone(ann: Relationship):
    queryset = Relationship.objects.filter(
        persona__creator=ann.persona.creator
    ).with_sides()

    assert list(queryset) == [ann]


def test_it_prefetches_backwards_within_the_shards_of_the_rows(
    ann: Relationship, chloe: Relationship, sql_of: Recorder
):
    users = GlobalUser.objects.filter(pk__in=[ann.global_user_id, chloe.global_user_id])

    statements = sql_of(lambda: list(users.prefetch_related("relationship_set")))

    shards = ", ".join(map(str, sorted({ann.shard, chloe.shard})))
    assert f'"identity_relationship"."shard" IN ({shards})' in statements[1]


def test_it_prefetches_forwards_within_the_shards_of_the_rows(
    ann: Relationship, sql_of: Recorder
):
    rows = Relationship.objects.filter(pk=ann.pk).prefetch_related("facet")

    statements = sql_of(lambda: list(rows))

    assert f'"identity_userfacet"."shard" = {ann.shard}' in statements[1]


def test_it_groups_by_every_column_that_it_selects(ann: Relationship):
    queryset = GlobalUser.objects.filter(pk=ann.global_user_id).annotate(
        count=Count("relationship")
    )

    grouped = str(queryset.query).split(" GROUP BY ")[1]
    assert '"identity_globaluser"."external_id"' in grouped
    assert queryset.get().count == 1


def test_it_counts_per_persona(ann: Relationship, chloe: Relationship):
    rows = Relationship.objects.filter(pk__in=[ann.pk, chloe.pk])

    counts = rows.values("persona__key").annotate(count=Count("id"))

    assert sorted(one["count"] for one in counts) == [1, 1]


def test_it_correlates_a_subquery_on_the_shard(ann: Relationship, chloe: Relationship):
    of_facet = Relationship.objects.filter(
        facet_id=OuterRef("pk"), shard=OuterRef("shard"), pk=ann.pk
    )

    facets = UserFacet.objects.filter(Exists(of_facet))

    assert list(facets) == [ann.facet]


def test_it_keeps_the_shard_when_only_some_fields_are_loaded(ann: Relationship):
    row = Relationship.objects.only("status").get(pk=ann.pk)

    assert "shard" not in row.get_deferred_fields()
    assert "custody" in row.get_deferred_fields()


def test_it_loads_a_field_that_was_left_out_within_the_shard(
    ann: Relationship, sql_of: Recorder
):
    row = Relationship.objects.only("status").get(pk=ann.pk)

    (statement,) = sql_of(lambda: row.custody)

    assert f'"shard" = {ann.shard}' in statement


def test_it_keeps_the_methods_of_a_queryset_of_the_model(ann: Relationship):
    rows = Relationship.objects.of_user(ann.global_user_id).with_sides()

    assert list(rows) == [ann]
    assert f'"shard" = {bucket_of(ann.global_user_id)}' in where_of(rows)


def test_it_reads_an_id_that_is_written_in_capitals(ann: Relationship):
    found = Relationship.objects.get(pk=str(ann.pk).upper())

    assert found == ann


def test_it_sees_the_same_shard_in_an_id_of_any_version():
    foreign = uuid.UUID("00000000-0000-0000-0000-000000000abc")

    assert f'"shard" = {0xABC}' in where_of(Relationship.objects.filter(pk=foreign))
