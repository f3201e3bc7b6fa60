"""Tables of consent."""

from consent.models.access import AccessBatch, AccessRecord
from consent.models.approvals import ChangeRequest
from consent.models.consents import (
    ConsentEvent,
    ConsentGrant,
    DisclosureReminder,
    PolicyVersion,
)
from consent.models.erasures import ErasureRun, LegalHold
from consent.models.exports import ExportChunk, ExportRun
from consent.models.ledger import LedgerMark
from consent.models.owned import UserModel
from consent.models.releases import (
    ProfileField,
    ProfileValue,
    ReleasePolicy,
    ReleaseReceipt,
)
from consent.models.requests import SubjectRequest, SubjectRequestNote
from consent.models.retention import RetentionOverride, RetentionRun

__all__ = [
    "AccessBatch",
    "AccessRecord",
    "ChangeRequest",
    "ConsentEvent",
    "ConsentGrant",
    "DisclosureReminder",
    "ErasureRun",
    "ExportChunk",
    "ExportRun",
    "LedgerMark",
    "LegalHold",
    "PolicyVersion",
    "ProfileField",
    "ProfileValue",
    "ReleasePolicy",
    "ReleaseReceipt",
    "RetentionOverride",
    "RetentionRun",
    "SubjectRequest",
    "SubjectRequestNote",
    "UserModel",
]
