"""Words for codes that are stored without a model's choices to name them.

Owns them by the field, or by the field whose members they are. Codes that a caller
may invent are shown as they are.

>>> str(words_of("fusion", "rrf")), words_of("fusion", "other")
('Fusion of ranks', 'other')
"""

from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext

from memsys.kernel.exporting import ExportPart

# What an erasure takes, by store.
STORES: Mapping[str, Any] = {
    "memories": _("Memories"),
    "messages": _("Messages"),
    "fingerprints": _("Fingerprints"),
    "answers": _("Answers of the model"),
    "nicknames": _("Nicknames"),
    "profile_values": _("Values of the profile"),
    "grants": _("Consents in force"),
    "request_notes": _("Notes of requests"),
    "export_chunks": _("Pieces of exports"),
    "audit_payloads": _("Payloads of the audit"),
    "kept_answers": _("Answers kept for repeated writes"),
}
SENSITIVE: Mapping[str, Any] = {
    "child": _("Anything of a child"),
    "mental_health": _("Mental health"),
    "sex": _("Sex life and orientation"),
    "religion": _("Religion and belief"),
    "medication": _("Medication"),
    "diagnosis": _("Illness, diagnosis and treatment"),
    "money_trouble": _("Money trouble"),
    "exact_place": _("Exact place"),
}
PARTS: Mapping[str, Any] = {one.value: one.label for one in ExportPart}
# The reason of a deed that two persons decided is the kind of the change.
CHANGES: dict[str, Any] = {
    "bulk_erasure": _("Erasure of several people"),
    "bulk_export": _("Export of several people"),
    "field_release": _("Release of a profile field"),
    "hold_lift": _("Lifting of a legal hold"),
    "minor_access": _("Access to a minor's data for 60 minutes"),
    "policy_text": _("Text shown to users"),
    "recall_policy": _("Recall policy"),
    "retention_shortening": _("Shorter time of keeping"),
    "role_grant": _("Role at the desk"),
    "sensitive_reveal": _("Opening of a sensitive memory for 60 minutes"),
    "service_key": _("Service key that gives personal data"),
}
CODES: Mapping[str, Mapping[str, Any]] = {
    "counts": STORES,
    "parts": PARTS,
    "residue": STORES,
    "sensitive_category": SENSITIVE,
    "sensitive_dropped": SENSITIVE,
    "document": {
        "release": _("Showing a field of the profile"),
        "sensitive": _("Remembering sensitive information"),
        "model_training": _("Improving models"),
        "guardian": _("Consent of a guardian"),
    },
    "fusion": {"weighted": _("Weighted sum"), "rrf": _("Fusion of ranks")},
    "inherited": {
        "persona_profile": _("Profile of the persona"),
        "memories_normal": _("Memories of normal visibility"),
    },
    "locale": {"zh-hans": _("Simplified Chinese"), "en": _("English")},
    "masked": {
        "key": _("Keys"),
        "password": _("Passwords"),
        "alipay": _("Alipay accounts"),
        "email": _("E-mail addresses"),
        "id_card": _("Identity card numbers"),
        "bank_card": _("Bank card numbers"),
        "wechat": _("WeChat accounts"),
        "qq": _("QQ numbers"),
        "mobile": _("Mobile numbers"),
        "landline": _("Landline numbers"),
        "plate": _("Number plates"),
        "passport": _("Travel documents"),
        "social": _("Social accounts"),
        "address": _("Postal addresses"),
        "real_name": _("Real names"),
    },
    "outcome_code": {
        "done": _("Done as asked"),
        "done_partly": _("Done in part"),
        "explained": _("Explained"),
        "nothing_held": _("Nothing of the kind is held"),
        "taken_back": _("The person took it back"),
        "duplicate": _("Part of another request"),
        "identity_not_proven": _("It was not proven who asks"),
        "no_right": _("Who asks has no right to it"),
        "law_keeps": _("The law's time of keeping is not over"),
        "legal_hold": _("A legal hold keeps it"),
        "others_rights": _("It would touch the rights of others"),
        "repeated": _("It was asked for and answered shortly before"),
        "impossible": _("It cannot be done"),
    },
    "pause_code": {
        "identity_proof": _("Proof of who asks"),
        "more_details": _("The person has to say what is meant"),
        "guardian_proof": _("Proof of being the guardian"),
        "relatives_proof": _("Documents of the relatives"),
    },
    "polarity": {"1": _("Affirmed"), "0": _("Neutral"), "-1": _("Denied")},
    "read_action": {
        "context": _("context"),
        "search": _("search"),
        "list": _("a list of memories"),
        "timeline": _("the timeline"),
        "memory": _("one memory"),
        "profile": _("the profile"),
    },
    "reason_code": CHANGES
    | {
        "subject_request": _("The person asked"),
        "complaint": _("A complaint is looked into"),
        "safety": _("Somebody's safety"),
        "legal": _("A legal duty"),
        "quality": _("A fault is looked into"),
        "user-request": _("The user asked"),
        "service-request": _("The chat service asked"),
        "erasure": _("An erasure was asked for"),
        "consent-ended": _("A consent has ended"),
        "relationship-ended": _("The relationship has ended"),
        "retention": _("Its time of keeping is over"),
        "legal-hold": _("A legal hold keeps it"),
        "open-request": _("A request is not answered yet"),
        "window-passed": _("No message of the creator in time"),
        "creator-message": _("The creator wrote"),
    },
    "subject": {"user": _("User"), "persona": _("Persona")},
}


def words_of(name: str, code: str) -> Any:
    """Return the words for a code of a field, or the code itself."""
    return CODES.get(name, {}).get(code, code)


def list_words(members: Iterable[Any]) -> str:
    """Return words after each other, with what stands between them in the language."""
    return pgettext("between members of a list", ", ").join(map(str, members))


def text_words(document: str, number: int, locale: str) -> str:
    """Return how a version of a policy text is called."""
    return f"{words_of('document', document)} {number} {words_of('locale', locale)}"


def scope_words(scope: str) -> str:
    """Return the words for what a person consents to, such as `release:region`."""
    document, _colon, part = scope.partition(":")
    words = words_of("document", document)
    if not part:
        return str(words)
    return with_code(words, words_of("sensitive_category", part))


def with_code(words: Any, code: Any) -> str:
    """Return words with the code that they stand for."""
    return str(_("%(words)s (%(code)s)")) % {"words": words, "code": code}
