"""The commands and buttons of cups, and their export as a file."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Final

from bot.competitions.events import (
    MAX_ENTRANTS,
    MAX_ROUND_ROBIN_ENTRANTS,
    MAX_ROUNDS,
    MIN_ENTRANTS,
    CupTerms,
    Format,
)
from bot.competitions.sheets import page_count
from bot.core.commands import YES
from bot.core.context import Context
from bot.core.features import find_page
from bot.core.request_context import RequestContext
from bot.cups import service as competitions
from bot.cups.cards import details_card, manage_card, table_card, tie_breaks_card, title_words
from bot.cups.form import FORM_PRESS, cup_games_card, default_cup_choice, form_card
from bot.cups.job import start_now
from bot.cups.pictures import cup_picture
from bot.cups.service import CUPS, Cup, make_cup
from bot.interface.cards import Card
from bot.interface.presses import Press
from bot.interface.refusals import Refused
from bot.interface.requests import Reply
from bot.language.texts import Speaker, Text, join
from bot.lobby.commands import check_seat_count, read_options
from bot.matches.commands import (
    MAX_HOLIDAY_DAYS,
    enter_by_code,
    list_here,
    press_shared,
    read_button,
    read_entry_rule,
    read_number,
)
from bot.matches.form import COMPETITION_CLOCKS
from bot.pictures.artist import choose_theme
from bot.play.clocks import CLOCKS, timezone_of
from bot.play.game_lookup import resolve_game_key
from engine import games

EMPTY_REPLY: Final = Reply()

_DELAY_PATTERN: Final = re.compile(r"(\d{1,3})\s*([mhd])")
_DELAY_UNITS: Final = {"m": "minutes", "h": "hours", "d": "days"}
_NUMBER_BOUNDS: Final = {
    "players": (MIN_ENTRANTS, MAX_ENTRANTS),
    "least": (MIN_ENTRANTS, MAX_ENTRANTS),
    "rounds": (1, MAX_ROUNDS),
    "holidays": (0, MAX_HOLIDAY_DAYS),
    "seats": (2, 5),
}


async def cup(context: Context, asker: RequestContext, values: Mapping[str, str]) -> Reply:
    """Create a cup, enter one by its code, or list those in this place."""
    if values.get("join"):
        return await enter_by_code(context, asker, values["join"], CUPS)
    if values.get("game"):
        return await _create_cup(context, asker, values)
    if values:
        if values.get("starts") and _DELAY_PATTERN.fullmatch(values["starts"]) is None:
            await resolve_game_key(context, values["starts"])  # a word that is no time is probably meant as a game
        raise Refused("refusal.cup-game-needed", example=f"/cup {next(iter(games))} clock:1d")
    return await list_here(context, asker, CUPS, _write_line, cup_games_card(asker.mine), FORM_PRESS)


def _write_line(found: Cup, voice: Speaker) -> Text:
    return join([title_words(found, voice), voice.say(f"cup.stage.{found.stands.stage}")], " – ")


async def press_cup(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """A button of a competition."""
    button = read_button(pressed)
    shared = await press_shared(context, asker, button, CUPS, manage_card)
    if shared is not None:
        return shared
    verb, code = button.verb, button.code
    if verb in _ENTRANT_ACTIONS:
        reply = Reply(Card(asker.mine.say(f"cup.done.{verb}")), private=True)
        await _ENTRANT_ACTIONS[verb](context, asker, code, reply)
        return reply
    if verb == "give":
        await competitions.give(context, asker, code, EMPTY_REPLY)
        return EMPTY_REPLY
    if verb in ("pause", "resume"):
        reply = Reply(Card(asker.mine.say(f"cup.done.{verb}")), private=True, update=True)
        await competitions.run_command(context, asker, code, verb, reply)
        return reply
    found = await CUPS.find_for(context, asker, code)
    if verb == "table":
        return await _standings_reply(context, asker, found, button.number or 0, turned=bool(button.rest))
    if verb == "details":
        return Reply(details_card(found, asker.mine), private=True)
    if verb == "ties":
        return Reply(tie_breaks_card(found, asker.mine), private=True)
    raise Refused("refusal.stale")


async def _standings_reply(context: Context, asker: RequestContext, found: Cup, page: int, *, turned: bool) -> Reply:
    page = min(page, page_count(found.stands) - 1)
    theme = choose_theme(asker.person.settings, asker.place.settings)
    async with context.person_queue.turn(asker.person.id):
        picture = await cup_picture(context, found, asker.mine, theme, page)
    address = await find_page(context, "cup", found.row.id)
    return Reply(table_card(found, asker.mine, page, picture, address), private=True, update=turned)


async def _create_cup(context: Context, asker: RequestContext, values: Mapping[str, str]) -> Reply:
    key = await resolve_game_key(context, values["game"])
    if set(values) == {"game"}:
        return Reply(form_card(context, asker.mine, default_cup_choice(key)), private=True)
    if not values.get("clock"):
        raise Refused("refusal.cup-clock", clocks=COMPETITION_CLOCKS)
    terms = await _read_terms(context, asker, key, values)
    reply = Reply(Card(asker.mine.of(key).say("cup.made")), private=True)
    await make_cup(context, asker, terms, reply)
    return reply


async def _read_terms(context: Context, asker: RequestContext, key: str, values: Mapping[str, str]) -> CupTerms:
    game = games[key]
    numbers = {name: read_number(values, name, _NUMBER_BOUNDS) for name in _NUMBER_BOUNDS}
    kind = Format(values["format"]) if values.get("format") else Format.ALL if game.seats[0] <= 2 else Format.TABLES
    if kind == Format.TABLES and game.seats[-1] < 3:
        raise Refused("refusal.cup-no-tables", game=key)
    seats = (numbers["seats"] or game.seats[-1]) if kind == Format.TABLES else 2
    check_seat_count(game, seats)
    all_play_all = kind in (Format.ALL, Format.TWICE)
    most = numbers["players"] or MAX_ROUND_ROBIN_ENTRANTS
    if all_play_all and most > MAX_ROUND_ROBIN_ENTRANTS:
        raise Refused("refusal.cup-too-many-for-all", most=MAX_ROUND_ROBIN_ENTRANTS, n=most)
    if values.get("double") == YES and not game.facts.grand:
        raise Refused("refusal.cup-no-double", game=key)
    terms = CupTerms(
        game=key,
        format=kind,
        clock=CLOCKS[values["clock"]] or 0,
        options=dict(game.checked_options(seats, read_options(asker.mine, game, values))),
        seats=seats,
        fewest=min(seats, max(2, game.seats[0], 3 if kind == Format.TABLES else 2)),
        rounds=numbers["rounds"] or 0,
        least=numbers["least"] or min(MIN_ENTRANTS, most),
        most=most,
        starts_at=_read_start(context, asker, values["starts"]) if values.get("starts") else None,
        lapses=values.get("lapse") == YES,
        entry=read_entry_rule(values),
        computers=values.get("fill", ""),
        holidays=numbers["holidays"] or 0,
        double=tuple(sorted(game.facts.grand)) if values.get("double") == YES else (),
        rated=values.get("rated", YES) == YES,
    )
    if terms.least > terms.most:
        raise Refused("refusal.cup-least", least=terms.least, most=terms.most)
    return terms


def _read_start(context: Context, asker: RequestContext, text: str) -> datetime:
    """Return when a cup is to start: some time from now, or a date and time in the asker's time zone."""
    ahead = _DELAY_PATTERN.fullmatch(text.strip().lower())
    if ahead is not None:
        return context.clock() + timedelta(**{_DELAY_UNITS[ahead[2]]: int(ahead[1])})
    try:
        start = datetime.fromisoformat(text.strip())
    except ValueError:
        raise Refused("refusal.cup-when", text=text[:20]) from None
    return (start if start.tzinfo else start.replace(tzinfo=timezone_of(asker.person.settings))).astimezone(UTC)


_ENTRANT_ACTIONS = {"leave": CUPS.leave, "stay": competitions.stay, "start": start_now}
