"""Competitions for the tests of the bot: made, entered and played out."""

from collections.abc import Callable
from typing import cast

from bot.competitions.cups.service import CUPS, Cup
from bot.kernel.operations.clock import HEARTBEAT_NAME
from bot.kernel.requests import Place
from storage import CompetitionKind
from tests.bot.party import Party, Shown, words

FOUR = ("anna", "bruno", "cora", "dino")
HALL = Place("web", "hall", title="The hall")
YARD = Place("web", "yard", title="The yard")


async def make_competition(party: Party, line: str, *joining: str) -> str:
    """Have Anna make a competition by a command, whose name is its kind, that people enter; return its code."""
    made = await party.say("anna", line)
    assert " is made" in words(made), words(made)
    kind = cast("CompetitionKind", line.split()[0][1:])
    (row, *_) = await party.store.competitions.list_made_by(await party.id_of("anna"), kind=kind)
    for who in joining:
        entered = await party.press(who, f"{kind}=join.{row.id}")
        assert "You are " in words(entered), words(entered)
    return row.id


async def a_cup(party: Party, line: str = "/cup annuvin clock:1d players:4", *joining: str) -> str:
    """Have Anna make a cup that people enter, and return its code."""
    return await make_competition(party, line, *joining)


async def cup_of(party: Party, code: str) -> Cup:
    return await CUPS.find(party.front.context, code)


def main(party: Party, code: str, place: str = "room") -> Shown:
    """Return the message by which a competition is shown."""
    return [
        shown for shown in party.shown
        if shown.key.endswith(f":{code}") and shown.place.channel == place
    ][-1]  # fmt: skip


def kept_message(party: Party, code: str) -> Shown:
    """Return the one message by which a ladder or a league is shown in the room; it is kept up to date."""
    found = [each for each in party.shown if each.key.endswith(f":{code}")]
    (only,) = [each for each in found if each.place.channel == party.room.channel and not each.retired]
    return only


def private_messages(party: Party) -> list[str]:
    """Return what was told of rounds, the oldest first."""
    return [shown.text for shown in party.shown if "-news:" in shown.key]


async def resign_all(party: Party, code: str, choose_loser: Callable[[list[str]], str] | None = None) -> int:
    """Have the player to move, or the chosen one, resign in every running game of a competition; return their number.

    `choose_loser` gets the names of those who play.
    """
    ended = 0
    for _, _, _, game in (await cup_of(party, code)).state.games():
        row = await party.store.games.get(game.id or "")
        if row is not None and row.status == "playing":
            names = [name.lower() for name in (await party.table(row.id)).names[: row.seat_count]]
            await party.resign(choose_loser(names) if choose_loser else await party.mover_of(row.id), row.id)
            ended += 1
    return ended


async def time_passes(party: Party, hours: float, job: str = "cups") -> None:
    """Have so many hours go by with the program up: what is due is done."""
    party.clock.turn(hours=hours)
    await party.store.alarms.record_heartbeat(HEARTBEAT_NAME, party.clock())
    await party.front.alarms.tick()
    await party.front.jobs[job].run_until_idle()
    await party.front.delivery.run_until_idle()
    await party.settle()


async def played_out(party: Party, code: str, choose_loser: Callable[[list[str]], str] | None = None) -> Cup:
    """Have a competition played to its end by resigning."""
    while await resign_all(party, code, choose_loser):
        pass
    return await cup_of(party, code)
