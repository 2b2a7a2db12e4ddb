"""How much the five ways in which people wait for the program may ask of its database.

They are counted at the driver, on SQLite and on a PostgreSQL that two programs share. What asks for less needs no
change here; a limit that grows needs a reason.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from aiohttp.test_utils import make_mocked_request

from bot.platforms.public.site import PublicSite
from storage import Store
from tests.bot.cups import a_cup
from tests.bot.party import SQUARE, Party, buttons, card, labelled, words
from tests.bot.test_together import Together
from tests.support.counting import BEGIN, listed_server_statements, listed_statements
from tests.support.stores import open_copy

LIMITS: Final = {
    "a half-made choice": ((2, 0), (3, 0)),
    "a move": ((7, 1), (9, 1)),
    "its delivery": ((6, 1), (8, 1)),
    "a press that is refused": ((2, 0), (4, 0)),
    "a page that the world may see": ((6, 1), (7, 1)),
}
"""At most so many statements and transactions on SQLite, and on a PostgreSQL that several programs share."""


@dataclass
class Waits:
    """What is asked of the database while people wait, by the way in which they do."""

    listed: list[str]
    """What the connections carry out."""
    asked: dict[str, list[str]] = field(default_factory=dict)

    @contextmanager
    def _counted(self, way: str) -> Iterator[None]:
        self.listed.clear()
        yield
        self.asked[way] = [*self.listed]

    async def go_through(self, party: Party) -> None:
        """Have a game begun, and people wait for the program in each of the ways."""
        party.front.context.web_address = "https://games.example"
        party.managers.add("meg")
        await party.say("meg", "/settings public:on for:channel")
        code = await party.started(SQUARE)
        mover, delivery = party.mover, party.front.delivery
        with self._counted("a half-made choice"):
            question = await party.front.press(party.request(mover), buttons(party.board.card)[0].press)
        last = labelled(card(question), "1 · a2").press
        await party.settle()
        with self._counted("a move"):
            assert not (await party.front.press(party.request(mover), last)).failed
        retired = party.adapter.calls.count("retire")
        with self._counted("its delivery"):
            # Its start looks once for what is due, which the program does not have to do for a move.
            delivery.start()
            await party.adapter.until(lambda: party.adapter.calls.count("retire") > retired)
            await delivery.close()
        with self._counted("a press that is refused"):
            assert "The game has moved on" in words(await party.front.press(party.request(mover), last))
        page = (await party.store.public.create_ids("game", [code], party.clock()))[code]
        site = PublicSite(party.front.context, lambda _: "")
        (route,) = [each for each in site.routes() if each.path == "/g/{id}"]
        with self._counted("a page that the world may see"):
            answer = await route.handler(make_mocked_request("GET", f"/g/{page}", match_info={"id": page}))
            assert answer.status == 200

    def above_limits(self, database: int) -> dict[str, list[str]]:
        """Return what was asked in the ways that ask too much of a database, by its place in the limits."""
        above = {}
        for way, limits in LIMITS.items():
            begun = self.asked[way].count(BEGIN)
            statements, transactions = limits[database]
            if len(self.asked[way]) - begun > statements or begun > transactions:
                above[way] = self.asked[way]
        return above


async def use_every_feature(party: Party) -> None:
    """Have others in the room use whatever there is, at tables and boards of their own."""
    await party.meet("anna", "bruno", "dino", "eva")
    code = await party.started("/play annuvin @dino clock:1d rated:no", "dino")
    mover = party.mover
    for who, line, answer in (
        ("anna" if mover == "dino" else "dino", f"/plan #{code} if b1-b2 then b5-b4", "Planned"),
        (mover, f"/hint {code}", "good move"),
        ("dino", f"/try #{code} b1-b2", "Tried: b1-b2"),
        ("dino", f"/draw {code}", "You have offered a draw"),
        ("dino", "/learn annuvin", "lesson, step 1"),
        ("dino", "/puzzle", "puzzle of"),
        ("dino", "/block @eva", "You will not meet"),
        ("dino", "/settings notices:private", "in private"),
    ):
        assert answer in words(await party.say(who, line))
    await a_cup(party, "/cup annuvin clock:1d players:4", "dino")


async def test_nobody_waits_for_more_than_so_many_statements(tmp_path: Path, empty_database: Path) -> None:
    with listed_statements() as listed:
        async with open_copy(empty_database, tmp_path / "data" / "tavoliere.db") as store, Party(store) as party:
            # Who plays must not pay for what others use.
            await use_every_feature(party)
            waits = Waits(listed)
            await waits.go_through(party)
    assert waits.above_limits(0) == {}


async def test_nobody_waits_for_more_than_so_many_statements_where_two_programs_share_a_server(
    two_stores: tuple[Store, Store],
) -> None:
    together = Together(list(two_stores))
    with listed_server_statements() as listed:
        for program in (*together.programs, *together.programs):
            await program.meet("anna", "bruno")
        waits = Waits(listed)
        await waits.go_through(together.programs[0])
    for program in together.programs:
        await program.front.close(0)
    assert waits.above_limits(1) == {}
