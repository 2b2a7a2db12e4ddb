"""Games between people, one action after the other, wherever they sit."""

import asyncio
import random
from collections.abc import Iterator, Sequence
from itertools import cycle
from typing import Final

from engine import Action, State, games
from tests.durability.people import Player
from tests.durability.world import World
from tests.support.choosing import choose_capture

FOR_TWO: Final = tuple(key for key, game in games.items() if 2 in game.seats)
"""The games that the tables of two people play, at every table one after the other."""


def in_turn(first: int) -> Iterator[str]:
    """Yield the games for two again and again, at every table beginning with another one."""
    at = first % len(FOR_TWO)
    return cycle(FOR_TWO[at:] + FOR_TWO[:at])


class Match:
    """A game between people, wherever they are."""

    def __init__(self, world: World, game: str, players: Sequence[Player], rng: random.Random) -> None:
        self.world = world
        self.game = game
        self.players = {player.name: player for player in players}
        self.rng = rng
        self.code = ""
        self.acts = 0
        self.mover: Player = next(iter(players))

    async def start(self) -> None:
        first, *others = self.players.values()
        self.code = await first.open(self.game, seats=2)
        for other in others:
            await other.join(self.code)

    async def play(self, stop: asyncio.Event) -> None:
        """Play until it is over, or long enough."""
        while not stop.is_set() and await self.act():
            self.acts += 1

    async def act(self) -> bool:
        """Have the player to move act, once they see the board; False if the game is over."""
        await self.world.readable.wait()
        revision, state = self.world.ledger.state(self.code)
        assert state is not None
        if not isinstance(state.to_move, int):
            return False
        name = self.world.ledger.seats(self.code).get(state.to_move)
        if name is None:
            await self.thought(revision)
            return True
        player = self.mover = self.players[name]
        await self.seen(player, revision)
        await player.act(self.code, revision, state, self.choose(state))
        return True

    async def thought(self, revision: int) -> None:
        """Return when the computer has moved."""
        spot = next(iter(self.players.values())).spot
        await self.world.until(
            spot, lambda: self.world.ledger.revision(self.code) > revision, f"the computer in {self.code}"
        )

    async def seen(self, player: Player, revision: int) -> None:
        """Return when somebody sees the board at a revision."""

        def found() -> bool:
            board = self.world.board(player.spot, self.code)
            return board is not None and board[0] >= revision

        await self.world.until(player.spot, found, f"{self.code} at {revision} before {player.name}")

    def choose(self, state: State) -> Action:
        """Return a legal action, rather one that brings the end nearer."""
        return choose_capture(state, self.rng)


class Series:
    """People who play one game after the other, of one kind of match, until they are told to stop."""

    def __init__(
        self, world: World, kind: type[Match], players: Sequence[Player], number: int, rng: random.Random
    ) -> None:
        self.kind, self.players = kind, players
        self.matches: list[Match] = []
        self._world, self._keys, self._rng = world, in_turn(number), rng

    @property
    def acts(self) -> int:
        """How often somebody has acted."""
        return sum(match.acts for match in self.matches)

    async def play(self, stop: asyncio.Event) -> None:
        """Play until told to stop."""
        while not stop.is_set():
            match = self.kind(self._world, next(self._keys), self.players, random.Random(self._rng.random()))
            self.matches.append(match)
            await match.start()
            await match.play(stop)


class Alone(Match):
    """A game of one person against the computer."""

    async def start(self) -> None:
        (player,) = self.players.values()
        self.code = await player.open(self.game, computer="1")
