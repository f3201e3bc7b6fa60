"""What this app gives a person as a copy of their consents, their profile, releases.

Owns the sections about what the person allowed; what they asked for and who read it are
in `consent.exports.dealings`. Nobody of the staff is named.

>>> [section.name for section in export_sections(subject)][0]  # doctest: +SKIP
'profile'
"""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils.translation import get_language, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from consent.exports.dealings import list_dealings
from consent.models import (
    ConsentEvent,
    ConsentGrant,
    DisclosureReminder,
    PolicyVersion,
    ProfileValue,
    ReleaseReceipt,
)
from consent.types import (
    ConsentAction,
    DataClass,
    GrantStatus,
    ReminderKind,
    Surface,
    TargetKind,
)
from identity.exported import PERSONA, RELATIONSHIP, name_persona
from identity.models import Relationship
from memsys.kernel.exporting import (
    ID,
    LIST,
    TIME,
    WORDS,
    Column,
    ExportPart,
    ExportSubject,
    Row,
    Section,
    open_for,
    read_each,
    read_pages,
)

SCOPE = Column("scope", _("What it is about"), codes="scope")
TARGET = (
    Column("for", _("For"), choices=TargetKind),
    Column("target", _("Which one"), ID),
)


def export_sections(subject: ExportSubject) -> list[Section]:
    """Return the sections; of one relationship alone, only what is for that one."""
    profile = [_profile(subject)] if subject.is_whole_user else []
    return [
        *profile,
        _grants(subject),
        _events(subject),
        _texts(subject),
        _releases(subject),
        _reminders(subject),
        *list_dealings(subject),
    ]


def _profile(subject: ExportSubject) -> Section:
    values: QuerySet[Any] = ProfileValue.objects.filter(
        global_user_id=subject.user_id, updated_at__lte=subject.until
    ).select_related("field")

    def rows() -> Iterator[Row]:
        language, opened = get_language(), open_for(subject)
        for one in read_pages(values, moment="updated_at", opened=opened):
            field = one.field
            yield (
                field.key, field.label_in(language), one.value, field.data_class,
                field.purpose_in(language), one.updated_at,
            )  # fmt: skip

    return Section(
        "profile",
        ExportPart.PROFILE,
        _("Profile"),
        (
            Column("field", _("Field"), ID),
            Column("label", _("What it is")),
            Column("value", _("Value")),
            Column("data_class", _("Class of data"), choices=DataClass),
            Column("purpose", _("What it is for")),
            Column("updated_at", _("As of"), TIME),
        ),
        rows,
    )


def _grants(subject: ExportSubject) -> Section:
    grants: QuerySet[Any] = ConsentGrant.objects.filter(
        _covering(subject),
        global_user_id=subject.user_id,
        granted_at__lte=subject.until,
    )

    def rows() -> Iterator[Row]:
        opened = open_for(subject)
        # A person has at most one for each scope and target.
        with opened():
            found = list(grants.order_by("scope", "pk"))
        for one in found:
            ended_at, status = one.ended_at, one.status
            if ended_at is not None and ended_at > subject.until:
                ended_at, status = None, GrantStatus.GRANTED.value
            yield (
                one.scope, one.target_kind, one.target_id, status, one.granted_at,
                one.expires_at, ended_at,
            )  # fmt: skip

    return Section(
        "consents",
        ExportPart.CONSENTS,
        _("What you allow"),
        (
            SCOPE,
            *TARGET,
            Column("status", _("Status"), choices=GrantStatus),
            Column("granted_at", _("Since"), TIME),
            Column("expires_at", _("Until"), TIME),
            Column("ended_at", pgettext_lazy("time", "Ended"), TIME),
        ),
        rows,
    )


