"""What this app gives a person as a copy: the account, its faces, relationships, moves.

Who on the staff moved custody is not told, nor the real name of a creator.

>>> [section.name for section in export_sections(subject)]  # doctest: +SKIP
['account', 'facets', 'relationships', 'custody_moves']
"""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from identity.models import CustodyTransfer, GlobalUser, Relationship, UserFacet
from identity.types import (
    AgeBand,
    Custody,
    RelationshipKind,
    RelationshipStatus,
    UserStatus,
)
from memsys.kernel.exporting import (
    ID,
    LIST,
    TIME,
    Column,
    ExportPart,
    ExportSubject,
    Row,
    Section,
    open_for,
    read_each,
    read_pages,
)

RELATIONSHIP = Column("relationship", _("Relationship"), ID)
PERSONA = Column("persona", _("With"))


def export_sections(subject: ExportSubject) -> list[Section]:
    """Return the sections; of one relationship alone, without the account itself."""
    account = [_account(subject)] if subject.is_whole_user else []
    return [*account, _facets(subject), _relationships(subject), _moves(subject)]


def name_persona(relationship_id: UUID) -> str:
    """Return the name by which the user knows the other side. One query."""
    row = Relationship.objects.with_sides().get(pk=relationship_id)
    return str(row.persona.display_name)


def _account(subject: ExportSubject) -> Section:
    def rows() -> Iterator[Row]:
        one = GlobalUser.objects.get(pk=subject.user_id)
        yield (
            one.external_id, one.age_band, one.locale, one.time_zone, one.status,
            one.created_at,
        )  # fmt: skip

    return Section(
        "account",
        ExportPart.ACCOUNT,
        _("Account"),
        (
            Column("user", _("User")),
            Column("age_band", _("Age band"), choices=AgeBand),
            Column("locale", _("Language"), codes="locale"),
            Column("time_zone", _("Time zone")),
            Column("status", _("Status"), choices=UserStatus),
            Column("created_at", _("Since"), TIME),
        ),
        rows,
    )


def _facets(subject: ExportSubject) -> Section:
    found: QuerySet[Any] = UserFacet.objects.filter(
        global_user_id=subject.user_id, created_at__lte=subject.until
    )
    if not subject.is_whole_user:
        facets = _known(subject).values_list("facet_id", flat=True)
        found = found.filter(pk__in=list(facets))

    def rows() -> Iterator[Row]:
        opened = open_for(subject)
        for one in read_pages(found, moment="created_at", opened=opened):
            yield one.key, one.nickname, one.created_at

    return Section(
        "facets",
        ExportPart.ACCOUNT,
        _("Faces that you show"),
        (
            Column("facet", _("Face")),
            Column("nickname", _("Nickname")),
            Column("created_at", _("Since"), TIME),
        ),
        rows,
    )


def _relationships(subject: ExportSubject) -> Section:
    found: QuerySet[Any] = _known(subject).with_sides()

    def rows() -> Iterator[Row]:
        opened = open_for(subject)
        for one in read_pages(found, moment="created_at", opened=opened):
            yield (
                one.pk, one.persona.display_name, one.persona.relationship_kind,
                one.facet.key, one.status, one.custody, one.created_at,
                one.disclosed_at,
            )  # fmt: skip

    return Section(
        "relationships",
        ExportPart.ACCOUNT,
        _("Relationships"),
        (
            RELATIONSHIP,
            PERSONA,
            Column("kind", _("Kind"), choices=RelationshipKind),
            Column("facet", _("Face")),
            Column("status", _("Status"), choices=RelationshipStatus),
            Column("custody", _("Served by"), choices=Custody),
            Column("created_at", _("Since"), TIME),
            Column("disclosed_at", _("You were told that an AI talks"), TIME),
        ),
        rows,
    )


def _moves(subject: ExportSubject) -> Section:
    def read(relationship_id: UUID) -> Iterator[Row]:
        persona = name_persona(relationship_id)
        moves: QuerySet[Any] = CustodyTransfer.objects.filter(
            relationship_id=relationship_id, moved_at__lte=subject.until
        )
        opened = open_for(subject)
        for one in read_pages(moves, moment="moved_at", opened=opened):
            yield (
                relationship_id, persona, one.from_custody, one.to_custody,
                one.moved_at, one.reason_code, one.inherited,
            )  # fmt: skip

    return Section(
        "custody_moves",
        ExportPart.ACCOUNT,
        _("Who served you, and when that changed"),
        (
            RELATIONSHIP,
            PERSONA,
            Column("from", _("From"), choices=Custody),
            Column("to", _("To"), choices=Custody),
            Column("moved_at", _("When"), TIME),
            Column("reason", _("Reason"), codes="reason_code"),
            Column(
                "inherited",
                _("What the receiving side took over"),
                LIST,
                codes="inherited",
            ),
        ),
        read_each(subject, read),
    )


def _known(subject: ExportSubject) -> Any:
    rows = Relationship.objects.of_user(subject.user_id)
    return rows.filter(pk__in=subject.relationships)
