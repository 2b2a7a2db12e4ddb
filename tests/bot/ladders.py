"""Ladders for the tests of the bot: made, joined and played on."""

from bot.competitions.ladders.service import LADDERS, StoredLadder
from tests.bot.cups import make_competition
from tests.bot.party import Party, words
from tests.support.present import present


async def a_ladder(party: Party, line: str = "/ladder annuvin clock:1d", *joining: str) -> str:
    """Have Anna make a ladder that people join, and return its code."""
    return await make_competition(party, line, *joining)


async def ladder_of(party: Party, code: str) -> StoredLadder:
    return await LADDERS.find(party.front.context, code)


async def order(party: Party, code: str) -> list[str]:
    """Return the names from the top down."""
    ladder = await ladder_of(party, code)
    return [ladder.name(each).lower() for each in ladder.state.order]


async def number(party: Party, code: str, who: str) -> int:
    """Return somebody's number on a ladder."""
    return present((await ladder_of(party, code)).entrant_of(await party.id_of(who)))


async def challenged(party: Party, code: str, who: str, other: str) -> str:
    """Have somebody challenge somebody, and return what they are told."""
    return words(await party.press(who, f"ladder=challenge.{code}.{await number(party, code, other)}"))
