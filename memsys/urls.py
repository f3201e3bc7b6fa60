"""The addresses: the API, the desk, the choice of a language, and the probes."""

from django.contrib import admin
from django.urls import include, path
from django.views.i18n import set_language

from memsys import probes

urlpatterns = [
    path("livez", probes.livez),
    path("readyz", probes.readyz),
    path("metrics", probes.metrics),
    path("api/v1/", include("memsys.api.urls")),
    path("desk/", admin.site.urls),
    path("language/", set_language, name="set_language"),
]

handler400 = "memsys.api.errors.bad_request"
handler403 = "memsys.api.errors.permission_denied"
handler404 = "memsys.api.errors.page_not_found"
handler500 = "memsys.api.errors.server_error"
