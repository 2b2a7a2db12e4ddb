"""Computers as players: a game against one, one for an open seat, one for the seat of an absent player."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from bot.core.context import Context
from bot.core.request_context import RequestContext
from bot.entry.commandline import DEFAULT_LEVEL
from bot.interface.cards import Card
from bot.interface.presses import Press
from bot.interface.refusals import Refused
from bot.interface.requests import Reply
from bot.lobby import service as lobby
from bot.lobby.cards import levels_card
from bot.lobby.form import COMPUTER
from bot.lobby.new_game import read_new_game
from bot.lobby.options import read_options
from bot.play import nonmember, offers
from bot.play.card_parts import offer_made_words
from bot.play.clocks import CLOCKS, NO_CLOCK
from bot.play.service import require_playing_seat
from engine import Game, games
from engine.search import LEVELS
from storage import OfferKind

COMPUTERS: Final = "computers"
"""The parameter for the number of computers that play."""


def read_computer_levels(game: Game, values: Mapping[str, str], people: int) -> tuple[int, ...]:
    """Return the levels of the computers requested for a game with `people` people.

    Without a number of computers they take all requested seats, otherwise as many as the game needs.
    """
    if not values.get(COMPUTER) and not values.get(COMPUTERS):
        return ()
    seats = int(values["seats"]) if values.get("seats") else game.seats[0]
    count = int(values.get(COMPUTERS) or max(1, seats - people))
    return (int(values.get(COMPUTER) or DEFAULT_LEVEL),) * count


async def press_solo(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """Handle the button that starts the chosen game against the minimum number of computers."""
    key, chosen = await read_new_game(context, pressed)
    voice, level, clock = asker.mine.of(key), chosen.pop("level", DEFAULT_LEVEL), chosen.pop("clock", NO_CLOCK)
    if level not in map(str, LEVELS) or clock not in CLOCKS:
        raise Refused("refusal.stale")
    levels = (int(level),) * (games[key].seats[0] - 1)
    options = games[key].checked_options(len(levels) + 1, read_options(asker.mine, games[key], chosen))
    plan = lobby.GameProposal(key, options, len(levels) + 1, clock=clock, computers=levels)
    reply = Reply(Card(voice.say("computer.begun", game=voice.line("name"))), private=True, update=True)
    row = await lobby.open_table(context, asker, plan, reply)
    return await nonmember.opened_reply(context, asker, row, reply)


async def press_robot(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """Handle the button that gives an open seat to a computer: first ask for its level."""
    table = await context.table(pressed.game or "")
    if table.row.status != "lobby":
        raise lobby.no_lobby_refusal(table.row, asker)
    level = _read_level(pressed)
    if level is None:
        lobby.check_joined(table.row, asker)
        return Reply(levels_card(asker.mine, table.row, "robot"), private=True)
    reply = Reply(Card(asker.mine.say("computer.joined")), private=True, update=True)
    row = await lobby.add_computer(context, asker, table.row.id, level, reply)
    return replace(reply, opens=row.id)


async def press_seat(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """Handle the button that offers the seat of an absent player to a computer: first ask for its level."""
    table = await context.table(pressed.game or "")
    seat = require_playing_seat(table, asker)
    offers.check_absent(context, table)
    level = _read_level(pressed)
    if level is None or table.mover is None:
        return Reply(levels_card(asker.mine, table.row, "seat"), private=True)
    offer = replace(offers.new_offer(table, asker.person.id, OfferKind.SEAT), seat=table.mover, computer=str(level))
    settled = offers.is_settled(table, offer, seat)
    asked = offer_made_words(table, asker.mine, OfferKind.SEAT, computer=True)
    reply = Reply(Card(asker.mine.say("computer.took-over") if settled else asked), private=True, update=True)
    await offers.make_offer(context, asker, table, offer, reply)
    return reply


def _read_level(pressed: Press) -> int | None:
    return int(pressed.rest) if pressed.rest in map(str, LEVELS) else None
