"""What can be done at the desk, one name for each, with the sentence that staff read.

Owns the names alone; who has them is in `memsys.desk.roles`.

>>> Permission.REVEAL
<Permission.REVEAL: 'desk.reveal'>
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from django.utils.translation import gettext_lazy as _


class Permission(StrEnum):
    """One thing that somebody at the desk may do."""

    SEE_RELATIONSHIPS = "desk.see_relationships"
    SEARCH_WORDS = "desk.search_words"
    REVEAL = "desk.reveal"
    REVEAL_SENSITIVE = "desk.reveal_sensitive"
    REVEAL_MINOR = "desk.reveal_minor"
    REVEAL_PRIVATE = "desk.reveal_private"
    CORRECT = "desk.correct"
    CHANGE_STANDING = "desk.change_standing"
    EXPORT = "desk.export"
    START_ERASURE = "desk.start_erasure"
    UNDO_ERASURE = "desk.undo_erasure"
    PROPOSE_BULK_ERASURE = "desk.propose_bulk_erasure"
    SEE_HOLDS = "desk.see_holds"
    PLACE_HOLD = "desk.place_hold"
    PROPOSE_LIFTING = "desk.propose_lifting"
    SEE_REQUESTS = "desk.see_requests"
    WORK_REQUESTS = "desk.work_requests"
    SEE_CONSENTS = "desk.see_consents"
    SEE_CHANGES = "desk.see_changes"
    DECIDE_CHANGES = "desk.decide_changes"
    SEE_GOVERNANCE = "desk.see_governance"
    PROPOSE_RELEASE = "desk.propose_release"
    STOP_RELEASE = "desk.stop_release"
    PROPOSE_TEXT = "desk.propose_text"
    PROPOSE_RECALL_POLICY = "desk.propose_recall_policy"
    PROPOSE_RETENTION = "desk.propose_retention"
    PROPOSE_ROLE = "desk.propose_role"
    SEE_AUDIT = "desk.see_audit"
    VERIFY_AUDIT = "desk.verify_audit"
    SEE_COSTS = "desk.see_costs"


PROSE: Mapping[Permission, Any] = {
    Permission.SEE_RELATIONSHIPS: _(
        "Find relationships and open their pages; what people said is masked."
    ),
    Permission.SEARCH_WORDS: _(
        "Look for words inside one user, relationship or persona that was chosen."
    ),
    Permission.REVEAL: _(
        "Read one memory or message for ten minutes, after giving a reason."
    ),
    Permission.REVEAL_SENSITIVE: _(
        "Read a sensitive memory, after a second person has agreed."
    ),
    Permission.REVEAL_MINOR: _(
        "Read what a minor said, after a second person has agreed."
    ),
    Permission.REVEAL_PRIVATE: _("Read the notes that only the creator's side sees."),
    Permission.CORRECT: _("Put a memory right; the old wording is kept."),
    Permission.CHANGE_STANDING: _("Pause, restrict and resume a relationship."),
    Permission.EXPORT: _("Make an export of one user or relationship, and take it."),
    Permission.START_ERASURE: _("Start an erasure, after seeing what it takes."),
    Permission.UNDO_ERASURE: _("Undo an erasure that has not begun."),
    Permission.PROPOSE_BULK_ERASURE: _(
        "Ask for the erasure of several people; another decides."
    ),
    Permission.SEE_HOLDS: _("See legal holds."),
    Permission.PLACE_HOLD: _("Place a legal hold; it stops erasure at once."),
    Permission.PROPOSE_LIFTING: _("Ask for a hold to be lifted; another decides."),
    Permission.SEE_REQUESTS: _("See what people asked for, and by when it is due."),
    Permission.WORK_REQUESTS: _("Take, pause, answer and close requests."),
    Permission.SEE_CONSENTS: _("Read the consents of one user."),
    Permission.SEE_CHANGES: _("See what waits for a second person."),
    Permission.DECIDE_CHANGES: _("Approve or refuse what another person asked for."),
    Permission.SEE_GOVERNANCE: _(
        "Read the field registry, releases, policy texts and recall policies."
    ),
    Permission.PROPOSE_RELEASE: _("Ask for a field to be released; another decides."),
    Permission.STOP_RELEASE: _("Stop a release at once."),
    Permission.PROPOSE_TEXT: _("Draft a policy text; another publishes it."),
    Permission.PROPOSE_RECALL_POLICY: _(
        "Ask for other weights of recall; another decides."
    ),
    Permission.PROPOSE_RETENTION: _(
        "Ask for data to be kept for a shorter time; another decides."
    ),
    Permission.PROPOSE_ROLE: _("Ask for a role to be given or taken; another decides."),
    Permission.SEE_AUDIT: _("Read the audit chains and the sealed access rows."),
    Permission.VERIFY_AUDIT: _("Have the audit chains verified, and export them."),
    Permission.SEE_COSTS: _("See what the language model costs."),
}
