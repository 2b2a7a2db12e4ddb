"""Fixtures for the tests of what operators see."""

from dataclasses import dataclass

import pytest

from tests.bot.conftest import party

__all__ = ["party"]


@dataclass
class Seconds:
    """A clock that gives the time it is set to."""

    now: float = 0.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now


@pytest.fixture
def seconds() -> Seconds:
    return Seconds()
