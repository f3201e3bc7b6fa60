"""Addresses of the API."""

from django.urls import URLPattern, URLResolver, path

from memsys.api.views.consents import (
    ConsentEventsView,
    ConsentPromptsView,
    ConsentsView,
    ConsentTextsView,
)
from memsys.api.views.disclosures import DisclosuresView
from memsys.api.views.erasures import (
    ErasurePreviewView,
    ErasuresView,
    ErasureUndoView,
    ErasureView,
)
from memsys.api.views.exports import ExportFileView, ExportsView, ExportView
from memsys.api.views.holds import HoldsView
from memsys.api.views.memories import MemoriesView, MemoryView, TimelineView
from memsys.api.views.messages import MessagesView, SessionsEndView, SessionsView
from memsys.api.views.personas import PersonaProfileView, PersonasView, PersonaView
from memsys.api.views.profile import (
    RelationshipProfileView,
    ReleasesView,
    UserProfileView,
)
from memsys.api.views.recall import ContextView, SearchView
from memsys.api.views.relationships import (
    RelationshipCustodyView,
    RelationshipStatusView,
    RelationshipUserView,
    RelationshipView,
    ResolveView,
)
from memsys.api.views.schema import SchemaView
from memsys.api.views.webhooks import (
    WebhookDeliveriesView,
    WebhookReplayView,
    WebhookSecretView,
    WebhooksView,
    WebhookView,
)

_PERSONA = "personas/<str:persona_id>"
_RELATIONSHIP = "relationships/<str:relationship_id>"

# Ids are taken as text: what is no id gets the same 404 as an id that is nobody's.
urlpatterns: list[URLPattern | URLResolver] = [
    path("personas", PersonasView.as_view()),
    path(_PERSONA, PersonaView.as_view()),
    path(f"{_PERSONA}/profile", PersonaProfileView.as_view()),
    path("relationships/resolve", ResolveView.as_view()),
    path(_RELATIONSHIP, RelationshipView.as_view()),
    path(f"{_RELATIONSHIP}/user", RelationshipUserView.as_view()),
    path(f"{_RELATIONSHIP}/profile", RelationshipProfileView.as_view()),
    path(f"{_RELATIONSHIP}/releases", ReleasesView.as_view()),
    path(f"{_RELATIONSHIP}/custody", RelationshipCustodyView.as_view()),
    path(f"{_RELATIONSHIP}/status", RelationshipStatusView.as_view()),
    path(f"{_RELATIONSHIP}/sessions", SessionsView.as_view()),
    path(f"{_RELATIONSHIP}/memories", MemoriesView.as_view()),
    path(f"{_RELATIONSHIP}/memories/<str:memory_id>", MemoryView.as_view()),
    path(f"{_RELATIONSHIP}/timeline", TimelineView.as_view()),
    path(f"{_RELATIONSHIP}/search", SearchView.as_view()),
    path(f"{_RELATIONSHIP}/disclosures", DisclosuresView.as_view()),
    path("consents", ConsentsView.as_view()),
    path("consents/events", ConsentEventsView.as_view()),
    path("consent-texts", ConsentTextsView.as_view()),
    path("consent-prompts", ConsentPromptsView.as_view()),
    path("users/profile", UserProfileView.as_view()),
    path("messages", MessagesView.as_view()),
    path("sessions/end", SessionsEndView.as_view()),
    path("context", ContextView.as_view()),
    path("erasures", ErasuresView.as_view()),
    path("erasures/preview", ErasurePreviewView.as_view()),
    path("erasures/<str:erasure_id>", ErasureView.as_view()),
    path("erasures/<str:erasure_id>/undo", ErasureUndoView.as_view()),
    path("exports", ExportsView.as_view()),
    path("exports/<str:export_id>", ExportView.as_view()),
    path("exports/<str:export_id>/file", ExportFileView.as_view()),
    path("holds", HoldsView.as_view()),
    path("webhooks", WebhooksView.as_view()),
    path("webhooks/<str:webhook_id>", WebhookView.as_view()),
    path("webhooks/<str:webhook_id>/secret", WebhookSecretView.as_view()),
    path("webhooks/<str:webhook_id>/deliveries", WebhookDeliveriesView.as_view()),
    path("webhooks/deliveries/<str:delivery_id>/replay", WebhookReplayView.as_view()),
    path("schema", SchemaView.as_view()),
]
