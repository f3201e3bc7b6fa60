"""How long staff stay signed in, and when they must show again who they are.

Owns the two limits of a session (idle and altogether), the proof that a person gave
lately, and the rows by which they see and end their sessions.

>>> is_proved(request, now=now)  # doctest: +SKIP
True
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.contrib.auth import logout
from django.contrib.sessions.models import Session
from django.db import transaction
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse
from django.utils import timezone
from django_otp import login as login_with

from memsys.client_address import client_address
from memsys.desk.models import DeskSession
from memsys.kernel.audit.chain import Deed, record
from memsys.kernel.pages.actors import naming_staff
from memsys.kernel.pages.leading import asking
from memsys.kernel.pages.read_only import DESK_CHAIN

IDLE = timedelta(minutes=15)
WHOLE = timedelta(hours=8)
PROOF = timedelta(minutes=10)
# A session is written at most so often.
NOTED_EVERY = timedelta(seconds=60)
KEPT = timedelta(days=90)

STARTED, SEEN, PROVED = "desk_started_at", "desk_seen_at", "desk_proved_at"


def begin(request: HttpRequest, device: Any, *, now: datetime) -> None:
    """Note that a person signed in with both factors; the session gets a new key."""
    login_with(request, device)
    request.session.cycle_key()
    for name in (STARTED, SEEN, PROVED):
        request.session[name] = now.isoformat()
    person = int(request.user.pk or 0)
    rows = DeskSession.objects.filter(user_id=person)
    rows.filter(seen_at__lt=now - KEPT).delete()
    with transaction.atomic():
        DeskSession.objects.create(
            user_id=person,
            session_key=str(request.session.session_key),
            address=client_address(request) or None,
            agent=request.headers.get("User-Agent", "")[:200],
            started_at=now,
            seen_at=now,
        )
        actor = f"staff:{person}"
        record(Deed(DESK_CHAIN, "desk.signed_in", actor, actor))


def prove(request: HttpRequest, *, now: datetime) -> None:
    """Note that the person has just shown again who they are."""
    request.session[PROVED] = now.isoformat()


def is_proved(request: HttpRequest, *, now: datetime) -> bool:
    """Say whether the person showed who they are within the last ten minutes."""
    proved_at = _read(request, PROVED)
    return proved_at is not None and now - proved_at <= PROOF


def end(session_id: UUID, *, user_id: int, now: datetime) -> bool:
    """End a session of a person; False when they have no such session open."""
    row = DeskSession.objects.filter(
        pk=session_id, user_id=user_id, ended_at=None
    ).first()
    if row is None:
        return False
    with transaction.atomic():
        Session.objects.filter(session_key=row.session_key).delete()
        DeskSession.objects.filter(pk=row.pk).update(ended_at=now)
        record(
            Deed(
                DESK_CHAIN,
                "desk.session_ended",
                f"staff:{user_id}",
                f"desk_session:{row.pk}",
            )
        )
    return True


def list_sessions(user_id: int, *, now: datetime) -> list[DeskSession]:
    """Return the sessions of a person that are still open, the latest first."""
    return list(
        DeskSession.objects.filter(
            user_id=user_id,
            ended_at=None,
            seen_at__gt=now - IDLE - NOTED_EVERY,
            started_at__gt=now - WHOLE,
        ).order_by("-seen_at", "-pk")[:50]
    )


class SessionLimits:
    """Signs staff out after 15 idle minutes, and after 8 hours whatever they do."""

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Sign out what is too old before the page is asked, else note the visit."""
        is_desk = request.path.startswith(reverse("admin:index"))
        if is_desk and request.user.is_authenticated:
            _limit(request, now=timezone.now())
        # It needs the pages, which need this module.
        from memsys.desk.following import may_follow

        with naming_staff(), asking(lambda url: may_follow(request.user, url)):
            response: HttpResponseBase = self.get_response(request)
        return response


def _limit(request: HttpRequest, *, now: datetime) -> None:
    started_at = _read(request, STARTED) or now
    seen_at = _read(request, SEEN) or now
    key = request.session.session_key
    if now - seen_at > IDLE or now - started_at > WHOLE:
        DeskSession.objects.filter(session_key=key).update(ended_at=now)
        logout(request)
        return
    if _read(request, STARTED) is None:
        request.session[STARTED] = now.isoformat()
    if _read(request, SEEN) is None or now - seen_at > NOTED_EVERY:
        request.session[SEEN] = now.isoformat()
        DeskSession.objects.filter(session_key=key).update(seen_at=now)


def _read(request: HttpRequest, name: str) -> datetime | None:
    text = request.session.get(name)
    return datetime.fromisoformat(text) if text else None
