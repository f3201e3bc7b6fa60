"""Where data lies, seen from an export: which section tells of a table, or why none does.

Owns the one list that the file's manifest reads. A table that holds something of a
person (see `consent.erasures.stores`) and is not in it fails the tests.

>>> EXPORTED["memories_memory"], LEFT_OUT["memories_erasuretombstone"]
('memories', 'digests')
"""

from collections.abc import Collection, Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _

from memsys.kernel.exporting import ExportPart

EXPORTED = {
    "identity_globaluser": "account",
    "identity_userfacet": "facets",
    "identity_relationship": "relationships",
    "identity_custodytransfer": "custody_moves",
    "memories_memory": "memories",
    "memories_message": "messages",
    "memories_chatsession": "sessions",
    "consent_profilevalue": "profile",
    "consent_consentevent": "consent_events",
    "consent_consentgrant": "consents",
    "consent_releasereceipt": "releases",
    "consent_disclosurereminder": "disclosures",
    "consent_accessrecord": "service_reads",
    "consent_subjectrequest": "requests",
    "consent_subjectrequestnote": "request_words",
    "consent_erasurerun": "erasures",
    "consent_exportrun": "exports",
    "desk_reveal": "staff_reads",
}

LEFT_OUT = {
    "memories_messagefingerprint": "digests",
    "memories_erasuretombstone": "digests",
    "api_idempotencyrecord": "digests",
    "consent_accessbatch": "digests",
    "memories_modelanswer": "drafts",
    "memories_modelattempt": "drafts",
    "consent_exportchunk": "copies",
    "consent_legalhold": "proceedings",
    "consent_changerequest": "proceedings",
    "consent_ledgermark": "proceedings",
    "kernel_auditentry": "audit",
    "kernel_audithead": "audit",
    "kernel_auditpayload": "audit",
    "kernel_outboxevent": "notices",
    "api_webhookdelivery": "notices",
}

PRIVATE, SENSITIVE, OF_USER = "private-notes", "sensitive", "of-user"
NOT_ASKED, RETENTION = "not-asked-for", "retention"

REASONS: Mapping[str, Any] = {
    "digests": _(
        "Salted hashes and check sums, from which nothing can be read: by them "
        "duplicates are found, and what was erased does not come back."
    ),
    "drafts": _(
        "What the language model answered while it read a conversation, and what that "
        "cost: what was kept of it is among the memories."
    ),
    "copies": _("The files of earlier exports: they hold what this one holds."),
    "proceedings": _(
        "Legal holds and decisions of the staff that take two persons: they name cases "
        "and people of the staff. If a hold bars an erasure, that is told when the "
        "erasure is asked for."
    ),
    "audit": _(
        "The audit chain names people of the staff and holds ids alone. What was read "
        "is told by the day and by the role."
    ),
    "notices": _("Notices sent to the chat platform: ids and codes of what is told."),
    PRIVATE: _("These are words of the creator's side about its own work."),
    SENSITIVE: _("For the staff these take a second person who agrees."),
    OF_USER: _(
        "This belongs to the user over all relationships; it is in an export of the "
        "whole user."
    ),
    NOT_ASKED: _("This was not asked for."),
    RETENTION: _(
        "What was deleted when its time was over, or erased on request, is in no file."
    ),
}


def list_missing(
    parts: Collection[str], *, is_whole_user: bool, for_staff: bool
) -> list[tuple[str, str]]:
    """Return what the file does not hold, each with the code of the reason."""
    missing = [(table, code) for table, code in sorted(LEFT_OUT.items())]
    if for_staff:
        if ExportPart.SENSITIVE not in parts:
            missing.append((ExportPart.SENSITIVE.value, SENSITIVE))
        if ExportPart.PRIVATE not in parts:
            missing.append((ExportPart.PRIVATE.value, NOT_ASKED))
    else:
        missing.append((ExportPart.PRIVATE.value, PRIVATE))
    for part in ExportPart:
        is_open = part not in (ExportPart.SENSITIVE, ExportPart.PRIVATE)
        if is_open and part not in parts:
            is_of_user = part is ExportPart.PROFILE and not is_whole_user
            missing.append((part.value, OF_USER if is_of_user else NOT_ASKED))
    return [*missing, ("", RETENTION)]
