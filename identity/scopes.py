"""Opens the scope of one relationship, with what is its user's own.

>>> with job_scope(relationship):  # doctest: +SKIP
...     Memory.objects.count()
"""

from contextlib import AbstractContextManager

from identity.types import RelationshipRef
from memsys.kernel.scope import Purpose, Scope, access_scope


def service_scope(
    relationship: RelationshipRef, *, is_read: bool = False
) -> AbstractContextManager[Scope]:
    """Open the content of one relationship for a calling service, perhaps to read."""
    return _open(Purpose.SERVICE, relationship, is_read=is_read)


def job_scope(relationship: RelationshipRef) -> AbstractContextManager[Scope]:
    """Open the content of one relationship for a job."""
    return _open(Purpose.JOB, relationship)


def _open(
    purpose: Purpose, relationship: RelationshipRef, *, is_read: bool = False
) -> AbstractContextManager[Scope]:
    return access_scope(
        purpose,
        relationship=relationship.id,
        user=relationship.user_id,
        is_read=is_read,
    )
