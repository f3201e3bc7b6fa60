"""Asks for a change that another person decides, in the name of who is signed in.

>>> propose(request, FieldRelease.code, payload, object_ref="field:region",
...         words="…")  # doctest: +SKIP
'/desk/consent/changerequest/…/change/'
"""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest
from django.utils import timezone

from consent import approvals
from consent.models import ChangeRequest
from memsys.kernel.pages.columns import page_url


def propose(
    request: HttpRequest,
    kind: str,
    payload: Mapping[str, Any],
    *,
    object_ref: str,
    words: str,
) -> str:
    """Ask for it, and return the address of the page where it is decided."""
    change = approvals.propose(
        kind,
        payload,
        object_ref=object_ref,
        reason=words,
        by=int(request.user.pk or 0),
        now=timezone.now(),
    )
    return page_url(ChangeRequest, change.pk)
