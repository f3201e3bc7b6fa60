"""How one attempt at a delivery ended.

>>> Outcome(status_code=204).is_taken
True
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Outcome:
    """With a status, or with the code of what went wrong."""

    status_code: int | None = None
    error_code: str = ""
    retry_after_seconds: int | None = None

    @property
    def is_taken(self) -> bool:
        """Say whether the service that listens has the event now."""
        return self.status_code is not None and 200 <= self.status_code < 300
