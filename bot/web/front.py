"""Interface of the program for the page: the common front, and boards for readers."""

from contextlib import AbstractContextManager
from typing import Protocol

from bot.interface.requests import Front, ReaderFront
from bot.thinking.advice import SearchWatch


class PageFront(Front, ReaderFront, Protocol):
    """Front of the page, implemented by `bot.app.Tavoliere`."""

    def watch_searches(self, person: int) -> AbstractContextManager[SearchWatch]:
        """Yield a watch on the background searches that a person waits for."""
        ...
