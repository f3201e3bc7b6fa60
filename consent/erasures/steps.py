"""The steps of an erasure, found in each app's `personal_data`, in their order.

Owns the plan: which steps an erasure has, and what each is told. A step within a
relationship is planned once for each relationship of the user.

>>> [one.key for one in plan(target)]  # doctest: +SKIP
['memories.content:0192…', 'consent.exports']
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from importlib import import_module
from uuid import UUID

from django.conf import settings

from consent.erasures.targets import Target
from consent.types import ErasureTarget
from identity.models import Relationship
from memsys.kernel.erasing import Erasure, ErasureStep
from memsys.kernel.scope import Purpose, Scope, access_scope


@dataclass(frozen=True)
class Planned:
    """One step for one relationship or user; `key` is how a run remembers it."""

    key: str
    step: ErasureStep
    erasure: Erasure

    def open(self) -> AbstractContextManager[Scope]:
        """Open the scope that the step needs, in a transaction of its own."""
        return access_scope(
            Purpose.JOB,
            relationship=self.erasure.relationship_id,
            user=self.erasure.user_id,
        )


@dataclass(frozen=True)
class Wish:
    """Who wants an erasure and why; `until` bounds it when it is done again."""

    by: str = ""
    reason_code: str = ""
    until: datetime | None = None


NO_WISH = Wish()


def list_steps() -> list[ErasureStep]:
    """Return the steps of all apps, in the order of `PERSONAL_DATA_MODULES`."""
    return [
        step
        for path in settings.PERSONAL_DATA_MODULES
        for step in import_module(path).ERASURE_STEPS
    ]


def list_relationships(target: Target) -> list[UUID]:
    """Return the relationships that an erasure is about. One query for a user."""
    if target.relationship_id is not None:
        return [target.relationship_id]
    rows = Relationship.objects.of_user(target.user_id).order_by("id")
    return list(rows.values_list("id", flat=True))


def plan(target: Target, wish: Wish = NO_WISH) -> list[Planned]:
    """Return the steps of an erasure. One query for a user."""
    relationships = list_relationships(target)
    return [
        planned
        for step in list_steps()
        if target.kind.value in step.targets
        for planned in _places(step, target, wish, relationships)
    ]


def _places(
    step: ErasureStep, target: Target, wish: Wish, relationships: list[UUID]
) -> Iterator[Planned]:
    if target.kind is not ErasureTarget.USER:
        yield Planned(step.name, step, _tell(target, wish, target.relationship_id))
    elif step.is_of_user:
        yield Planned(step.name, step, _tell(target, wish, None))
    else:
        for one in relationships:
            yield Planned(f"{step.name}:{one}", step, _tell(target, wish, one))


def _tell(target: Target, wish: Wish, relationship_id: UUID | None) -> Erasure:
    return Erasure(
        user_id=target.user_id,
        target=target.kind.value,
        relationship_id=relationship_id,
        memory_id=target.memory_id,
        until=wish.until,
        by=wish.by,
        reason_code=wish.reason_code,
    )


def count(target: Target, *, until: datetime | None = None) -> Mapping[str, int]:
    """Return how much there is, by store. Opens a scope for each relationship."""
    found: Counter[str] = Counter()
    by_scope: dict[UUID | None, list[Planned]] = {}
    for planned in plan(target, Wish(until=until)):
        by_scope.setdefault(planned.erasure.relationship_id, []).append(planned)
    for together in by_scope.values():
        with together[0].open():
            for planned in together:
                found.update(planned.step.count(planned.erasure))
    return dict(found)
