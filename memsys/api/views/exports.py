"""Exports: asked for, watched, and taken once.

A key that is for some creators only has one relationship exported at a time, never all
of a user, who may know others: to it there is no such user. What the staff had made for
themselves, or a user took in person, is no key's.
"""

from typing import Any
from uuid import UUID

from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from rest_framework.request import Request
from rest_framework.response import Response

from consent import exports
from consent.errors import ExportNotFound
from consent.models import ExportRun
from identity.resolution import get_user_id
from memsys.api.errors import NotReachable
from memsys.api.idempotency import Answer, answer_once
from memsys.api.reach import Target, check_all_creators, find_relationship, parse_id
from memsys.api.schema import ZIP, describe, request_example
from memsys.api.scopes import Scope
from memsys.api.serializers.exports import ExportForm, ExportOut, ExportRequestIn
from memsys.api.views.base import ApiView

_ID = "0192f0c1-2f6b-7c3e-9d4a-5b6c7d8e9f01"
_SOME = {"relationship": _ID, "parts": ["memories"], "formats": ["json"]}


class ExportBase(ApiView):
    """Base of the routes: finds what the caller names, and no one else's."""

    def find(self, form: ExportForm) -> exports.Wish:
        """Return what is wanted.

        Raises:
            NotReachable: a user, and the key is for some creators only.
        """
        relationship_id = None
        if form.relationship is not None:
            found = find_relationship(self.caller, Target(form.relationship))
            user_id, relationship_id = found.user_id, found.id
        else:
            check_all_creators(self.caller)
            user_id = get_user_id(str(form.user))
        return exports.Wish(
            user_id, relationship_id, parts=form.parts, formats=form.formats
        )

    def get_run(self, export_id: UUID) -> ExportRun:
        """Return the caller's export.

        Raises:
            ExportNotFound: there is none that a service has asked for.
            NotReachable: it is not the caller's.
        """
        rows = ExportRun.objects.filter(pk=export_id, for_staff=False)
        run = rows.filter(requested_by__startswith="service:").first()
        if run is None:
            raise ExportNotFound("There is no such export.")
        if run.relationship_id is not None:
            find_relationship(self.caller, Target(run.relationship_id))
        elif self.caller.creators:
            raise NotReachable("Not for this key.")
        return run


class ExportsView(ExportBase):
    """Exports that are asked for."""

    scopes = {"POST": Scope.EXPORT_REQUEST}

    @describe(
        summary="Ask for a copy of what is held of a user or relationship",
        request=ExportRequestIn,
        answer={202: ExportOut},
        examples=[
            request_example("Everything of a user", {"user": "u-1"}),
            request_example("The memories of a relationship, as JSON", _SOME),
        ],
        is_idempotent=True,
    )
    def post(self, request: Request) -> Response:
        form: ExportForm = ExportRequestIn.read(request.data, now=self.now)
        wish = self.find(form)

        def ask() -> Answer:
            run = exports.request(
                wish, by=self.actor, reason_code=form.reason_code, now=self.now
            )
            return Answer(_show(run), 202)

        return answer_once(request, ask)


class ExportView(ExportBase):
    """One export."""

    scopes = {"GET": Scope.EXPORT_REQUEST}

    @describe(
        summary="Show an export: its state, and until when its file can be taken",
        answer={200: ExportOut},
        ids=["export_id"],
    )
    def get(self, request: Request, export_id: str) -> Response:
        return Response(_show(self.get_run(parse_id(export_id))))


class ExportFileView(ExportBase):
    """The file of one export; whoever only looks (HEAD) must not use it up."""

    http_method_names = ["get"]
    scopes = {"GET": Scope.EXPORT_REQUEST}

    @describe(
        summary="Take the file, a ZIP: once, then it is gone (410 `export-gone`)",
        answer={200: OpenApiTypes.BINARY},
        ids=["export_id"],
    )
    def get(self, request: Request, export_id: str) -> HttpResponseBase:
        run = self.get_run(parse_id(export_id))
        pieces = exports.open_file(run.pk, by=self.actor, now=self.now)
        return send_file(run, pieces)


def send_file(run: ExportRun, pieces: Any) -> StreamingHttpResponse:
    """Return the answer that streams a file which was taken."""
    answer = StreamingHttpResponse(pieces, content_type=ZIP)
    answer.headers["Content-Length"] = str(run.size_bytes)
    answer.headers["Content-Disposition"] = f'attachment; filename="{run.pk}.zip"'
    return answer


def _show(run: ExportRun) -> dict[str, Any]:
    return dict(ExportOut(run).data)
