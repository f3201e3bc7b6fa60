"""The kernel's tables, where Django looks for them."""

from memsys.kernel.audit.models import (
    AuditCheck,
    AuditEntry,
    AuditHead,
    AuditPayload,
)
from memsys.kernel.outbox import OutboxEvent

__all__ = [
    "AuditCheck",
    "AuditEntry",
    "AuditHead",
    "AuditPayload",
    "OutboxEvent",
]
