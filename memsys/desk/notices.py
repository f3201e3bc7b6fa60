"""What stands over a relationship now, before anything else is read of it.

Owns the sentences on holds that keep it and on erasures of it that are not over; what
can be done about them is on their own pages.

>>> list_notices(request.user, relationship)[0].url  # doctest: +SKIP
'/desk/consent/legalhold/…/change/'
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Q
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from consent import holds
from consent.models import ErasureRun, LegalHold
from consent.types import ErasureState
from identity.types import RelationshipRef
from memsys.desk.following import may_follow
from memsys.kernel.pages.columns import page_url, visible_text

MOST = 20
NOT_OVER = (ErasureState.WAITING, ErasureState.BLOCKED, ErasureState.RUNNING)


@dataclass(frozen=True)
class Notice:
    """A sentence, and the page that tells more; no page for who may not open it."""

    sentence: Any
    url: str


def list_notices(user: Any, relationship: RelationshipRef) -> list[Notice]:
    """Return what bars or awaits the relationship. Two queries."""
    found = [*_holds(relationship), *_erasures(relationship)]
    return [
        one if may_follow(user, one.url) else Notice(one.sentence, "") for one in found
    ]


def _here(relationship: RelationshipRef) -> Q:
    return Q(relationship=None) | Q(relationship_id=relationship.id)


def _holds(relationship: RelationshipRef) -> Iterator[Notice]:
    rows = holds.list_active(relationship.user_id).filter(_here(relationship))
    for row in rows[:MOST]:
        sentence = (
            _("A legal hold keeps all of it: nothing is erased and nothing expires.")
            if row.memory is None
            else _("A legal hold keeps one memory of it.")
        )
        yield Notice(visible_text(sentence), page_url(LegalHold, row.pk))


def _erasures(relationship: RelationshipRef) -> Iterator[Notice]:
    rows = ErasureRun.objects.filter(
        _here(relationship),
        global_user_id=relationship.user_id,
        memory=None,
        state__in=NOT_OVER,
    )
    for row in rows.order_by("requested_at", "pk")[:MOST]:
        sentence = {
            ErasureState.WAITING: _(
                "Its erasure was asked for, and begins on %(date)s unless it is undone."
            ),
            ErasureState.BLOCKED: _("Its erasure waits for a legal hold to end."),
            ErasureState.RUNNING: _("Its erasure is running."),
        }[ErasureState(row.state)]
        begins = f"{localtime(row.run_from):%Y-%m-%d %H:%M}"
        yield Notice(
            visible_text(sentence % {"date": begins}), page_url(ErasureRun, row.pk)
        )
