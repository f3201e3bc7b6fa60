"""Consents: recorded, listed, and the texts under which they are given.

Owns the ledger and what follows from it at once. What a consent's end means for data
that it carried is `settling`'s; whether one holds in a relationship, the gate's.

>>> record(form, by="service:ab12", now=now).action  # doctest: +SKIP
'grant'
"""

from consent.consents.forms import ConsentForm
from consent.consents.listing import (
    EventView,
    GrantView,
    find_state,
    list_events,
    list_grants,
    to_event_view,
)
from consent.consents.projection import expire
from consent.consents.publishing import PolicyTextChange, publish_text
from consent.consents.recording import record
from consent.consents.targets import list_targets_of

__all__ = [
    "ConsentForm",
    "EventView",
    "GrantView",
    "PolicyTextChange",
    "expire",
    "find_state",
    "list_events",
    "list_grants",
    "list_targets_of",
    "publish_text",
    "record",
    "to_event_view",
]
