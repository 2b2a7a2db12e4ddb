"""Fixtures for the tests of what can go wrong around a running program."""

from tests.bot.conftest import party

__all__ = ["party"]
