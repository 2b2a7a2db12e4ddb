"""Fixtures for the tests of what operators see."""

from tests.bot.conftest import party

__all__ = ["party"]
