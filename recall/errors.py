"""What can go wrong in recall. No message holds an id, a text or a name.

>>> PackCorrupt.code
'pack-corrupt'
"""


class RecallError(Exception):
    """Base of the errors of this app."""

    code = "recall-error"


class PackCorrupt(RecallError):
    """The bytes are not a whole pack of this relationship; build it anew."""

    code = "pack-corrupt"


class VectorSizeMismatch(RecallError):
    """A vector has another number of dimensions than the pack's vectors."""

    code = "vector-size-mismatch"


class PolicyOutOfBounds(RecallError):
    """A recall policy asks for a weight or a cap that is not allowed."""

    code = "policy-out-of-bounds"
