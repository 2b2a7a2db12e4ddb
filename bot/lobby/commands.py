"""Commands and presses of a lobby: challenging, joining, leaving, starting."""

from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Final

from bot.boards import lessons as learning
from bot.kernel.cards import Card
from bot.kernel.commandline import DEFAULT_LEVEL, read_people
from bot.kernel.context import Context
from bot.kernel.features import PressHandler
from bot.kernel.form_presses import open_form
from bot.kernel.forms import YES, Values
from bot.kernel.names import fold_text
from bot.kernel.presses import Press, read_number
from bot.kernel.refusals import Refused
from bot.kernel.request_context import RequestContext
from bot.kernel.requests import Reply
from bot.kernel.table import Table
from bot.kernel.texts import Span, Speaker, Text, join
from bot.lobby import service as lobby
from bot.lobby.cards import details_card, levels_card, read_lobby_context
from bot.lobby.form import COMPUTER, FORM, check_seat_count, games_card, read_new_game, read_options
from bot.lobby.service import find_invited, invite
from bot.table import commands, offers
from bot.table.card_parts import offer_made_words
from bot.table.clocks import NO_CLOCK, parse_time_control
from bot.table.game_lookup import resolve_game_key
from bot.table.service import require_playing_seat
from engine import Game, games
from engine.search import LEVELS
from storage import OfferKind, Terms

COMPUTERS: Final = "computers"
"""The parameter for the number of computers that play."""


def read_computer_levels(game: Game, values: Values, people: int) -> tuple[int, ...]:
    """Return the levels of the computers requested for a game with `people` people.

    Without a number of computers they take all requested seats, otherwise as many as the game needs.
    """
    if not values.get(COMPUTER) and not values.get(COMPUTERS):
        return ()
    seats = int(values["seats"]) if values.get("seats") else game.seats[0]
    count = int(values.get(COMPUTERS) or max(1, seats - people))
    return (int(values.get(COMPUTER) or DEFAULT_LEVEL),) * count


async def press_solo(context: Context, requester: RequestContext, pressed: Press) -> Reply:
    """Handle the button that starts the chosen game against the minimum number of computers."""
    key, chosen = await read_new_game(context, pressed)
    voice, level, clock = requester.speaker.of(key), chosen.pop("level", DEFAULT_LEVEL), chosen.pop("clock", NO_CLOCK)
    if level not in map(str, LEVELS):
        raise Refused("refusal.stale")
    levels = (int(level),) * (games[key].seats[0] - 1)
    options = games[key].checked_options(len(levels) + 1, read_options(requester.speaker, games[key], chosen))
    terms = parse_time_control(clock).apply(Terms())
    reply = Reply(Card(voice.say("computer.begun", game=voice.game_name())), update=True)
    seats = len(levels) + 1
    row = await lobby.open_table(context, requester, key, options, terms, reply, seats=seats, computers=levels)
    return await commands.opened_reply(context, requester, row, reply)


async def press_robot(context: Context, requester: RequestContext, pressed: Press) -> Reply:
    """Handle the button that gives an open seat to a computer: first ask for its level."""
    table = await context.table(pressed.game)
    if not table.row.is_lobby:
        raise lobby.no_lobby_refusal(table.row, requester)
    level = _read_level(pressed)
    if level is None:
        lobby.check_joined(table.row, requester)
        return Reply(levels_card(requester.speaker, table.row, "robot"))
    reply = requester.answer("computer.joined", update=True)
    row = await lobby.add_computer(context, requester, table.id, level, reply)
    return replace(reply, opens=row.id)


