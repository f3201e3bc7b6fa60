"""Every field of every model of ours is in exactly one class of data."""

import pytest
from django.apps import apps
from django.db import models

from memsys.kernel.privacy_class import FieldPrivacy
from tests.rules.sources import PACKAGES

CLASSES = ("identifying", "sensitive", "releasable", "technical")
MODELS = [
    model for model in apps.get_models() if model.__module__.split(".")[0] in PACKAGES
]

each_model = pytest.mark.parametrize(
    "model", MODELS, ids=lambda model: model._meta.label
)


def test_it_looks_at_our_models():
    labels = {model._meta.label for model in MODELS}

    assert {"identity.GlobalUser", "memories.Memory", "kernel.AuditEntry"} <= labels


@each_model
def test_it_has_privacy_classes_of_its_own(model: type[models.Model]):
    assert issubclass(vars(model)["Privacy"], FieldPrivacy)


@each_model
def test_it_sorts_each_field_into_one_class(model: type[models.Model]):
    sorted_in = [name for one in CLASSES for name in getattr(model.Privacy, one)]
    fields = [field.name for field in model._meta.concrete_fields]

    assert sorted(sorted_in) == sorted(fields)


@each_model
def test_it_knows_no_other_class(model: type[models.Model]):
    known = {name for name in vars(model.Privacy) if not name.startswith("__")}

    assert known <= set(CLASSES)
