"""What may stand in the chained columns: ids and codes, in fixed forms.

Owns the forms alone. They leave no room for what somebody said or is called; that may
stand in a deed's `details`, which can be erased.

>>> fault_of("actor", "service:ab12") is None
True
>>> fault_of("object_ref", "user:小明")
'object_ref'
"""

import re
from collections.abc import Mapping

# A kind of actor, and the id of one.
ACTOR_KINDS = ("service", "staff", "user", "system", "command", "job")
_FORMS: Mapping[str, re.Pattern[str]] = {
    "chain": re.compile(r"[a-z][a-z0-9-]{0,39}"),
    "action": re.compile(r"(?=.{1,60}\Z)[a-z][a-z0-9_-]*(\.[a-z0-9_-]+)*"),
    "actor": re.compile(rf"({'|'.join(ACTOR_KINDS)}):[A-Za-z0-9_.-]{{1,80}}"),
    "object_ref": re.compile(
        r"(?=.{0,200}\Z)([a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)?:[A-Za-z0-9_:./-]*)?"
    ),
    "reason_code": re.compile(r"([a-z0-9][a-z0-9_-]{0,59})?"),
    "field_name": re.compile(r"[a-z][A-Za-z0-9_:.-]{0,79}"),
}


def fault_of(name: str, value: str) -> str | None:
    """Return the name of the column if the value has not its form, else None."""
    return None if _FORMS[name].fullmatch(value) else name
