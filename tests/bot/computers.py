"""Games against computers for the tests: how people play them, and computers that wait, fail, and value positions."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Collection, Hashable, Mapping
from typing import Any, ClassVar

from bot.kernel.requests import Reply
from bot.thinking.thinkers import SearchPool, ThinkingFailed
from engine import games
from engine.search import Judged, players
from storage import GameRow
from tests.bot.party import Party, Quick

SQUARE = "/play annuvin board:square computer:1"


async def play_turn(party: Party, who: str = "anna", code: str = "") -> Reply:
    """Have somebody play the first legal actions until their turn is over."""
    found = await party.load_row(code)
    reply, turn = Reply(), found.turn
    while found.status == "playing" and found.turn == turn:
        action = games[found.game].load(found.position or {}).legal_actions()[0]
        reply = await party.say(who, f"/move {action.text} game:{found.id}")
        found = await party.load_row(found.id)
    return reply


async def to_the_end(party: Party, who: str = "anna") -> GameRow:
    """Have somebody play on until the game is over, and return it."""
    code = party.code
    for _ in range(200):
        found = await party.load_row(code)
        if found.status == "over":
            return found
        await play_turn(party, who, code)
    raise AssertionError("a game without end")


class Held(Quick):
    """Thinks only when it may; `asked` says that it was asked to, `games` in which."""

    def __init__(self) -> None:
        super().__init__()
        self.may = asyncio.Event()
        self.asked = asyncio.Event()
        self.failures: list[str] = []
        self.games: list[Hashable] = []

    async def turn(self, *arguments: Any, about: Hashable = None, **options: Any) -> tuple[str, ...]:
        self.games.append(about)
        self.asked.set()
        await self.may.wait()
        if self.failures:
            raise ThinkingFailed(self.failures.pop())
        return await super().turn(*arguments, about=about, **options)


class Weighing(Quick):
    """Says of every position what each seat may expect."""

    def __init__(self, *values: float) -> None:
        super().__init__()
        self.values = values

    async def analyse(self, position: Mapping[str, Any], *_: Any, **__: Any) -> tuple[Judged, ...]:
        return (Judged(games[position["game"]].load(position).legal_actions()[0], self.values, 1),)


class Thoughts(SearchPool):
    """Thinkers that think here and now, with a search cut short; or not before they are told to.

    What one test has found is known to the next.
    """

    _known: ClassVar[dict[str, tuple[Judged, ...]]] = {}

    def __init__(self) -> None:
        super().__init__()
        self.may_end = asyncio.Event()
        self.may_end.set()
        self.asked: list[Hashable] = []
        self.broken = False

    async def analyse(
        self,
        position: Mapping[str, Any],
        iterations: int,
        *_: Any,
        whose: Hashable = None,
        avoid: Collection[str] = (),
        **__: Any,
    ) -> tuple[Judged, ...]:
        self.asked.append(whose)
        await self.may_end.wait()
        if self.broken:
            raise ThinkingFailed("worker-died")
        key = json.dumps([position, iterations, sorted(avoid)], sort_keys=True)
        if key not in self._known:
            state = games[position["game"]].load(position)
            self._known[key] = players[state.game.key].analyse(state, min(iterations, 20), avoid=avoid)
        return self._known[key]


async def wait_until(wanted: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(60):
        while True:
            if await wanted():
                return
            await asyncio.sleep(0.01)


async def wait_for_computers(party: Party, code: str) -> None:
    """Wait until no computer is to act in a game."""

    async def done() -> bool:
        return not (await party.load_row(code)).thinking

    await wait_until(done)