def _events(subject: ExportSubject) -> Section:
    events: QuerySet[Any] = ConsentEvent.objects.filter(
        _covering(subject),
        global_user_id=subject.user_id,
        recorded_at__lte=subject.until,
    ).select_related("policy_version")

    def rows() -> Iterator[Row]:
        opened = open_for(subject)
        for one in read_pages(events, moment="acted_at", opened=opened):
            text = str(one.policy_version) if one.policy_version is not None else ""
            yield (
                one.acted_at, one.action, one.scope, one.target_kind, one.target_id,
                text, one.text_sha256, one.surface, one.shown_at, one.expires_at,
            )  # fmt: skip

    return Section(
        "consent_events",
        ExportPart.CONSENTS,
        _("What you allowed, refused and withdrew"),
        (
            Column("acted_at", _("When"), TIME),
            Column("action", _("What you did"), choices=ConsentAction),
            SCOPE,
            *TARGET,
            Column("text_seen", _("Text that you saw")),
            Column("text_sha256", _("Hash of the text"), ID),
            Column("surface", _("Where"), choices=Surface),
            Column("shown_at", _("Shown"), TIME),
            Column("expires_at", _("Until"), TIME),
        ),
        rows,
    )


def _texts(subject: ExportSubject) -> Section:
    def rows() -> Iterator[Row]:
        events = ConsentEvent.objects.filter(
            _covering(subject),
            global_user_id=subject.user_id,
            recorded_at__lte=subject.until,
            policy_version__isnull=False,
        )
        with open_for(subject)():
            seen = list(events.order_by().values_list("policy_version_id").distinct())
        texts = PolicyVersion.objects.filter(pk__in=[pk for (pk,) in seen])
        for one in texts.order_by("document", "number", "locale"):
            yield str(one), one.title, one.text, one.sha256, one.published_at

    return Section(
        "consent_texts",
        ExportPart.CONSENTS,
        _("Texts that you saw"),
        (
            Column("text_seen", _("Document, number and language")),
            Column("title", _("Title")),
            Column("text", _("Text"), WORDS),
            Column("text_sha256", _("Hash of the text"), ID),
            Column("published_at", _("Published"), TIME),
        ),
        rows,
    )


def _releases(subject: ExportSubject) -> Section:
    def read(relationship_id: UUID) -> Iterator[Row]:
        persona = name_persona(relationship_id)
        receipts: QuerySet[Any] = ReleaseReceipt.objects.filter(
            global_user_id=subject.user_id,
            relationship_id=relationship_id,
            released_at__lte=subject.until,
        )
        opened = open_for(subject)
        for one in read_pages(receipts, moment="released_at", opened=opened):
            yield relationship_id, persona, one.released_at, list(one.field_keys)

    return Section(
        "releases",
        ExportPart.CONSENTS,
        _("What of your profile was shown where"),
        (
            RELATIONSHIP,
            PERSONA,
            Column("released_at", _("When"), TIME),
            Column("fields", _("Fields"), LIST),
        ),
        read_each(subject, read),
    )


def _reminders(subject: ExportSubject) -> Section:
    def read(relationship_id: UUID) -> Iterator[Row]:
        persona = name_persona(relationship_id)
        reminders: QuerySet[Any] = DisclosureReminder.objects.filter(
            global_user_id=subject.user_id,
            relationship_id=relationship_id,
            recorded_at__lte=subject.until,
        )
        opened = open_for(subject)
        for one in read_pages(reminders, moment="shown_at", opened=opened):
            yield relationship_id, persona, one.shown_at, one.kind, one.version

    return Section(
        "disclosures",
        ExportPart.CONSENTS,
        _("When you were told that an AI talks"),
        (
            RELATIONSHIP,
            PERSONA,
            Column("shown_at", _("When"), TIME),
            Column("kind", _("Kind"), choices=ReminderKind),
            Column("version", _("Version of the text")),
        ),
        read_each(subject, read),
    )


def _covering(subject: ExportSubject) -> Q:
    """Keep what is for one of the relationships; for a whole user, everything."""
    if subject.is_whole_user:
        return Q()
    rows = Relationship.objects.of_user(subject.user_id).filter(
        pk__in=subject.relationships
    )
    found = rows.values_list("pk", "persona_id", "persona__creator_id")
    return Q(target_id__in=[one for ids in found for one in ids])
