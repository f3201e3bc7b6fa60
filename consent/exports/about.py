"""What a file says of itself: whose it is, what was asked for, by whom and when.

Owns the label of what an AI made, which is fixed by law and not a translation.

>>> AI_LABELS["en"]
'AI-generated'
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings

from consent.exports.dealings import side_of
from consent.models import ExportRun
from identity.exported import name_persona
from identity.models import GlobalUser

SCHEMA_VERSION = 1
CHINESE, ENGLISH = "zh-hans", "en"
# Source: 人工智能生成合成内容标识办法, articles 4 and 10.
AI_LABELS = {CHINESE: "AI 生成", ENGLISH: "AI-generated"}
IS_AI_MADE = "1"


@dataclass(frozen=True)
class About:
    """Whose file it is, and all that was asked for. `requested_by` names staff alone."""

    export: UUID
    user: str
    relationship: UUID | None
    persona: str
    parts: tuple[str, ...]
    formats: tuple[str, ...]
    for_staff: bool
    requested_by: str
    reason_code: str
    requested_at: datetime
    made_at: datetime
    language: str
    time_zone: str

    @property
    def ai_label(self) -> str:
        """Return the words that stand on what an AI made."""
        return AI_LABELS[self.language]

    def label_metadata(self) -> dict[str, Any]:
        """Return the label for machines.

        Source: GB 45438-2025, implicit label in a file's metadata.
        """
        by_whom = settings.AI_PROVIDER_CODE
        return {
            "Label": IS_AI_MADE,
            "ContentProducer": by_whom,
            "ProduceID": str(self.export),
            "ReservedCode1": "",
            "ContentPropagator": by_whom,
            "PropagateID": str(self.export),
            "ReservedCode2": "",
        }


def tell_about(run: ExportRun, user: GlobalUser, *, now: datetime) -> About:
    """Return what the file of an export says of itself. At most one query."""
    one = run.relationship_id
    return About(
        export=run.pk,
        user=user.external_id,
        relationship=one,
        persona=name_persona(one) if one is not None else "",
        parts=tuple(run.parts),
        formats=tuple(run.formats),
        for_staff=run.for_staff,
        requested_by=run.requested_by if run.for_staff else side_of(run.requested_by),
        reason_code=run.reason_code,
        requested_at=run.requested_at,
        made_at=now,
        language=ENGLISH if user.locale.lower().startswith("en") else CHINESE,
        time_zone=user.time_zone,
    )
