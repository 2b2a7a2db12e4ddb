"""Interface of the program for the page: what every adapter has, and boards for readers."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from bot.interface.cards import Picture
from bot.interface.requests import Front, GameView, ListedTurn, Reply, Request
from bot.language.texts import Text
from bot.thinking.advice import SearchWatch


class PageFront(Front, Protocol):
    """Front of the page, where each reader sees a game drawn for them; implemented by `bot.app.Tavoliere`."""

    async def view_game(
        self,
        request: Request,
        game: str,
        *,
        path: tuple[str, ...] = (),
        turn: int | None = None,
        theme: str | None = None,
    ) -> GameView | Reply:
        """Return a game as the asker sees it, after some answers or after a turn; otherwise a reply saying why not.

        `theme` is that of their screen, for people who have chosen none.
        """
        ...

    async def view_thumbnail(self, game: str, theme: str, language: str | None) -> Picture | None:
        """Return a sample picture of a game, for people who do not know it; None where boards are not drawn."""
        ...

    async def explain_cell(self, request: Request, cell: str, path: Sequence[str]) -> Text:
        """Return why a cell of the open board cannot be pressed after some answers; empty if no rule says so."""
        ...

    async def list_turns(self, request: Request, game: str) -> list[ListedTurn]:
        """Return the turns of a game; empty if they cannot be shown."""
        ...

    def watch_searches(self, person: int) -> AbstractContextManager[SearchWatch]:
        """Yield a watch on the background searches that a person waits for."""
        ...
