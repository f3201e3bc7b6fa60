"""References between rows of users carry the shard."""

import pytest
from django.apps import apps
from django.db import models

from memsys.kernel.sharding.fields import ShardForeignKey, is_sharded

REFERENCES = [
    field
    for model in apps.get_models(include_auto_created=True)
    for field in model._meta.get_fields()
    if field.is_relation
    and field.concrete
    and field.related_model is not None
    and is_sharded(field.related_model)
]


def test_it_finds_references_to_sharded_models():
    assert len(REFERENCES) > 5


@pytest.mark.parametrize("field", REFERENCES, ids=str)
def test_it_refers_to_a_sharded_model_from_a_sharded_model_only(field: models.Field):
    assert isinstance(field, ShardForeignKey)
    assert is_sharded(field.model)


@pytest.mark.parametrize("field", REFERENCES, ids=str)
def test_it_deletes_no_row_because_another_goes(field: models.Field):
    # The database refuses it; asking first would read content outside a scope.
    assert field.remote_field.on_delete in (models.PROTECT, models.DO_NOTHING)
