"""Where data lies: every table, and what an erasure of everything does to it.

Owns the one list that the preview, the receipt and the notice read. A table that is not
in it fails the tests. `ERASED` names the step that empties a table of a person's data;
`KEPT` gives the reason why rows stay; in `OTHERS` there is nothing of a user.

>>> ERASED["memories_memory"], KEPT["memories_erasuretombstone"]
('memories.content', 'tombstones')
"""

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from django.utils.translation import gettext_lazy as _

from consent.erasures.targets import Stay

HOLD = "legal-hold"

ERASED = {
    "memories_memory": "memories.content",
    "memories_message": "memories.content",
    "memories_messagefingerprint": "memories.content",
    "memories_modelanswer": "memories.content",
    "consent_exportchunk": "consent.exports",
    "consent_subjectrequestnote": "consent.request-notes",
    "consent_profilevalue": "consent.profile",
    "identity_userfacet": "identity.nicknames",
    "kernel_auditpayload": "consent.audit-payloads",
    "api_idempotencyrecord": "api.kept-answers",
}

KEPT = {
    "identity_globaluser": "account",
    "identity_relationship": "account",
    "identity_custodytransfer": "custody",
    "memories_chatsession": "shells",
    "memories_modelattempt": "shells",
    "memories_erasuretombstone": "tombstones",
    "consent_consentevent": "consent-ledger",
    "consent_consentgrant": "consent-ledger",
    "consent_releasereceipt": "receipts",
    "consent_disclosurereminder": "reminders",
    "consent_accessrecord": "access-rows",
    "consent_accessbatch": "access-rows",
    "consent_legalhold": "holds",
    "consent_erasurerun": "erasure-receipts",
    "consent_ledgermark": "erasure-receipts",
    "consent_exportrun": "requests",
    "consent_subjectrequest": "requests",
    "consent_changerequest": "approvals",
    "kernel_auditentry": "audit-skeleton",
    "kernel_audithead": "audit-skeleton",
    "kernel_outboxevent": "notices",
    "api_webhookdelivery": "notices",
    "desk_reveal": "access-rows",
}

# Words of this house, of creators and of staff, or of nobody.
OTHERS = frozenset({
    "identity_creator",
    "identity_creatorpersona",
    "identity_creatorpersonaprofile",
    "consent_policyversion",
    "consent_profilefield",
    "consent_releasepolicy",
    "consent_retentionoverride",
    "consent_retentionrun",
    "recall_recallpolicy",
    "api_servicekey",
    "api_webhookendpoint",
    "desk_desksession",
    "kernel_auditcheck",
    "rest_framework_api_key_apikey",
    "auth_group",
    "auth_group_permissions",
    "auth_permission",
    "auth_user",
    "auth_user_groups",
    "auth_user_user_permissions",
    "django_admin_log",
    "django_celery_beat_clockedschedule",
    "django_celery_beat_crontabschedule",
    "django_celery_beat_intervalschedule",
    "django_celery_beat_periodictask",
    "django_celery_beat_periodictasks",
    "django_celery_beat_solarschedule",
    "django_content_type",
    "django_migrations",
    "django_session",
    "axes_accessattempt",
    "axes_accessattemptexpiration",
    "axes_accessfailurelog",
    "axes_accesslog",
    "otp_static_staticdevice",
    "otp_static_statictoken",
    "otp_totp_totpdevice",
})  # fmt: skip

REASONS: dict[str, Any] = {
    "account": _(
        "The account and its relationships stay as bare ids with their status and age "
        "band, so that the service goes on and the rules for minors hold."
    ),
    "custody": _(
        "When which side served a relationship stays, since shares of revenue and "
        "complaints depend on it; nobody is named and nothing that was said is in it."
    ),
    "shells": _(
        "Of sessions only their times and counts stay, so that nothing is processed "
        "again and costs can be accounted for."
    ),
    "tombstones": _(
        "Salted hashes of what was erased stay, so that it does not come back from old "
        "messages. The words cannot be read from them."
    ),
    "consent-ledger": _(
        "What was consented to, withdrawn or refused stays as long as the account and "
        "three years more: it proves what was allowed."
    ),
    "receipts": _(
        "Which fields were released where and when stays for three years, as the law "
        "asks of records of providing data; the values are not in it."
    ),
    "reminders": _(
        "When it was disclosed that an AI talks stays for a year, as proof of it."
    ),
    "access-rows": _(
        "Who read what and when stays for three years, as ids, so that a misuse can "
        "still be found."
    ),
    "holds": _("Legal holds stay, with their reason and who placed and lifted them."),
    "erasure-receipts": _(
        "The record of this erasure stays, with counts and no content, as its proof."
    ),
    "requests": _(
        "That something was asked for and when it was answered stays for three years; "
        "the words of it go."
    ),
    "approvals": _(
        "What one person at the desk proposed and another decided stays for three years, "
        "with the reasons that they gave."
    ),
    "audit-skeleton": _(
        "The audit chain keeps that something was done, when and by whom. Its payloads "
        "are erased and the chain still verifies."
    ),
    "notices": _(
        "Events that were sent to the platform hold ids and codes, and expire."
    ),
    HOLD: _(
        "A legal hold keeps this. It is stored and protected, not recalled, and is "
        "erased by itself once the hold is lifted."
    ),
}

# What a smaller erasure leaves alone is told only where the larger one would touch it.
_OF_MEMORY = ("tombstones", "access-rows", "audit-skeleton", "erasure-receipts")


def list_stays(target: str, *, holds: Iterable[UUID] = ()) -> list[dict[str, Any]]:
    """Return what stays after an erasure as codes, the way a run stores it."""
    codes = _OF_MEMORY if target == "memory" else sorted(set(KEPT.values()))
    held = [str(one) for one in holds]
    return [
        *([{"code": HOLD, "holds": held}] if held else []),
        *({"code": code} for code in codes),
    ]


def describe_stays(stays: Sequence[dict[str, Any]]) -> tuple[Stay, ...]:
    """Return stored codes with their sentences."""
    return tuple(
        Stay(
            code=one["code"],
            why=REASONS[one["code"]],
            holds=tuple(UUID(hold) for hold in one.get("holds", ())),
        )
        for one in stays
        if one["code"] in REASONS
    )