async def press_seat(context: Context, requester: RequestContext, pressed: Press) -> Reply:
    """Handle the button that offers the seat of an absent player to a computer: first ask for its level."""
    table = await context.table(pressed.game)
    seat = require_playing_seat(table, requester)
    offers.check_absent(context, table)
    level = _read_level(pressed)
    if level is None or table.mover is None:
        return Reply(levels_card(requester.speaker, table.row, "seat"))
    offer = replace(offers.new_offer(table, requester.id, OfferKind.SEAT), seat=table.mover, computer=str(level))
    settled = offers.is_settled(table, offer, seat)
    asked = offer_made_words(table, requester.speaker, OfferKind.SEAT, computer=True)
    reply = Reply(Card(requester.speaker.say("computer.took-over") if settled else asked), update=True)
    await offers.make_offer(context, requester, table, offer, reply)
    return reply


def _read_level(pressed: Press) -> int | None:
    return int(pressed.rest) if pressed.rest in map(str, LEVELS) else None


EMPTY_REPLY: Final = Reply()
MAX_PEOPLE_NAMED: Final = 12
"""Maximum number of people of a place that a card names."""
_NAME_SIMILARITY: Final = 0.7
"""Minimum similarity (0 to 1) of a suggested name."""


async def play(context: Context, requester: RequestContext, values: Values) -> Reply:
    """Challenge people, or leave seats open; without a game, ask which."""
    named = read_people(values.get("opponents", ""))
    people = [each for each in named if each.id is not None or fold_text(each.name) != COMPUTER]
    if len(people) < len(named):
        # Computers are named among the opponents.
        values = {COMPUTER: DEFAULT_LEVEL, **values}
    if not values.get("game"):
        if people:
            if commands.is_answer_only(requester):
                raise Refused("refusal.alone")
            invited = await find_invited(context, requester, people)
            if len(invited) == 1 and invited[0].person is not None:
                return Reply(games_card(requester.speaker, against=invited[0].person))
            raise Refused("refusal.game-needed", example=f"/play {next(iter(games))} {values['opponents']}")
        return Reply(games_card(requester.speaker, values.get(COMPUTER, "")))
    key = await resolve_game_key(context, values["game"])
    most = games[key].seats[-1]
    if len(people) >= most:
        raise Refused("refusal.too-many-for-game", game=key, most=most, n=most)
    invited = await find_invited(context, requester, people)
    if commands.is_answer_only(requester) and not (invited or values.get(COMPUTER) or values.get(COMPUTERS)):
        return await open_form(context, requester, FORM, {**values, "game": key})
    levels = read_computer_levels(games[key], values, len(invited) + 1)
    seats = read_seat_count(games[key], values, (*invited, *levels))
    options = games[key].checked_options(seats, read_options(requester.speaker, games[key], values))
    terms = Terms(
        rated=values.get("rated", YES) == YES,
        hints=values["hints"] == YES if values.get("hints") else None,
        tries=values.get("try", YES) == YES,
    )
    terms = parse_time_control(values.get("clock", NO_CLOCK)).apply(terms)
    unseen = [each.name for each in invited if each.person is None] if requester.request.place.known else []
    offer = None if unseen or requester.request.nonmember else await learning.offer_lesson(context, requester, key)
    reply = Reply(await _unseen_card(context, requester, key, unseen)) if unseen else offer or EMPTY_REPLY
    row = await lobby.open_table(
        context, requester, key, options, terms, reply, seats=seats, invited=invited, computers=levels
    )
    if offer is not None:
        await context.store.lessons.record_offer(requester.id, key, context.clock())
    # If there are unknown names, the remark about them replaces the board as the reply.
    return reply if unseen else await commands.opened_reply(context, requester, row, reply)


async def press_against(context: Context, requester: RequestContext, pressed: Press) -> Reply:
    """Handle the choice of a game to challenge a person to, or another page of the games."""
    key, about = (*pressed.path, "", "")[:2]
    person = read_number(about)
    if person is None:
        raise Refused("refusal.stale")
    page = read_number(key)
    if page is not None:
        return Reply(games_card(requester.speaker, page=page, against=person), update=True)
    key = await resolve_game_key(context, key)
    invited = await invite(context, requester, person)
    options = {name: option.default for name, option in games[key].options.items()}
    reply = Reply(Card(requester.speaker.of(key).say("new.posted")), update=True)
    seats = read_seat_count(games[key], {}, (invited,))
    row = await lobby.open_table(context, requester, key, options, Terms(), reply, seats=seats, invited=(invited,))
    return replace(reply, opens=row.id)


