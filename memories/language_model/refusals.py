"""Why one fact of an answer is not believed.

>>> str(Refused("asked"))
'asked'
"""


class Refused(Exception):
    """A fact is left out; the reason is a stable code that is counted."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code
