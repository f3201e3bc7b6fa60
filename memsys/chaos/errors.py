"""What can go wrong with a rehearsal itself. No message quotes a text."""


class ChaosError(Exception):
    """Base of the errors of a rehearsal; the text is for the person at the terminal."""


class CallRefused(ChaosError):
    """The API refused what must be accepted, or did not answer for long."""


class ProgramFailed(ChaosError):
    """A program does not start."""


class Interrupted(ChaosError):
    """Somebody stopped the rehearsal."""
