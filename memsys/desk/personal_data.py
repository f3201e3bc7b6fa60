"""What the desk gives a person as a copy: when the staff read something of theirs.

Who it was is told by the role alone. There is nothing to erase: the rows stay, as ids,
so that a misuse can still be found; see `consent.erasures.stores`.

>>> [section.name for section in export_sections(subject)]  # doctest: +SKIP
['staff_reads']
"""

from collections.abc import Iterator
from typing import Any

from django.contrib.auth.models import Group
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from identity.exported import RELATIONSHIP
from memsys.desk.models import Reveal
from memsys.desk.reasons import ReasonCode
from memsys.desk.roles import BY_NAME
from memsys.kernel.erasing import ErasureStep
from memsys.kernel.exporting import (
    TIME,
    Column,
    ExportPart,
    ExportSubject,
    Row,
    Section,
    open_for,
    read_pages,
)
from memsys.kernel.pages.codes import list_words

ERASURE_STEPS: tuple[ErasureStep, ...] = ()
KINDS = {"memory": _("A memory"), "message": _("A message")}


def export_sections(subject: ExportSubject) -> list[Section]:
    """Return when what was opened, for which reason, to which role."""
    reveals: QuerySet[Any] = Reveal.objects.filter(
        relationship__in=subject.relationships, revealed_at__lte=subject.until
    )

    def rows() -> Iterator[Row]:
        opened = open_for(subject)
        for one in read_pages(reveals, moment="revealed_at", opened=opened):
            kind = one.item.partition(":")[0]
            yield (
                one.revealed_at, str(KINDS.get(kind, kind)), _role_of(one.staff),
                one.reason_code, one.relationship,
            )  # fmt: skip

    return [
        Section(
            "staff_reads",
            ExportPart.READS,
            _("Reads by the staff"),
            (
                Column("read_at", _("When"), TIME),
                Column("what", _("What")),
                Column("role", _("By whom")),
                Column("reason", _("Why"), choices=ReasonCode),
                RELATIONSHIP,
            ),
            rows,
        )
    ]


def _role_of(staff: int) -> str:
    """Return the roles that a member of staff has now, as they are called."""
    names = Group.objects.filter(user=staff).order_by("name")
    roles = [BY_NAME[one.name] for one in names if one.name in BY_NAME]
    return list_words(role.label for role in roles) or str(_("Staff"))
