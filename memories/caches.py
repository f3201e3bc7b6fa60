"""The caches that hold content of a relationship, told to forget it.

Owns when they are told: after the commit of what erased or masked something. Which
they are says the setting `CONTENT_CACHES`; some belong to apps above this one.

>>> forget_caches(relationship_id)  # doctest: +SKIP
"""

from collections.abc import Callable
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils.module_loading import import_string

from memsys.kernel.scope import require_scope

FORGET_LAST = 90


def forget_caches(relationship_id: UUID) -> None:
    """Drop what caches hold of a relationship once the open scope commits."""
    require_scope(relationship=relationship_id).finish(
        "forget_caches", FORGET_LAST, lambda: _forget_all_later(relationship_id)
    )


def _forget_all_later(relationship_id: UUID) -> None:
    for path in settings.CONTENT_CACHES:
        forget: Callable[[UUID], None] = import_string(path)
        _forget_later(forget, relationship_id)


def _forget_later(forget: Callable[[UUID], None], relationship_id: UUID) -> None:
    # What is erased stays erased when a cache cannot be told: what it holds is outdated
    # by the version, and expires. The caller must not take it for a failed erasure.
    transaction.on_commit(lambda: forget(relationship_id), robust=True)
