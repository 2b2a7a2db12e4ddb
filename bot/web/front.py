"""What the page asks of the program: what every front offers, and boards for readers."""

from __future__ import annotations

from typing import Protocol

from bot.interface.requests import Front, ReaderFront


class PageFront(Front, ReaderFront, Protocol):
    """`bot.app.Tavoliere` is it."""
