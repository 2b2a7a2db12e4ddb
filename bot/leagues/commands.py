"""The command and buttons of leagues."""

from collections.abc import Mapping
from typing import Final

from bot.competitions.league.events import (
    MAX_GAMES_AT_ONCE,
)
from bot.core.context import Context
from bot.core.features import find_page
from bot.core.form_presses import open_form
from bot.core.request_context import RequestContext
from bot.interface.cards import Card
from bot.interface.presses import Press
from bot.interface.refusals import Refused
from bot.interface.requests import Reply
from bot.language.texts import Speaker, Text, join
from bot.leagues import service as leagues
from bot.leagues.cards import manage_card, own_card, table_card
from bot.leagues.form import FORM, read_terms
from bot.leagues.pictures import division_picture
from bot.leagues.service import LEAGUES, StoredLeague, make_league
from bot.matches.cards import season_title, sure_card
from bot.matches.commands import (
    enter_by_code,
    list_here,
    press_shared,
    read_button,
)
from bot.pictures.artist import choose_theme
from bot.play.game_lookup import resolve_game_key
from engine import games


async def league(context: Context, asker: RequestContext, values: Mapping[str, str]) -> Reply:
    """Make a league, enter one by its code, or list those of this place."""
    if values.get("join"):
        return await enter_by_code(context, asker, values["join"], LEAGUES)
    if values.get("game"):
        return await _create_league(context, asker, values)
    if values:
        raise Refused("refusal.league-game-needed", example=f"/league {next(iter(games))} clock:1d")
    return await list_here(context, asker, LEAGUES, _write_line, FORM)


def _write_line(found: StoredLeague, voice: Speaker) -> Text:
    line = voice.say("league.line", n=len(found.stands.present), code=found.row.id)
    return join([season_title(found, voice), line], " – ")


async def press_league(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """Handle a league's button."""
    button = read_button(pressed)
    shared = await press_shared(context, asker, button, LEAGUES, manage_card, back="table")
    if shared is not None:
        return shared
    verb, code, number = button.verb, button.code, button.number
    if verb in _DEEDS:
        reply = Reply(Card(asker.mine.say(f"league.done.{verb}")), private=True, update=verb == "start")
        await _DEEDS[verb](context, asker, code, reply)
        return reply
    if verb == "limit" and number is not None and 1 <= number <= MAX_GAMES_AT_ONCE:
        reply = Reply(Card(asker.mine.say("league.limit", n=number)), private=True, update=True)
        await leagues.set_limit(context, asker, code, number, reply)
        return reply
    found = await LEAGUES.find_for(context, asker, code)
    if verb == "table":
        season = found.stands.season
        mine = found.entrant_of(asker.person.id)
        # A member sees their own division first.
        own = season.division_of(mine) if season is not None and mine is not None else None
        at = min(number or own or 1, len(season.divisions) if season is not None else 1)
        theme = choose_theme(asker.person.settings, asker.place.settings)
        async with context.person_queue.turn(asker.person.id):
            picture = await division_picture(context, found, asker.mine, theme, at)
        page = await find_page(context, "league", found.row.id)
        return Reply(table_card(found, asker.mine, at, picture, page), private=True, update=bool(button.rest))
    if found.stands.over:
        raise Refused("refusal.cup-over")
    if verb == "mine":
        return Reply(own_card(found, asker.mine, LEAGUES.my_number(found, asker)), private=True)
    if verb == "leave":
        LEAGUES.my_number(found, asker)
        return Reply(sure_card(found, asker.mine, "leave", back="table"), private=True, update=True)
    raise Refused("refusal.stale")


async def _create_league(context: Context, asker: RequestContext, values: Mapping[str, str]) -> Reply:
    key = await resolve_game_key(context, values["game"])
    values = {**values, "game": key}
    if set(values) == {"game"}:
        return await open_form(context, asker, FORM, values)
    reply = Reply(Card(asker.mine.of(key).say("league.created")), private=True)
    await make_league(context, asker, read_terms(asker, values), reply)
    return reply


_DEEDS: Final = {"stay": leagues.stay, "start": leagues.start_now}
