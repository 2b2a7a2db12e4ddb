"""Reads the addresses that people, operators and other programs give: only here they are taken apart."""

from typing import Final
from urllib.parse import SplitResult, urlsplit

WEB_SCHEMES: Final = frozenset({"http", "https"})
MAX_HOST_LENGTH: Final = 253
"""Maximum number of characters of the name of a host."""


def split_url(text: str) -> SplitResult:
    """Return the parts of an address whose host and port can be connected to, as far as they are given; ValueError."""
    parts = urlsplit(text)
    if parts.hostname:
        check_host(parts.hostname)
    if parts.port == 0:
        raise ValueError("nothing listens to port 0")
    return parts


def check_host(text: str) -> str:
    """Return the name or address of a host as it was given; ValueError if no resolver can look it up.

    What it cannot encode, an empty label or one of 64 characters, a resolver refuses with a UnicodeError.
    """
    if not 0 < len(text) <= MAX_HOST_LENGTH or not text.isprintable() or " " in text:
        raise ValueError("no such host")
    try:
        text.encode("idna")
    except UnicodeError:
        raise ValueError("no such host") from None
    return text


def check_web_url(text: str) -> str:
    """Return an http or https address as it was given; ValueError if it is none."""
    parts = split_url(text)
    if parts.scheme not in WEB_SCHEMES or not parts.hostname or not text.isprintable() or " " in text:
        raise ValueError("no web address")
    return text
