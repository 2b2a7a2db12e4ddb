"""Leagues: making, entering, leaving, running and looking at them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bot.competitions.league.events import (
    DEFAULT_SEASON_DAYS,
    LEAGUE_CODEC,
    MAX_GAMES_AT_ONCE,
    MAX_MEMBERS,
    MAX_SEASON_DAYS,
    MIN_MEMBERS,
    MIN_SEASON_DAYS,
    LeagueTerms,
)
from bot.core.commands import YES
from bot.core.context import Context
from bot.core.question_cards import button_rows
from bot.core.request_context import RequestContext
from bot.interface.cards import Button, Card
from bot.interface.presses import Press, press
from bot.interface.refusals import Refused, refusal_words
from bot.interface.requests import Reply
from bot.language.texts import join
from bot.leagues import service as leagues
from bot.leagues.cards import confirm_card, league_press, manage_card, own_card, table_card, title_words
from bot.leagues.form import (
    ENTRY_RULES,
    FORM_PRESS,
    LEAGUE_CLOCKS,
    default_league_choice,
    fewest_seats,
    form_card,
    league_games_card,
    usual_seats,
)
from bot.leagues.pictures import division_picture
from bot.leagues.service import StoredLeague, find_league, make_league, my_number, read_league
from bot.lobby.commands import read_options
from bot.matches.export import export_season
from bot.matches.stored import check_may_manage
from bot.pictures.artist import choose_theme
from bot.play.clocks import CLOCKS
from bot.play.game_lookup import resolve_game_key
from engine import games

ENTRY_NAMES: Final = ("here", "server", "code")
MAX_LEAGUES_LISTED: Final = 8
MAX_HOLIDAY_DAYS: Final = 30
DEFAULT_HOLIDAY_DAYS: Final = 7
NUMBER_BOUNDS: Final = {
    "days": (MIN_SEASON_DAYS, MAX_SEASON_DAYS),
    "least": (MIN_MEMBERS, MAX_MEMBERS),
    "holidays": (0, MAX_HOLIDAY_DAYS),
    "seats": (2, 5),
}


async def league(context: Context, asker: RequestContext, values: Mapping[str, str]) -> Reply:
    """Make a league, enter one by its code, or show those that there are here."""
    if values.get("join"):
        return await _enter_by_code(context, asker, values["join"])
    if values.get("game"):
        return await _create_league(context, asker, values)
    if values:
        raise Refused("refusal.league-game-needed", example=f"/league {next(iter(games))} clock:1d")
    rows = await context.store.competitions.list_in_place(asker.place.id, MAX_LEAGUES_LISTED, kind="league")
    speaker = asker.mine
    if not rows:
        card = league_games_card(speaker)
        return Reply(Card(join([speaker.say("league.none"), card.text]), rows=card.rows), private=True)
    parts, buttons = [speaker.say("league.here")], []
    for row in rows:
        try:
            found = await read_league(context, row)
        except Refused as refused:
            parts.append(refusal_words(speaker, refused))  # the others are shown all the same
            continue
        voice = speaker.of(row.game_key)
        line = voice.say("league.line", n=len(found.stands.present), code=row.id)
        parts.append(join([title_words(found, voice), line], " – "))
        buttons.append(Button(f"{voice.line('name')} · {row.id}", league_press("show", row.id)))
    buttons.append(Button(speaker.line("button.league.new"), press(FORM_PRESS, None, 0, "0"), "primary"))
    return Reply(Card(join(parts), rows=button_rows(buttons)), private=True)


async def press_league(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """A button of a league."""
    verb, code, *rest = (*pressed.path, "", "")[:4] if len(pressed.path) < 2 else pressed.path
    number = int(rest[0]) if rest and rest[0].isdecimal() and len(rest[0]) < 7 else None
    if verb == "join":
        return await _enter_by_code(context, asker, code)
    if verb in _DEEDS:
        updates = verb in ("leave!", "end!", "start")
        reply = Reply(Card(asker.mine.say(f"league.done.{verb.rstrip('!')}")), private=True, update=updates)
        await _DEEDS[verb](context, asker, code, reply)
        return reply
    if verb == "out!" and number is not None:
        reply = Reply(Card(asker.mine.say("cup.done.out")), private=True, update=True)
        await leagues.exclude(context, asker, code, number, reply)
        return reply
    if verb == "limit" and number is not None and 1 <= number <= MAX_GAMES_AT_ONCE:
        reply = Reply(Card(asker.mine.say("league.limit", n=number)), private=True, update=True)
        await leagues.set_limit(context, asker, code, number, reply)
        return reply
    found = await find_league(context, code)
    if verb in ("export", "json"):
        return await export_league(context, asker, found, programs=verb == "json")
    return await _look(context, asker, found, verb, number, turned=bool(rest))


async def export_league(
    context: Context, asker: RequestContext, found: StoredLeague, *, programs: bool = False
) -> Reply:
    """Give a whole league as a file, for people or for programs."""
    return await export_season(context, asker, found, "league", LEAGUE_CODEC, programs=programs)


async def _look(
    context: Context, asker: RequestContext, found: StoredLeague, verb: str, number: int | None, *, turned: bool
) -> Reply:
    """Answer a button that changes nothing in a league."""
    if verb == "table":
        season = found.stands.season
        mine = found.entrant_of(asker.person.id)
        # A member sees their own division first.
        own = season.division_of(mine) if season is not None and mine is not None else None
        at = min(number or own or 1, len(season.divisions) if season is not None else 1)
        theme = choose_theme(asker.person.settings, asker.place.settings)
        async with context.person_queue.turn(asker.person.id):
            picture = await division_picture(context, found, asker.mine, theme, at)
        return Reply(table_card(found, asker.mine, at, picture), private=True, update=turned)
    if verb == "show":
        if asker.place.id not in {each.place.id for each in await context.store.competitions.list_places(found.row.id)}:
            raise Refused("refusal.cup-elsewhere")
        await context.store.competitions.add_place(found.row.id, asker.place.id, context.clock())
        context.signals.wake("competition")
        return Reply(Card(asker.mine.say("cup.done.show")), private=True, update=True)
    if found.stands.over:
        raise Refused("refusal.cup-over")
    if verb == "mine":
        return Reply(own_card(found, asker.mine, my_number(found, asker)), private=True)
    if verb == "leave":
        my_number(found, asker)
        return Reply(confirm_card(found, asker.mine, "leave"), private=True, update=True)
    if verb in ("run", "end", "out"):
        check_may_manage(found.row, asker)
        if verb == "out" and number not in found.stands.present:
            raise Refused("refusal.cup-not-in")
        if verb == "run":
            return Reply(manage_card(found, asker.mine), private=True)
        rest = (str(number),) if verb == "out" else ()
        return Reply(confirm_card(found, asker.mine, verb, *rest), private=True, update=True)
    raise Refused("refusal.stale")


async def _enter_by_code(context: Context, asker: RequestContext, code: str) -> Reply:
    reply = Reply(Card(asker.mine.say("league.done.join")), private=True)
    await leagues.enter_league(context, asker, code, reply)
    return reply


async def _create_league(context: Context, asker: RequestContext, values: Mapping[str, str]) -> Reply:
    key = await resolve_game_key(context, values["game"])
    if set(values) == {"game"}:
        return Reply(form_card(asker.mine, default_league_choice(key)), private=True)
    if not values.get("clock"):
        raise Refused("refusal.cup-clock", clocks=LEAGUE_CLOCKS)
    game = games[key]
    numbers = {name: _read_number(values, name) for name in NUMBER_BOUNDS}
    seats = numbers["seats"] or usual_seats(game)
    if seats not in game.seats:
        raise Refused("refusal.seats", game=key, least=game.seats[0], most=game.seats[-1], seats=seats)
    holidays = numbers["holidays"]
    if values.get("double") == YES and not game.facts.grand:
        raise Refused("refusal.cup-no-double", game=key)
    terms = LeagueTerms(
        game=key,
        clock=CLOCKS[values["clock"]] or 0,
        options=dict(game.checked_options(seats, read_options(asker.mine, game, values))),
        days=numbers["days"] or DEFAULT_SEASON_DAYS,
        seats=seats,
        fewest=fewest_seats(game, seats),
        least=numbers["least"] or 5,
        computers=values.get("fill", ""),
        holidays=DEFAULT_HOLIDAY_DAYS if holidays is None else holidays,
        double=tuple(sorted(game.facts.grand)) if values.get("double") == YES else (),
        entry=ENTRY_RULES[ENTRY_NAMES.index(values.get("entry", "here"))],
        rated=values.get("rated", YES) == YES,
    )
    reply = Reply(Card(asker.mine.of(key).say("league.created")), private=True)
    await make_league(context, asker, terms, reply)
    return reply


def _read_number(values: Mapping[str, str], name: str) -> int | None:
    if not values.get(name):
        return None
    value, (least, most) = int(values[name]), NUMBER_BOUNDS[name]
    if not least <= value <= most:
        raise Refused("refusal.out-of-range", field=name, value=value, least=least, most=most)
    return value


_DEEDS: Final = {
    "leave!": leagues.leave_league,
    "end!": leagues.end_league,
    "stay": leagues.stay,
    "start": leagues.start_now,
}