async def _unseen_card(context: Context, requester: RequestContext, game: str, names: Sequence[str]) -> Card:
    """Return the remark that some names are unknown here, with similar names or people seen here."""
    speaker = requester.speaker
    others = [
        person.name for person in await context.store.places.members(requester.place.id) if person.id != requester.id
    ]
    parts = [speaker.say("lobby.unseen", who=_list_names(speaker, names), n=len(names))]
    alike = {fold_text(other): other for other in others}
    close = [get_close_matches(fold_text(name), alike, n=1, cutoff=_NAME_SIMILARITY) for name in names]
    if found := dict.fromkeys(alike[each[0]] for each in close if each):
        meant = " ".join(f'@"{name}"' if " " in name else f"@{name}" for name in found)
        line = Span(f"/play {game} {meant}", code=True)
        parts.append(speaker.say("lobby.alike", who=_list_names(speaker, list(found)), line=line))
    elif others:
        parts.append(speaker.say("lobby.seen", who=_list_names(speaker, others[:MAX_PEOPLE_NAMED])))
    else:
        parts.append(speaker.say("lobby.nobody-seen"))
    return Card(join(parts, " "))


def _list_names(speaker: Speaker, names: Sequence[str]) -> Text:
    return speaker.listing([Span(name, bold=True) for name in names])


async def take_seat(context: Context, requester: RequestContext, game: str) -> Reply:
    """Take a seat, and show the game in this place unless it is shown here already."""
    if commands.is_answer_only(requester):
        raise Refused("refusal.alone")
    key = (await context.table(game)).row.game
    offer = None if requester.request.nonmember else await learning.offer_lesson(context, requester, key)
    reply = offer or EMPTY_REPLY
    # One transaction: after a crash, a repeated request would count as processed, and the other changes would be lost.
    async with context.store.transaction():
        row = await lobby.join(context, requester, game, reply)
        if offer is not None:
            await context.store.lessons.record_offer(requester.id, row.game, context.clock())
        shown = {post.place.id for post in await context.store.posts.list_for_game(row.id)}
        if requester.place.id not in shown:
            await context.store.posts.add(row.id, requester.place.id, context.clock())
    return replace(reply, opens=row.id)


async def press_join(context: Context, requester: RequestContext, pressed: Press) -> Reply:
    """Handle the button Join or Accept."""
    return await take_seat(context, requester, pressed.game)


def in_lobby(step: lobby.LobbyStep, *, opens: bool = False) -> PressHandler:
    """Return the handler of a button that takes a step in a lobby; its reply is empty, or `opens` the board."""

    async def handle(context: Context, requester: RequestContext, pressed: Press) -> Reply:
        row = await lobby.take_step(context, requester, pressed.game, step, EMPTY_REPLY)
        return Reply(opens=row.id if opens else None)

    return handle


async def press_details(context: Context, requester: RequestContext, table: Table) -> Reply:
    """Handle the button Details: show what the lobby omits, with the hash of the game's seed."""
    row = table.row
    return Reply(details_card(row, requester.speaker, await read_lobby_context(context, row, requester.place)))


def read_seat_count(game: Game, values: Values, invited: tuple[object, ...]) -> int:
    """Return the number of seats of a new game; Refused if it is not possible."""
    least, most = game.seats[0], game.seats[-1]
    asked = int(values["seats"]) if values.get("seats") else None
    if len(invited) + 1 > most:
        raise Refused("refusal.too-many-for-game", game=game.key, most=most, n=most)
    if asked is None:
        return max(least, len(invited) + 1) if invited else most
    check_seat_count(game, asked)
    if asked <= len(invited):
        raise Refused("refusal.seats-named", n=len(invited), seats=asked)
    return asked
