"""The kernel's tables, where Django looks for them."""

from memsys.kernel.audit.models import AuditEntry, AuditHead, AuditPayload

__all__ = ["AuditEntry", "AuditHead", "AuditPayload"]
