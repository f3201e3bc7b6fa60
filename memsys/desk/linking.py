"""Notes with a request what was done for it, when a page was opened from there.

The pages of deeds are opened with `?request=<id>` in their address, which their forms
keep. A request that is not this user's, or is closed, or out of reach, is left alone.

>>> note_for_request(request, "erasure:0192…", user_id=user_id)  # doctest: +SKIP
True
"""

from uuid import UUID

from django.http import HttpRequest

from consent import requests
from consent.models import SubjectRequest
from memsys.desk.permissions import Permission
from memsys.desk.roles import may
from memsys.desk.subjects import requests_within_reach
from memsys.kernel.pages.read_only import actor_of

PARAMETER = "request"


def note_for_request(request: HttpRequest, deed: str, *, user_id: UUID) -> bool:
    """Note a deed with the request that the address names; return whether it was."""
    try:
        key = UUID(request.GET.get(PARAMETER, ""))
    except ValueError:
        return False
    if not may(request.user, Permission.WORK_REQUESTS):
        return False
    rows = SubjectRequest.objects.filter(
        pk=key, global_user_id=user_id, state__in=requests.OPEN_STATES
    )
    row = requests_within_reach(request.user, rows).first()
    if row is None:
        return False
    requests.link(row.pk, deed=deed, by=actor_of(request))
    return True
