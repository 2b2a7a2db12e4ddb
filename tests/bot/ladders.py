"""Ladders for the tests of the bot: made, joined and played on."""

from __future__ import annotations

from bot.ladders.service import LADDERS, StoredLadder
from bot.play.clocks import HEARTBEAT_NAME
from tests.bot.cups import person
from tests.bot.party import Party, Shown, words


async def a_ladder(party: Party, line: str = "/ladder annuvin clock:1d", *joining: str) -> str:
    """Have Anna make a ladder that people join, and return its code."""
    made = await party.say("anna", line)
    assert "The ladder is made" in words(made), words(made)
    (row, *_) = await party.store.competitions.list_made_by(await person(party, "anna"), kind="ladder")
    for who in joining:
        joined = await party.press(who, f"ladder=join.{row.id}")
        assert "You are on the ladder" in words(joined), words(joined)
    return row.id


async def ladder_of(party: Party, code: str) -> StoredLadder:
    return await LADDERS.find(party.front.context, code)


async def order(party: Party, code: str) -> list[str]:
    """Return the names from the top down."""
    ladder = await ladder_of(party, code)
    return [ladder.name(each).lower() for each in ladder.stands.order]


async def number(party: Party, code: str, who: str) -> int:
    """Return somebody's number on a ladder."""
    found = (await ladder_of(party, code)).entrant_of(await person(party, who))
    assert found is not None
    return found


async def challenged(party: Party, code: str, who: str, other: str) -> str:
    """Have somebody challenge somebody, and return what they are told."""
    return words(await party.press(who, f"ladder=challenge.{code}.{await number(party, code, other)}"))


def shown_ladder(party: Party, code: str) -> Shown:
    """Return the one message by which a ladder is shown in the room; it is kept up to date."""
    found = [shown for shown in party.shown if shown.key.startswith(f"cup-{code}-")]
    (only,) = [each for each in found if each.place.channel == party.room.channel and not each.retired]
    return only


async def days_pass(party: Party, days: float) -> None:
    """Have so many days go by with the program up: what is due is done."""
    party.clock.turn(days=days)
    await party.store.alarms.record_heartbeat(HEARTBEAT_NAME, party.clock())
    await party.front.alarms.tick()
    await party.front.jobs["ladders"].run_until_idle()
    await party.settle()
