"""What the page asks of the program: what every front offers, and boards for readers."""

from __future__ import annotations

from typing import Protocol

from bot.interface.requests import Front, ShowsReaders


class PageFront(Front, ShowsReaders, Protocol):
    """`bot.app.Tavoliere` is it."""
