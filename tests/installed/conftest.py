"""Fixtures for the tests of games that other packages bring."""

from tests.cli.conftest import run

__all__ = ["run"]
