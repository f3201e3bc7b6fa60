"""Tables of memories."""

from memories.models.memories import ErasureTombstone, Memory
from memories.models.messages import ChatSession, Message, MessageFingerprint

__all__ = [
    "ChatSession",
    "ErasureTombstone",
    "Memory",
    "Message",
    "MessageFingerprint",
]
