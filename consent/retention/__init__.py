"""How long data is kept: the classes and their times, and the work of the night.

Owns when data goes because its time is over. What is deleted of a relationship is each
app's own (`RETENTION_RULES` of its `personal_data`); a right to erasure is in
`erasures`.

>>> look(relationship_id, begin_night(now=now), now=now)  # doctest: +SKIP
"""

from consent.retention.classes import (
    KeptClass,
    Standing,
    get_class,
    list_classes,
    list_standings,
    read_days,
    read_setting,
)
from consent.retention.looking import Looked, foresee, look
from consent.retention.nights import (
    begin_night,
    finish_night,
    iterate_due,
    list_due,
)
from consent.retention.planning import Plan, plan
from consent.retention.shortening import RetentionShortening

__all__ = [
    "KeptClass",
    "Looked",
    "Plan",
    "RetentionShortening",
    "Standing",
    "begin_night",
    "finish_night",
    "foresee",
    "get_class",
    "iterate_due",
    "list_classes",
    "list_due",
    "list_standings",
    "look",
    "plan",
    "read_days",
    "read_setting",
]
