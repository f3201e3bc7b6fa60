"""What the audit chains hold about an object, read as the staff's role."""

from typing import Any

from memsys.kernel.audit.models import AuditEntry
from memsys.kernel.scope.staff import staff_role


def list_deeds(kind: str, pk: Any) -> list[AuditEntry]:
    """Return the entries about an object, oldest first."""
    with staff_role():
        rows = AuditEntry.objects.filter(object_ref=f"{kind}:{pk}")
        return list(rows.order_by("chain", "seq"))
