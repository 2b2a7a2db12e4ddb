"""A clock that a test sets."""

from dataclasses import dataclass


@dataclass
class Seconds:
    """Gives the time that it is set to."""

    now: float = 0.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now
