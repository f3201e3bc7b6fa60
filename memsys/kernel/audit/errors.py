"""What can go wrong with the audit chains."""


class AuditError(Exception):
    """Base of the errors of this package."""

    code = "audit-error"


class AuditImmutable(AuditError):
    """Somebody tried to change or delete an audit entry."""

    code = "audit-immutable"


class AuditOutsideTransaction(AuditError):
    """A deed was recorded apart from the transaction that does it."""

    code = "audit-outside-transaction"


class ImproperDeed(AuditError, ValueError):
    """A deed would put something else than ids and codes where it cannot be erased."""

    code = "improper-deed"


class ChainNotFound(AuditError):
    """There is no audit chain of the name that was asked for."""

    code = "not-found"
