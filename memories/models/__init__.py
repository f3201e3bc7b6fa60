"""Tables of memories."""

from memories.models.memories import ErasureTombstone, Memory
from memories.models.messages import ChatSession, Message, MessageFingerprint
from memories.models.model_calls import ModelAnswer, ModelAttempt

__all__ = [
    "ChatSession",
    "ErasureTombstone",
    "Memory",
    "Message",
    "MessageFingerprint",
    "ModelAnswer",
    "ModelAttempt",
]
