"""A front for the page's own tests: answers by a table, and counts what it really did; and the page's server."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import date
from types import SimpleNamespace
from typing import Any, cast

from bot.kernel.advice import SearchWatch
from bot.kernel.cards import Button, Card, Headline, Menu, Picture, SeatHeadline
from bot.kernel.names import load_game_names
from bot.kernel.operations.listening import Presence
from bot.kernel.requests import Completion, GameView, ListedTurn, Reply, Request
from bot.kernel.texts import Span, Text, Texts
from bot.people.standings.service import Rank
from bot.platforms.app import Tavoliere
from bot.platforms.web.room import ChatRoom
from bot.platforms.web.server import WebServer, start_web
from storage import PlaceRow, Store

PNG = (
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89\x00\x00\x00\rIDAT"
    b"x\x9cc\xf8\xff\xff?\x03\x00\x08\xfc\x02\xfe\xa7\x9a\xa0\xa0\x00\x00\x00\x00IEND\xaeB`\x82"
)
"""The smallest picture."""


def make_card(text: str) -> Card:
    """Return a card with only words."""
    return Card((Span(text),))


def board_card(text: str = "Your turn.", mention: int | None = None, png: bytes = PNG) -> Card:
    """Return a card as of a game at play: a picture with two cells, a row of buttons and a menu."""
    return Card(
        (Span(text), Span("Anna", bold=True, person=mention)),
        Picture(png, "A board: a1 is white.", "annuvin.png", (900, 1000), {"a1": (100, 200, 50), "b2": (300, 400, 50)}),
        ((Button("a1", "c:a1"), Button("Resign", "resign", "danger")), Menu("Choose", (Button("b2", "c:b2"),))),
        mention,
        {"a1": "c:a1"},
    )


def make_headline(
    code: str, *people: int | None, status: str = "playing", revision: int = 1, mover: int = 0
) -> Headline:
    """Return the headline of a game of Annuvin between two people, by default Anna and Bruno."""
    sitting = tuple(SeatHeadline(name, person) for name, person in zip(("Anna", "Bruno"), people, strict=False))
    return Headline(code, "annuvin", status, revision, revision, sitting, mover if status == "playing" else None)


def make_sight(card: Card, *, question: bool = False, turns: int = 0) -> GameView:
    """Return a game as the person who asks in these tests sees it."""
    return GameView(card, turns=turns, question=question)


@dataclass
class FakeFront:
    """Answers a text or a press by `replies`; each event is done once, and answered alike again."""

    replies: dict[str, Reply] = field(default_factory=dict)
    done: list[tuple[str, Request]] = field(default_factory=list)
    answered: dict[str, Reply] = field(default_factory=dict)
    sights: dict[tuple[str, tuple[str, ...]], GameView] = field(default_factory=dict)
    lists: dict[str, list[ListedTurn]] = field(default_factory=dict)
    reasons: dict[str, Text] = field(default_factory=dict)
    searches: dict[str, tuple[int, int]] = field(default_factory=dict)
    watches: list[asyncio.Event] = field(default_factory=list)
    seconds: float = 0.0
    """How much time has passed for those who have left."""
    presence: Presence = field(init=False)
    ranks: list[Rank] = field(default_factory=list)
    rankings: int = 0
    context: Any = None
    """The parts of a context that the page uses."""

    def __post_init__(self) -> None:
        self.presence = Presence(clock=lambda: self.seconds)

    @property
    def program(self) -> Tavoliere:
        """This, where the program itself is wanted."""
        return cast("Tavoliere", self)

    def use(self, store: Store, texts: Texts) -> None:
        """Have a context of a store and the catalogues."""
        self.context = SimpleNamespace(store=store, texts=texts, game_names=load_game_names(texts))

    async def command(self, request: Request, name: str, values: Mapping[str, str]) -> Reply:
        """Answer a command."""
        return self._answer(request, f"/{name}")

    async def fill(self, request: Request, press: str, values: Mapping[str, str]) -> Reply:
        return await self.press(request, press)

    async def press(self, request: Request, press: str) -> Reply:
        """Answer a press."""
        return self._answer(request, press)

    async def typed_text(self, request: Request, text: str) -> Reply:
        """Answer a text; what is no command, answers nothing and is not in the table is talk."""
        if request.message is None and not text.startswith("/") and text not in self.replies:
            return Reply(talk=True)
        return self._answer(request, text)

    async def complete(
        self, request: Request, name: str, parameter: str, values: Mapping[str, str]
    ) -> list[Completion]:
        """Offer two moves and one game."""
        offered = {
            "move": [Completion("b1-b2", "b1-b2"), Completion("c1-c2", "c1-c2")],
            "game": [Completion("Annuvin", "annuvin")],
        }
        typed = values.get(parameter, "")
        return [each for each in offered.get(parameter, []) if each.value.startswith(typed)]

    async def view_game(
        self,
        request: Request,
        game: str,
        *,
        path: tuple[str, ...] = (),
        turn: int | None = None,
    ) -> GameView | Reply:
        """Show a game that is in the table, after some answers if that is, too."""
        return self.sights.get((game, path), Reply())

    async def view_thumbnail(self, game: str, theme: str) -> Picture | None:
        """Show the smallest picture."""
        return Picture(PNG, "A board.", f"{game}.png")

    async def view_puzzle(self, day: date, theme: str) -> Picture | None:
        """Show the smallest picture."""
        return Picture(PNG, "A puzzle.", f"{day}.png")

    async def rank_in_place(self, place: PlaceRow) -> Sequence[Rank]:
        """Return the ranks that are in the table."""
        self.rankings += 1
        return self.ranks

    async def translate_post(self, request: Request, message: str) -> Card | None:
        """Say the same to all."""
        return None

    async def list_turns(self, request: Request, game: str) -> list[ListedTurn]:
        """Return the turns that are in the table."""
        return self.lists.get(game, [])

    async def explain_cell(self, request: Request, cell: str, path: Sequence[str]) -> Text:
        """Return what there is to say of a cell."""
        return self.reasons.get(cell, ())

    @contextmanager
    def watch_searches(self, person: int) -> Iterator[SearchWatch]:
        """Tell everybody of the searches that `tell` was given last."""
        news = asyncio.Event()
        self.watches.append(news)
        try:
            yield SearchWatch(news, lambda: self.searches)
        finally:
            self.watches.remove(news)

    @property
    def asked(self) -> list[str]:
        """What was typed and pressed, in its order."""
        return [text for text, _ in self.done]

    def tell(self, **searches: tuple[int, int]) -> None:
        """Have searches be so far, each by its name, and all others at an end."""
        self.searches = searches
        for news in self.watches:
            news.set()

    def _answer(self, request: Request, text: str) -> Reply:
        if request.event not in self.answered:
            self.done.append((text, request))
            self.answered[request.event] = self.replies.get(text, Reply())
        return self.answered[request.event]


@asynccontextmanager
async def serve_page(
    front: Any, store: Store, texts: Texts, room: ChatRoom, port: int = 0, **more: Any
) -> AsyncIterator[WebServer]:
    """Have the page be served on a port, by default one of its own, until this is left."""
    if isinstance(front, FakeFront):
        front.use(store, texts)
    server = await start_web(front, room, host="127.0.0.1", port=port, **more)
    try:
        yield server
    finally:
        await server.stop()
