"""Events of a person's rights: consents, releases, reads, reminders, what they asked.

>>> RIGHTS_SOURCES[0].kind.value
'consent'
"""

from typing import Any

from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from consent.models import (
    AccessRecord,
    ConsentEvent,
    DisclosureReminder,
    ErasureRun,
    ExportRun,
    LegalHold,
    ReleaseReceipt,
    SubjectRequest,
)
from consent.types import ReminderKind
from identity.types import RelationshipRef
from memsys.desk.timeline.events import (
    Event,
    EventKind,
    Opening,
    Source,
    each,
    reason_words,
    say,
)
from memsys.kernel.pages.actors import actor_words
from memsys.kernel.pages.codes import list_words, scope_words, words_of
from memsys.kernel.pages.columns import page_url, visible_text


def _of_user(model: Any) -> Any:
    """Return rows of the user, those of other relationships left out."""

    def rows(relationship: RelationshipRef) -> Any:
        return model.objects.filter(
            Q(relationship=None) | Q(relationship_id=relationship.id),
            global_user_id=relationship.user_id,
        )

    return rows


def _of_relationship(model: Any) -> Any:
    def rows(relationship: RelationshipRef) -> Any:
        return model.objects.filter(
            global_user_id=relationship.user_id, relationship_id=relationship.id
        )

    return rows


def _consents(relationship: RelationshipRef) -> QuerySet[Any]:
    """Return what the user consented to, where it covers the relationship."""
    covering = (
        Q(target_kind="all")
        | Q(target_kind="creator", target_id=relationship.creator_id)
        | Q(target_kind="persona", target_id=relationship.persona_id)
        | Q(target_kind="relationship", target_id=relationship.id)
    )
    return ConsentEvent.objects.filter(covering, global_user_id=relationship.user_id)


def _tell_consent(row: ConsentEvent) -> Event:
    return Event(
        kind=EventKind.CONSENT,
        at=row.acted_at,
        key=row.pk,
        what=say(
            _("%(action)s: %(scope)s, %(target)s"),
            action=row.get_action_display(),
            scope=scope_words(row.scope),
            target=row.get_target_kind_display(),
        ),
        who=actor_words(row.actor),
        why=row.get_surface_display(),
        links=((_("Consents"), reverse("admin:consents", args=[row.global_user_id])),),
    )


def _tell_release(row: ReleaseReceipt) -> Event:
    names = list_words(row.field_keys)
    return Event(
        kind=EventKind.RELEASE,
        at=row.released_at,
        key=row.pk,
        what=say(_("Released into this relationship: %(fields)s"), fields=names),
        who=actor_words(row.actor),
    )


def _tell_read(row: AccessRecord) -> Event:
    return Event(
        kind=EventKind.READ,
        at=row.read_at,
        key=row.pk,
        what=say(
            _("Read for %(action)s: %(memories)d memories, %(fields)d fields"),
            action=words_of("read_action", row.action),
            memories=len(row.memory_ids),
            fields=len(row.field_keys),
        ),
        who=actor_words(row.actor),
    )


def _tell_reminder(row: DisclosureReminder) -> Event:
    shown = say(
        _("The user was reminded that an AI talks (%(kind)s)"),
        kind=row.get_kind_display(),
    )
    missed = say(_("A reminder that an AI talks was due, and nobody confirmed it"))
    return Event(
        kind=EventKind.REMINDER,
        at=row.shown_at,
        key=row.pk,
        what=missed if row.kind == ReminderKind.MISSED else shown,
        who=actor_words(row.actor),
    )


def _tell_request(row: SubjectRequest) -> Event:
    return Event(
        kind=EventKind.REQUEST,
        at=row.received_at,
        key=row.pk,
        what=say(
            _("Request %(number)s came in: %(kind)s"),
            number=row.number,
            kind=row.get_kind_display(),
        ),
        who=actor_words(row.received_by),
        links=((_("Request"), page_url(SubjectRequest, row.pk)),),
    )


def _tell_request_closed(row: SubjectRequest) -> Event:
    return Event(
        kind=EventKind.REQUEST,
        at=row.closed_at or row.received_at,
        key=row.pk,
        what=say(
            _("Request %(number)s was closed: %(state)s"),
            number=row.number,
            state=row.get_state_display(),
        ),
        who=actor_words(row.closed_by),
        why=visible_text(row.outcome_code) if row.outcome_code else "",
        links=((_("Request"), page_url(SubjectRequest, row.pk)),),
    )


