"""Addresses of the API."""

from django.urls import URLPattern, URLResolver, path

from memsys.api.views.memories import MemoriesView, MemoryView, TimelineView
from memsys.api.views.messages import MessagesView, SessionsEndView, SessionsView
from memsys.api.views.personas import PersonaProfileView, PersonasView, PersonaView
from memsys.api.views.recall import ContextView, SearchView
from memsys.api.views.relationships import (
    RelationshipCustodyView,
    RelationshipUserView,
    RelationshipView,
    ResolveView,
)
from memsys.api.views.schema import SchemaView

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
    path(f"{_RELATIONSHIP}/custody", RelationshipCustodyView.as_view()),
    path(f"{_RELATIONSHIP}/sessions", SessionsView.as_view()),
    path(f"{_RELATIONSHIP}/memories", MemoriesView.as_view()),
    path(f"{_RELATIONSHIP}/memories/<str:memory_id>", MemoryView.as_view()),
    path(f"{_RELATIONSHIP}/timeline", TimelineView.as_view()),
    path(f"{_RELATIONSHIP}/search", SearchView.as_view()),
    path("messages", MessagesView.as_view()),
    path("sessions/end", SessionsEndView.as_view()),
    path("context", ContextView.as_view()),
    path("schema", SchemaView.as_view()),
]
