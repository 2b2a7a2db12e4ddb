"""What the page asks of the program: what every front offers, and boards for readers."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

from bot.interface.requests import Front, ReaderFront
from bot.thinking.advice import SearchWatch


class PageFront(Front, ReaderFront, Protocol):
    """`bot.app.Tavoliere` is it."""

    def watch_searches(self, person: int) -> AbstractContextManager[SearchWatch]:
        """Tell of the searches in the background that somebody waits for, while inside."""
        ...
