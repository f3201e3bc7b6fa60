"""What people ask of those who run this: taken down, worked on, answered in time.

Owns a request from its number to its answer. The deeds that it asks for, such as an
erasure, are their own; a request notes which were done for it.

>>> row = receive(RequestForm(user_id, "erase"), by="staff:3", now=now)
... # doctest: +SKIP
>>> answer(row.pk, outcome="done", words="…", by="staff:3", now=now)  # doctest: +SKIP
"""

from consent.requests.letters import Letter, find_letter
from consent.requests.reading import list_duplicates, list_notes, list_open, list_same
from consent.requests.receiving import (
    RequestForm,
    due_date,
    receive,
    target_date,
)
from consent.requests.records import MAX_WORDS, OPEN_STATES
from consent.requests.working import (
    answer,
    assign,
    link,
    merge,
    pause,
    refuse,
    resume,
)

__all__ = [
    "MAX_WORDS",
    "OPEN_STATES",
    "Letter",
    "RequestForm",
    "answer",
    "assign",
    "due_date",
    "find_letter",
    "link",
    "list_duplicates",
    "list_notes",
    "list_open",
    "list_same",
    "merge",
    "pause",
    "receive",
    "refuse",
    "resume",
    "target_date",
]
