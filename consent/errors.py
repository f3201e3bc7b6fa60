"""What consent can refuse. No message holds an id or a name."""


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
