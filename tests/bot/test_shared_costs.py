"""What presses ask of a PostgreSQL that two programs share.

Nobody is refused by memory alone, so a refusal is tried once more; what the first try has read is not read again.
"""

from collections.abc import AsyncIterator

import pytest

from bot.entry.choices import path_to
from bot.interface.presses import PATH_SEPARATOR
from bot.interface.requests import Reply
from engine import games
from storage import Store
from tests.bot.party import SQUARE, Party, words
from tests.bot.test_together import Together
from tests.support.counting import listed_server_statements

UNNAMED = ("BEGIN", "SELECT", "SELECT unnest")
"""What is sent beside the statements about tables: notifications, and locks given up meanwhile."""


class Presses:
    """Two programs that both know everybody; only the first has read the game since it was changed last."""

    def __init__(self, together: Together) -> None:
        self.here, self.there = together.programs
        self.code = ""
        self.revision = 0
        self._together = together

    async def begin(self) -> None:
        """Have a game begun and one move made at the first program."""
        self.code = await self.here.started(SQUARE)
        for program in (self.here, self.there):
            for _ in range(2):
                await program.meet("anna", "bruno", "carla")
        await self.here.say(self.here.mover, f"/move {await self.here.legal()}")
        for program in (self.here, self.there):
            await program.settle()
        self.revision = (await self._together.row(self.code)).revision

    async def possible(self) -> tuple[str, str]:
        """Return who is to move, and what they may press: neither program reads the game for that."""
        row = await self._together.row(self.code)
        state = games[row.game].load(row.position or {})
        path = path_to(state, state.legal_actions(), state.legal_actions()[0])
        mover = "anna" if row.to_move == await self.here.id_of("anna") else "bruno"
        return mover, f"p:{self.code}:{row.revision}={PATH_SEPARATOR.join(path)}"

    async def press(self, program: Party, who: str, pressed: str) -> tuple[Reply, list[str]]:
        """Press something at a program; return its reply and the statements that it took."""
        with listed_server_statements() as listed:
            reply = await program.front.press(program.request(who), pressed)
        return reply, [each for each in listed if each not in UNNAMED]


@pytest.fixture
async def presses(two_stores: tuple[Store, Store]) -> AsyncIterator[Presses]:
    made = Presses(Together(list(two_stores)))
    await made.begin()
    yield made
    for program in (made.here, made.there):
        await program.front.close(0)


@pytest.mark.parametrize(("who", "behind", "begins"), [("carla", 0, " are playing here."), ("", 1, "The game has mo")])
async def test_a_press_that_is_refused_reads_the_game_once(
    presses: Presses, who: str, behind: int, begins: str
) -> None:
    pressed = f"p:{presses.code}:{presses.revision - behind}=a1"
    who = who or presses.here.mover
    for program in (presses.there, presses.here):
        reply, statements = await presses.press(program, who, pressed)
        assert begins in words(reply)
        assert statements == ["SELECT identities", "SELECT games", "SELECT processed_events"]


async def test_a_move_reads_its_author_and_the_game_once(presses: Presses) -> None:
    stored = ["INSERT processed_events", "UPDATE games", "INSERT events", "DELETE notices", "INSERT notices"]
    stored.append("UPDATE posts")
    for program in (presses.there, presses.there, presses.here):
        reply, statements = await presses.press(program, *await presses.possible())
        assert statements == ["SELECT identities", "SELECT games", *stored], words(reply)


async def test_an_event_that_a_peer_has_handled_is_answered_as_there(presses: Presses) -> None:
    mover, pressed = await presses.possible()
    request = presses.here.request(mover)
    first, again = [await each.front.press(request, pressed) for each in (presses.there, presses.here)]
    assert words(again) == words(first)
    assert (await presses.there.load_row(presses.code)).revision == presses.revision + 1
