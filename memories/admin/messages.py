"""Pages of messages and of the fingerprints that find duplicates.

>>> MessageAdmin.masked_fields
('external_id', 'text')
"""

from typing import Any

from django.contrib import admin
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from memories.models import (
    Message,
    MessageFingerprint,
)
from memsys.kernel.pages.columns import (
    BYTES,
    CHARACTERS,
    column,
    full_id,
    link,
    linked,
    listed,
    masked,
    row_id,
)
from memsys.kernel.pages.content import ContentAdmin
from memsys.kernel.pages.read_only import section


def _door(row: Message) -> Any:
    """Return the way to the words: opening them takes a reason."""
    key = ("message", row.relationship_id, row.pk)
    return link(reverse("admin:reveal", args=key), _("Open, with a reason"))


@admin.register(Message)
class MessageAdmin(ContentAdmin):
    masked_fields = ("external_id", "text")
    ordering = ("-sent_at", "-pk")
    list_display = (
        row_id,
        "author_kind",
        masked("text", unit=CHARACTERS),
        listed("masked"),
        linked("session"),
        "sent_at",
    )
    list_filter = ("author_kind", "no_extract")
    extra_lookups = ("session",)
    sections = (
        section(
            None,
            full_id,
            column("reveal", _door, label=_("Words")),
            linked("session"),
            masked("external_id", unit=CHARACTERS),
            "author_kind",
            masked("text", unit=CHARACTERS),
            listed("masked"),
            "sent_at",
            "received_at",
            "payment_signal",
            "no_extract",
        ),
    )


@admin.register(MessageFingerprint)
class MessageFingerprintAdmin(ContentAdmin):
    masked_fields = ("digest",)
    list_display = (
        row_id,
        "author_kind",
        masked("digest", unit=BYTES),
        linked("message", within_relationship=True),
        "sent_at",
    )
    list_filter = ("author_kind",)
    sections = (
        section(
            None,
            full_id,
            linked("message", within_relationship=True),
            "author_kind",
            masked("digest", unit=BYTES),
            "sent_at",
        ),
    )
