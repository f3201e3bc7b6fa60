"""Which relationship a body is about: its id, or the names of its two sides.

>>> target_of({"relationship": relationship_id})  # doctest: +SKIP
"""

from typing import Any

from identity.resolution import DEFAULT_FACET, Address
from memsys.api.reach import Target
from memsys.api.serializers.base import StrictSerializer, fault
from memsys.api.serializers.fields import IdentifierField, UuidField

_NAMES = ("user", "creator", "persona")
_EXPECTED = "either relationship, or user, creator and persona (and facet)"


class AddressIn(StrictSerializer):
    """The names of a relationship's two sides."""

    user = IdentifierField()
    facet = IdentifierField(default=DEFAULT_FACET)
    creator = IdentifierField()
    persona = IdentifierField()


class TargetIn(StrictSerializer):
    """The id of a relationship, or the names of its two sides."""

    relationship = UuidField(required=False)
    user = IdentifierField(required=False)
    facet = IdentifierField(required=False)
    creator = IdentifierField(required=False)
    persona = IdentifierField(required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Put a `Target` into the values, from exactly one of the two forms."""
        missing = [name for name in _NAMES if name not in attrs]
        is_named = len(missing) < len(_NAMES) or "facet" in attrs
        if "relationship" in attrs and is_named:
            raise fault("relationship", "ambiguous", _EXPECTED)
        if "relationship" not in attrs and missing:
            field = missing[0] if is_named else "relationship"
            raise fault(field, "missing", _EXPECTED)
        return attrs | {"target": target_of(attrs)}


def target_of(values: dict[str, Any]) -> Target:
    """Return the target that checked values name."""
    if "relationship" in values:
        return Target(relationship=values["relationship"])
    facet = values.get("facet", DEFAULT_FACET)
    address = Address(values["user"], facet, values["creator"], values["persona"])
    return Target(address=address)
