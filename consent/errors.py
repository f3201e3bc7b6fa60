"""What consent can refuse. No message holds an id or a name."""

from uuid import UUID


class ConsentError(Exception):
    """Base of the errors of this app."""

    code = "consent-error"


class GateClosed(ConsentError):
    """The relationship takes no writes or answers no recall now.

    `code` is one of relationship-ended, relationship-paused, relationship-restricted,
    user-closed, minor-restricted.
    """

    def __init__(self, code: str) -> None:
        super().__init__("The relationship is closed for this.")
        self.code = code


class ChangeError(ConsentError):
    """Base of what a change that takes two persons can be refused for."""

    code = "change-error"


class ChangeNotFound(ChangeError):
    """There is no such request for a change."""

    code = "not-found"


class UnknownChangeKind(ChangeError):
    """No kind of change has this code."""

    code = "unknown-change-kind"


class InvalidChange(ChangeError):
    """What is asked for cannot be: the field, and what was expected of it."""

    code = "invalid-change"

    def __init__(self, field: str, expected: str) -> None:
        super().__init__(f"{field} must be {expected}.")
        self.field = field
        self.expected = expected


class SamePerson(ChangeError):
    """Whoever asked, or gains by it, cannot be the one who decides."""

    code = "same-person"


class NotTheRequester(ChangeError):
    """Only the person who asked can do this."""

    code = "not-the-requester"


class StaleChange(ChangeError):
    """What the second person was shown is not what is asked for."""

    code = "stale-change"


class ChangeClosed(ChangeError):
    """It is decided, withdrawn, expired or used already."""

    code = "change-closed"


class ChangeFailed(ChangeError):
    """A change that was approved could not be carried out; `code` says why."""

    code = "change-failed"

    def __init__(self, code: str) -> None:
        super().__init__(f"The change could not be carried out: {code}.")
        self.code = code


class HoldNotFound(ConsentError):
    """There is no such legal hold, or it was lifted."""

    code = "not-found"


class HeldByLaw(ConsentError):
    """A legal hold keeps what was to be erased; nothing of it was.

    `holds` are the ids of the holds, `user_id` and `object_ref` what was to go.
    """

    code = "legal-hold"

    def __init__(
        self, holds: tuple[UUID, ...], *, user_id: UUID, object_ref: str
    ) -> None:
        super().__init__("A legal hold keeps this.")
        self.holds = holds
        self.user_id = user_id
        self.object_ref = object_ref


class ErasureNotFound(ConsentError):
    """There is no such erasure."""

    code = "not-found"


class ErasureNotUndoable(ConsentError):
    """It has begun, or was asked for at once, or is over."""

    code = "erasure-not-undoable"


class ExportNotFound(ConsentError):
    """There is no such export."""

    code = "not-found"


class InvalidExport(ConsentError):
    """An export cannot be made as it is asked for: the field, and what was expected."""

    code = "not-allowed"

    def __init__(self, field: str, expected: str) -> None:
        super().__init__(f"{field} must be {expected}.")
        self.field = field
        self.expected = expected


class ExportNotReady(ConsentError):
    """The file is not made yet, or could not be made."""

    code = "export-not-ready"


class ExportGone(ConsentError):
    """The file was taken before, or its time is over."""

    code = "export-gone"


class LedgerError(ConsentError):
    """Base of what can be wrong with the erasure ledger; serving stops."""

    code = "erasure-ledger"


class LedgerBehind(LedgerError):
    """The ledger knows of erasures that this database has not done."""

    code = "erasure-ledger-behind"


class LedgerDamaged(LedgerError):
    """The ledger is missing, cut or edited; the message says which and where."""

    code = "erasure-ledger-damaged"


class LedgerUnwritable(LedgerError):
    """No line can be written, so nothing may be erased."""

    code = "erasure-ledger-unwritable"


class InvalidProfileValue(ConsentError):
    """A value cannot be kept: which field, and what was expected of it.

    `code` is one of unknown-field, wrong-type, blank, too-long, not-allowed. `field` is
    empty when it is none of ours, since its name is the caller's text.
    """

    code = "invalid-profile-value"

    def __init__(self, field: str, code: str, expected: str) -> None:
        super().__init__("A profile value cannot be kept.")
        self.field = field
        self.code = code
        self.expected = expected


class ReleaseNotFound(ConsentError):
    """There is no such release policy."""

    code = "not-found"


class ReleaseOver(ConsentError):
    """The release policy was never approved, has expired or was stopped before."""

    code = "release-over"


class InvalidConsent(ConsentError):
    """What is told of a consent cannot be: which field, and what was expected of it."""

    code = "invalid-consent"

    def __init__(self, field: str, code: str, expected: str) -> None:
        super().__init__("What is told of a consent cannot be.")
        self.field = field
        self.code = code
        self.expected = expected


class ConsentTargetNotFound(ConsentError):
    """There is no such creator or persona, or no such relationship of this user."""

    code = "not-found"


class PolicyTextMismatch(ConsentError):
    """The text that was shown is not ours, word for word, in that language."""

    code = "policy-text-mismatch"


class PolicyTextOutdated(ConsentError):
    """A newer text that is material took the place of the one that was shown."""

    code = "policy-text-outdated"


class EvidenceReused(ConsentError):
    """This proof stands for another grant of the scope already."""

    code = "evidence-reused"


class MinorCannotConsent(ConsentError):
    """Nobody can consent to this for a minor."""

    code = "minor-cannot-consent"


class GuardianNeeded(ConsentError):
    """Only a guardian can consent to this."""

    code = "guardian-needed"


class RequestNotFound(ConsentError):
    """There is no such request of a person."""

    code = "not-found"


class RequestClosed(ConsentError):
    """What the request is now does not allow this: it is answered, paused or not."""

    code = "request-closed"


class InvalidRequest(ConsentError):
    """What is told of a request cannot be: which field, and what was expected of it."""

    code = "invalid-request"

    def __init__(self, field: str, expected: str) -> None:
        super().__init__(f"{field} must be {expected}.")
        self.field = field
        self.expected = expected


class NoDuplicate(ConsentError):
    """The two requests are not of one kind, relationship and user."""

    code = "no-duplicate"


class UnknownDataClass(ConsentError):
    """No class of data that is kept has this code."""

    code = "unknown-data-class"
