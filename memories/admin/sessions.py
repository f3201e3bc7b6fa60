"""Pages of sessions and of the calls of the model for them.

>>> ModelAttemptAdmin.list_filter
('status', 'model', 'prompt_version')
"""

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from memories.models import (
    ChatSession,
    Memory,
    Message,
    ModelAnswer,
    ModelAttempt,
)
from memsys.kernel.pages.columns import (
    CHARACTERS,
    full_id,
    linked,
    listed,
    masked,
    related,
    row_id,
    shown,
)
from memsys.kernel.pages.content import ContentAdmin
from memsys.kernel.pages.read_only import ReadOnlyAdmin, section

IN_SESSION = {"relationship": "relationship_id", "session": "pk"}
FROM_SESSION = {"relationship": "relationship_id", "source_session": "pk"}
BY_SESSION = {"session": "pk"}


@admin.register(ChatSession)
class ChatSessionAdmin(ReadOnlyAdmin):
    list_display = (
        row_id,
        linked("relationship"),
        "status",
        "message_count",
        "memories_made",
        shown("error_code"),
        "last_message_at",
        "ended_at",
    )
    list_filter = ("status", "end_reason")
    extra_lookups = ("relationship",)
    sections = (
        section(
            _("Messages"),
            full_id,
            linked("relationship"),
            "message_count",
            related(_("Messages"), Message, by=IN_SESSION),
            "first_message_at",
            "last_message_at",
            "last_received_at",
            "ended_at",
            "end_reason",
        ),
        section(
            _("Work on it"),
            "status",
            "attempts",
            "lease_until",
            shown("error_code"),
            "processed_at",
            "memories_made",
            related(_("Memories"), Memory, by=FROM_SESSION),
            listed("sensitive_dropped"),
        ),
        section(
            _("The model's part"),
            "extraction",
            "messages_cut",
            related(_("Calls of the model"), ModelAttempt, by=BY_SESSION),
            related(_("Answer"), ModelAnswer, by=IN_SESSION),
        ),
    )


@admin.register(ModelAttempt)
class ModelAttemptAdmin(ReadOnlyAdmin):
    list_display = (
        row_id,
        linked("session"),
        "number",
        "status",
        shown("error_code"),
        "model",
        "input_tokens",
        "output_tokens",
        "cost_micros",
        "sent_at",
    )
    list_filter = ("status", "model", "prompt_version")
    extra_lookups = ("session",)
    sections = (
        section(
            None,
            full_id,
            linked("session"),
            "number",
            "status",
            shown("error_code"),
            "sent_at",
            "lease_until",
            "finished_at",
        ),
        section(
            _("Cost"),
            "model",
            "prompt_version",
            "input_tokens",
            "output_tokens",
            "cost_micros",
        ),
    )


@admin.register(ModelAnswer)
class ModelAnswerAdmin(ContentAdmin):
    masked_fields = ("text",)
    list_display = (
        row_id,
        masked("text", unit=CHARACTERS),
        linked("session"),
        "received_at",
    )
    extra_lookups = ("session",)
    sections = (
        section(
            None,
            full_id,
            linked("session"),
            masked("text", unit=CHARACTERS),
            "received_at",
        ),
    )
