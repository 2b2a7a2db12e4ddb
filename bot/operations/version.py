"""The version of Tavoliere that runs."""

from functools import cache
from importlib import metadata


@cache
def read_version() -> str:
    """Return the version of the installed package, such as 0.2.0."""
    return metadata.version("tavoliere")


@cache
def read_homepage() -> str:
    """Return the public address of the project, from the installed package."""
    labelled: list[str] = metadata.metadata("tavoliere").get_all("Project-URL") or []
    return next(address for label, _, address in (line.partition(", ") for line in labelled) if label == "Homepage")
