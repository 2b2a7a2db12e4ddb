"""Fixtures for the tests with hostile input, and how much of it there is."""

from tests.bot.conftest import party

__all__ = ["party"]
