"""Tables of identity."""

from identity.models.content import ContentModel
from identity.models.personas import Creator, CreatorPersona, CreatorPersonaProfile
from identity.models.relationships import CustodyTransfer, Relationship
from identity.models.users import GlobalUser, UserFacet

__all__ = [
    "ContentModel",
    "Creator",
    "CreatorPersona",
    "CreatorPersonaProfile",
    "CustodyTransfer",
    "GlobalUser",
    "Relationship",
    "UserFacet",
]
