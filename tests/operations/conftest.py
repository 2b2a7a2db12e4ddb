"""Fixtures for the tests of what operators see."""

import pytest

from tests.bot.conftest import party
from tests.operations.seconds import Seconds

__all__ = ["party"]


@pytest.fixture
def seconds() -> Seconds:
    return Seconds()