def _tell_export(row: ExportRun) -> Event:
    return Event(
        kind=EventKind.EXPORT,
        at=row.requested_at,
        key=row.pk,
        what=say(
            _("An export was asked for (%(state)s)"), state=row.get_state_display()
        ),
        who=actor_words(row.requested_by),
        why=reason_words(row.reason_code),
        links=((_("Export"), page_url(ExportRun, row.pk)),),
    )


def _tell_export_taken(row: ExportRun) -> Event:
    return Event(
        kind=EventKind.EXPORT,
        at=row.taken_at or row.requested_at,
        key=row.pk,
        what=_("The file of an export was taken"),
        who=actor_words(row.taken_by),
        links=((_("Export"), page_url(ExportRun, row.pk)),),
    )


def _tell_hold(row: LegalHold) -> Event:
    return Event(
        kind=EventKind.HOLD,
        at=row.placed_at,
        key=row.pk,
        what=say(_("A legal hold was placed on %(target)s"), target=_covered(row)),
        who=actor_words(row.placed_by),
        why=reason_words(row.reason_code),
        links=((_("Hold"), page_url(LegalHold, row.pk)),),
    )


def _tell_lifting(row: LegalHold) -> Event:
    return Event(
        kind=EventKind.HOLD,
        at=row.lifted_at or row.placed_at,
        key=row.pk,
        what=_("The legal hold was lifted by two persons"),
        who=actor_words(row.lifted_by),
        links=((_("Hold"), page_url(LegalHold, row.pk)),),
    )


def _tell_erasure(row: ErasureRun) -> Event:
    return Event(
        kind=EventKind.ERASURE,
        at=row.requested_at,
        key=row.pk,
        what=say(
            _("An erasure was asked for: %(target)s (%(state)s)"),
            target=row.get_target_display(),
            state=row.get_state_display(),
        ),
        who=actor_words(row.requested_by),
        why=reason_words(row.reason_code),
        links=((_("Receipt"), page_url(ErasureRun, row.pk)),),
    )


def _tell_erased(row: ErasureRun) -> Event:
    return Event(
        kind=EventKind.ERASURE,
        at=row.finished_at or row.requested_at,
        key=row.pk,
        what=say(_("The erasure ended: %(state)s"), state=row.get_state_display()),
        links=((_("Receipt"), page_url(ErasureRun, row.pk)),),
    )


def _covered(row: LegalHold) -> Any:
    if row.memory is not None:
        return _("one memory")
    return _("this relationship") if row.relationship_id else _("all of the user")


def _source(kind: EventKind, opening: Opening, at: str, rows: Any, tell: Any) -> Source:
    return Source(kind, opening, at, rows, each(tell))


_OWN, _TABLE = Opening.USER, Opening.NOTHING
RIGHTS_SOURCES = (
    _source(EventKind.CONSENT, _OWN, "acted_at", _consents, _tell_consent),
    _source(
        EventKind.RELEASE, _OWN, "released_at",
        _of_relationship(ReleaseReceipt), _tell_release,
    ),
    _source(
        EventKind.READ, _OWN, "read_at", _of_relationship(AccessRecord), _tell_read
    ),
    _source(
        EventKind.REMINDER, _OWN, "shown_at",
        _of_relationship(DisclosureReminder), _tell_reminder,
    ),
    _source(
        EventKind.REQUEST, _TABLE, "received_at",
        _of_user(SubjectRequest), _tell_request,
    ),
    _source(
        EventKind.REQUEST, _TABLE, "closed_at",
        _of_user(SubjectRequest), _tell_request_closed,
    ),
    _source(EventKind.EXPORT, _TABLE, "requested_at", _of_user(ExportRun), _tell_export),
    _source(
        EventKind.EXPORT, _TABLE, "taken_at", _of_user(ExportRun), _tell_export_taken
    ),
    _source(EventKind.HOLD, _TABLE, "placed_at", _of_user(LegalHold), _tell_hold),
    _source(EventKind.HOLD, _TABLE, "lifted_at", _of_user(LegalHold), _tell_lifting),
    _source(
        EventKind.ERASURE, _TABLE, "requested_at", _of_user(ErasureRun), _tell_erasure
    ),
    _source(
        EventKind.ERASURE, _TABLE, "finished_at", _of_user(ErasureRun), _tell_erased
    ),
)  # fmt: skip
