"""Fixtures for all tests."""

pytest_plugins = ["tests.support.postgres", "tests.support.stores"]
