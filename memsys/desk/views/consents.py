"""The consents of one user: what holds now, and each event with the text seen.

>>> reverse("admin:consents", args=[user_id])  # doctest: +SKIP
"""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import transaction
from django.http import HttpRequest, HttpResponseBase
from django.utils.translation import gettext as _

from consent.models import ConsentEvent, ConsentGrant, PolicyVersion, ReleaseReceipt
from memsys.desk.pages import page, show
from memsys.desk.permissions import Permission
from memsys.desk.subjects import open_user
from memsys.desk.views.deeds import user_url
from memsys.kernel.audit.chain import Deed, deed_chain, record
from memsys.kernel.pages.actors import actor_words
from memsys.kernel.pages.codes import list_words, scope_words, text_words
from memsys.kernel.pages.columns import page_url, visible_text
from memsys.kernel.pages.read_only import actor_of
from memsys.kernel.scope import Purpose, access_scope

SHOWN = 200


@dataclass(frozen=True)
class Lines:
    """The last rows of each kind."""

    grants: list[ConsentGrant]
    events: list[ConsentEvent]
    receipts: list[ReleaseReceipt]


@page(
    "people/<uuid:user_id>/consents/",
    name="consents",
    permission=Permission.SEE_CONSENTS,
)
def consents(request: HttpRequest, user_id: UUID) -> HttpResponseBase:
    """Show the consents of a user; the look is recorded before it is sent."""
    user = open_user(request.user, user_id)
    lines = _read(user.pk)
    with transaction.atomic():
        record(
            Deed(
                deed_chain(user.pk),
                "desk.consents_viewed",
                actor_of(request),
                f"user:{user.pk}",
            )
        )
    return show(
        request,
        "desk/consents.html",
        title=_("Consents"),
        user_id=user.pk,
        user_name=visible_text(user.external_id),
        back=user_url(user.pk),
        grants=[_grant(row) for row in lines.grants],
        events=[_event(row) for row in lines.events],
        receipts=[
            {
                "at": row.released_at,
                "fields": _names(row),
                "by": actor_words(row.actor),
            }
            for row in lines.receipts
        ],
    )


def _read(user_id: UUID) -> Lines:
    with access_scope(Purpose.DESK, user=user_id):
        grants = ConsentGrant.objects.filter(global_user_id=user_id)
        events = ConsentEvent.objects.filter(global_user_id=user_id)
        receipts = ReleaseReceipt.objects.filter(global_user_id=user_id)
        return Lines(
            list(
                grants.select_related("policy_version").order_by("scope", "pk")[:SHOWN]
            ),
            list(
                events.select_related("policy_version").order_by("-acted_at", "-pk")[
                    :SHOWN
                ]
            ),
            list(receipts.order_by("-released_at", "-pk")[:SHOWN]),
        )


def _grant(row: ConsentGrant) -> dict[str, Any]:
    needs_renewal = (
        row.policy_version is not None and row.policy_version.renewal_from is not None
    )
    return {
        "scope": visible_text(scope_words(row.scope)),
        "target": row.get_target_kind_display(),
        "target_id": row.target_id,
        "status": _("Needs renewal") if needs_renewal else row.get_status_display(),
        "since": row.granted_at,
        "until": row.expires_at or row.ended_at,
        "text": _text(row.policy_version),
    }


def _event(row: ConsentEvent) -> dict[str, Any]:
    return {
        "at": row.acted_at,
        "action": row.get_action_display(),
        "scope": visible_text(scope_words(row.scope)),
        "target": row.get_target_kind_display(),
        "surface": row.get_surface_display(),
        "by": actor_words(row.actor),
        "shown_at": row.shown_at,
        "text": _text(row.policy_version),
        "sha256": row.text_sha256,
        "locale": visible_text(row.locale),
    }


def _text(version: PolicyVersion | None) -> dict[str, Any] | None:
    if version is None:
        return None
    return {
        "name": visible_text(
            text_words(version.document, version.number, version.locale)
        ),
        "url": page_url(PolicyVersion, version.pk),
    }


def _names(row: ReleaseReceipt) -> Any:
    return visible_text(list_words(row.field_keys))
