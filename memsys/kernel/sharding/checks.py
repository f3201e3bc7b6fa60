"""System checks that keep references between sharded tables complete.

>>> manage.py check  # doctest: +SKIP
"""

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig, apps
from django.core import checks
from django.db import models

from memsys.kernel.sharding.fields import ShardForeignKey, is_sharded


@checks.register(checks.Tags.models)
def check_references(
    app_configs: Sequence[AppConfig] | None, **kwargs: Any
) -> list[checks.CheckMessage]:
    """Refuse a plain foreign key that points at a sharded model."""
    return [
        checks.Error(
            f"{model.__name__}.{field.name} points at a sharded model.",
            hint="Use ShardForeignKey, which carries the shard.",
            obj=field,
            id="memsys.E001",
        )
        for model in apps.get_models()
        for field in model._meta.local_fields
        if _is_plain_reference(field)
    ]


def _is_plain_reference(field: Any) -> bool:
    return (
        isinstance(field, models.ForeignKey)
        and is_sharded(field.related_model)
        and not isinstance(field, ShardForeignKey)
    )
