"""The standing cast, as the API meets them.

Ann consents. Ben has paused his memory. Chloe belongs to another tenant. Bot is the
chat service of Ann's and Ben's creator.
"""

import pytest

from identity.types import RelationshipRef, RelationshipStatus
from tests.factories.api import Bot, make_bot
from tests.factories.identity import make_relationship, new_name


@pytest.fixture
def creator() -> str:
    """The creator whose chat service Bot is."""
    return new_name("creator")


@pytest.fixture
def ann(db: None, creator: str) -> RelationshipRef:
    return make_relationship(creator=creator)


@pytest.fixture
def ben(db: None, creator: str) -> RelationshipRef:
    return make_relationship(creator=creator, status=RelationshipStatus.PAUSED)


@pytest.fixture
def chloe(db: None) -> RelationshipRef:
    return make_relationship()


@pytest.fixture
def bot(db: None, creator: str) -> Bot:
    return make_bot(creators=[creator])
