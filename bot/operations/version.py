"""The version of Tavoliere that runs."""

from __future__ import annotations

from functools import cache
from importlib import metadata


@cache
def read_version() -> str:
    """Return the version of the installed package, such as 0.2.0."""
    return metadata.version("tavoliere")
