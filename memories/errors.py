"""What can go wrong with messages and memories. No message holds text."""


class MemoriesError(Exception):
    """Base of the errors of this app."""

    code = "memories-error"


class InvalidMessage(MemoriesError):
    """One message of a batch is not acceptable; nothing of the batch is stored."""

    code = "invalid-message"

    def __init__(self, index: int, field: str, expected: str) -> None:
        super().__init__(f"Message {index}: {field} must be {expected}.")
        self.index = index
        self.field = field
        self.expected = expected


class IntakeConflict(MemoriesError):
    """A parallel post took the same message id; the whole call is tried again."""

    code = "intake-conflict"


class MemoryNotFound(MemoriesError):
    """No such memory in this relationship."""

    code = "not-found"


class EmptyStatement(MemoriesError):
    """Nothing was left of a statement after cleaning."""

    code = "empty-statement"


class MemoryConflict(MemoriesError):
    """The statement was erased, and it was said before that."""

    code = "memory-conflict"


class EmbeddingFailed(MemoriesError):
    """The embedder gave no usable vector."""

    code = "embedding-failed"


class LeaseLost(MemoriesError):
    """Another worker, or an erasure, took the session meanwhile."""

    code = "lease-lost"


class SessionFailed(MemoriesError):
    """The work on a session failed; the message names the kind of error alone."""

    code = "session-failed"


class RelationshipMissing(MemoriesError):
    """A job named no relationship, or one that does not exist."""

    code = "relationship-missing"


class InvalidTable(MemoriesError):
    """The table of sensitive categories is not one to work by."""

    code = "invalid-table"


class SensitiveWithoutGrant(MemoriesError):
    """The statement is sensitive and the user has not allowed to keep such ones."""

    code = "sensitive-without-grant"


class ModelUnreachable(MemoriesError):
    """The language model's service gave no answer; nothing was used up.

    `code` says how. `retry_after_seconds` is what the service asked to wait, if it did.
    """

    code = "model-unreachable"

    def __init__(self, code: str, *, retry_after_seconds: int | None = None) -> None:
        super().__init__(f"The language model is not reachable: {code}.")
        self.code = code
        self.retry_after_seconds = retry_after_seconds


class ModelAnswerUnusable(MemoriesError):
    """The language model answered something that cannot be used; `code` says what.

    The tokens are what the answer cost, as far as it told.
    """

    code = "model-answer-unusable"

    def __init__(
        self, code: str, *, input_tokens: int = 0, output_tokens: int = 0
    ) -> None:
        super().__init__(f"The answer of the language model is not usable: {code}.")
        self.code = code
        self.input_tokens = input_tokens
        self.output_tokens = output_tokens
