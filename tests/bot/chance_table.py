"""A table for attacks on its chance: what people do there in their platforms' ways, and what draws took."""

from dataclasses import dataclass, replace
from typing import Any, Final

from bot.kernel.requests import ClientEntropy, Reply
from engine import CHANCE, State, fair, games
from engine.record import Record
from storage import GameRow
from tests.bot.party import Party
from tests.support.chains import Chain
from tests.support.present import present
from tests.support.records import record_of

DICE: Final = "uomo-nero"
THREE: Final = "vedova-nera"
ANNA, BRUNO, CARLA = (Chain.of(number) for number in (1, 2, 3))


@dataclass
class ChanceTable:
    """A game in which people do things in their platforms' ways."""

    party: Party
    code: str = ""

    async def row(self) -> GameRow:
        return await self.party.load_row(self.code)

    async def do(self, who: str, text: str, **more: Any) -> Reply:
        """Have somebody press or type something; `more` says what kind of id goes with it, and what is given."""
        request = replace(self.party.request(who, event=more.pop("event", "")), **more)
        if text.startswith("/"):
            reply = await self.party.front.typed_text(request, text)
        else:
            reply = await self.party.front.press(request, text)
        await self.party.settle()
        return reply

    async def lobby(self, line: str = f"/play {DICE} @bruno", **more: Any) -> None:
        """Have Anna offer a game."""
        await self.do("anna", line, **more)
        self.code = self.party.code

    async def begin(self) -> None:
        """Have Anna and Bruno begin a game with dice."""
        await self.lobby()
        await self.do("bruno", f"join:{self.code}:1")

    async def chosen(self, who: str, text: str, pledge: ClientEntropy | None, event: str = "") -> Reply:
        """Have somebody do something on the page."""
        return await self.do(who, text, ids="chosen", pledge=pledge, event=event)

    async def opened(self, line: str, pledge: ClientEntropy | None) -> None:
        """Have Anna offer a game on the page."""
        await self.lobby(line, ids="chosen", pledge=pledge)

    async def state(self) -> State:
        found = await self.row()
        return games[found.game].load(present(found.position))

    async def seat_of(self, who: str) -> int:
        return (await self.party.table(self.code)).names.index(who.capitalize())

    async def mover(self) -> str:
        return await self.party.mover_of(self.code)

    async def turn(self, **more: Any) -> str:
        """Have the player to move play a turn that ends in a roll, and return who it was."""
        who, turn = await self.mover(), (await self.state()).turn
        while (state := await self.state()).turn == turn and state.to_move is not None:
            await self.do(who, f"/move {state.legal_actions()[0].text} game:{self.code}", **more)
        return who

    async def turn_on_the_page(self, pledge: ClientEntropy | None = None) -> str:
        """Have the player to move play such a turn on the page, and return who it was."""
        return await self.turn(ids="chosen", pledge=pledge)

    async def rolls(self) -> dict[int, tuple[str, list[list[Any]]]]:
        """Return every draw as it was made last, and what it took."""
        events = await self.party.store.games.events(self.code)
        return {
            event.data["draw"]: (event.data["action"], event.data.get("ids", []))
            for event in events
            if event.kind == "action" and "draw" in event.data
        }

    async def drawn(self) -> int:
        """Return the number of the newest draw."""
        return max(await self.rolls())

    async def newest_roll(self) -> tuple[str, list[list[Any]]]:
        """Return the newest draw as it was made last, and what it took."""
        return (await self.rolls())[await self.drawn()]

    async def joined_by(self) -> list[str | None]:
        """Return the ids by which those at the table have joined, in their order."""
        return [entry.joined_by for entry in (await self.row()).seats if entry.person is not None]

    async def foreseen(self, draw: int, *ids: str) -> str:
        """Return the roll that a person who knows the seed expects, if these are the ids that it takes."""
        row, state = await self.row(), games[DICE].start(2)
        while state.to_move != CHANCE:
            state = state.play(state.legal_actions()[0])
        public = fair.public_text(row.id, [entry.joined_by or "" for entry in row.seats])
        return state.sample_chance(fair.Draw(row.seed, public, draw, ids)).text

    async def record(self) -> Record:
        """Return the record as it is when the game is over."""
        table = await self.party.table(self.code)
        return replace(await record_of(self.party.front.context, table), seed=table.row.seed)


async def on_the_page(table: ChanceTable) -> tuple[str, Chain, int]:
    """Have Anna open a game on the page, Bruno join it, and Anna's browser answer.

    Returns who is to move first, the chain of their browser and the number of its next link.
    """
    await table.opened(f"/play {DICE} @bruno", ANNA.joining)
    await table.chosen("bruno", f"join:{table.code}:1", BRUNO.joining)
    await table.chosen("anna", f"begin:{table.code}:1", ANNA.opens(table.code, 1))
    assert (await table.row()).status == "playing"
    return ("anna", ANNA, 2) if await table.mover() == "anna" else ("bruno", BRUNO, 1)
