"""The system check that refuses an incomplete reference."""

from collections.abc import Iterator

import pytest
from django.apps import apps
from django.db import models

from identity.models import GlobalUser
from memsys.kernel.sharding.checks import check_references
from memsys.kernel.sharding.fields import ShardForeignKey


@pytest.fixture
def draft() -> Iterator[type[models.Model]]:
    """A model with a plain and a sharded reference, known to Django for one test."""

    class Draft(models.Model):
        plain = models.ForeignKey(GlobalUser, models.PROTECT, related_name="+")
        sharded = ShardForeignKey(GlobalUser, models.PROTECT, related_name="+")

        class Meta:
            app_label = "identity"

        def __str__(self) -> str:
            return str(self.pk)

    yield Draft
    del apps.all_models["identity"]["draft"]
    apps.clear_cache()


def test_it_finds_no_fault_in_our_models():
    assert check_references(None) == []


def test_it_refuses_a_plain_reference_to_a_sharded_model(draft: type[models.Model]):
    (fault,) = check_references(None)

    assert fault.id == "memsys.E001"
    assert fault.obj == draft._meta.get_field("plain")


def test_it_leaves_the_arguments_of_a_reference_to_the_migration(
    draft: type[models.Model],
):
    _, path, _, kwargs = draft._meta.get_field("sharded").deconstruct()

    assert path == "memsys.kernel.sharding.fields.ShardForeignKey"
    assert "db_constraint" not in kwargs
