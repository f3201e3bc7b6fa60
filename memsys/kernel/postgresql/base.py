"""Django's PostgreSQL backend, told that a sharded table's key is (id, shard).

Owns one fact: grouping by `id` alone does not determine the other columns of a
sharded table, so GROUP BY must not be collapsed to it.
"""

from typing import Any

from django.db import models
from django.db.backends.postgresql import base, features


class DatabaseFeatures(features.DatabaseFeatures):
    def allows_group_by_selected_pks_on_model(self, model: type[models.Model]) -> bool:
        if getattr(model, "is_sharded", False):
            return False
        return bool(super().allows_group_by_selected_pks_on_model(model))


class DatabaseWrapper(base.DatabaseWrapper):
    features_class: Any = DatabaseFeatures
