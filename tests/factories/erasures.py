"""Erasures and what they meet, for tests.

>>> make_erasure(make_relationship()).state  # doctest: +SKIP
'waiting'
"""

from datetime import timedelta
from typing import Any

from django.utils import timezone

from consent.erasures.wishes import new_receipt_code
from consent.models import ErasureRun
from identity.types import RelationshipRef


def make_erasure(relationship: RelationshipRef, **fields: Any) -> ErasureRun:
    """Make the row of an erasure that waits and has restricted nothing."""
    now = timezone.now()
    return ErasureRun.objects.create(
        **{
            "global_user_id": relationship.user_id,
            "relationship_id": relationship.id,
            "target": "relationship",
            "requested_by": "service:tests",
            "reason_code": "test",
            "requested_at": now,
            "run_from": now + timedelta(hours=24),
            "receipt_code": new_receipt_code(relationship.user_id),
        }
        | fields
    )
