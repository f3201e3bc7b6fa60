"""The panel of a request: who has it, by when, and what can be done with it.

>>> request_panel(request, row).sentences  # doctest: +SKIP
"""

from django.http import HttpRequest
from django.utils.translation import gettext as _

from consent.models import SubjectRequest
from consent.types import RequestState
from memsys.desk.registers.panels import Panel


def request_panel(request: HttpRequest, row: SubjectRequest) -> Panel:
    """Say what happens next with a request, and offer the deeds on it."""
    sentence = {
        RequestState.OPEN: _("It must be answered by %(due)s (working days)."),
        RequestState.PAUSED: _(
            "It is paused; the days of the pause do not count. It was due on %(due)s."
        ),
        RequestState.DONE: _("It was answered; nothing is left to do."),
        RequestState.REFUSED: _(
            "It was refused with its reason; the person was told how to object."
        ),
    }[RequestState(row.state)]
    return Panel((sentence % {"due": f"{row.due_date:%Y-%m-%d}"},))
