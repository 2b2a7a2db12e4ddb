"""The command and buttons of ladders."""

from collections.abc import Mapping
from typing import Final

from bot.competitions.ladder.events import MAX_ANSWER_DAYS, MIN_ANSWER_DAYS, LadderTerms
from bot.core.commands import YES
from bot.core.context import Context
from bot.core.features import find_page
from bot.core.request_context import RequestContext
from bot.interface.cards import Card
from bot.interface.presses import Press
from bot.interface.refusals import Refused
from bot.interface.requests import Reply
from bot.ladders import service as ladders
from bot.ladders.cards import manage_card, own_card, page_count, table_card
from bot.ladders.form import DEFAULT_ANSWER_DAYS, FORM, list_ladder_games
from bot.ladders.pictures import ladder_picture
from bot.ladders.service import LADDERS, StoredLadder
from bot.language.texts import Span, Speaker, Text, join
from bot.lobby.commands import read_options
from bot.matches.cards import season_title, sure_card
from bot.matches.commands import enter_by_code, list_here, press_shared, read_button, read_entry_rule, read_number
from bot.matches.form import COMPETITION_CLOCKS
from bot.pictures.artist import choose_theme
from bot.play.clocks import CLOCKS
from bot.play.game_lookup import resolve_game_key
from engine import games

NUMBER_BOUNDS: Final = {"days": (MIN_ANSWER_DAYS, MAX_ANSWER_DAYS)}


async def ladder(context: Context, asker: RequestContext, values: Mapping[str, str]) -> Reply:
    """Make a ladder, join one by its code, or list those of this place."""
    if values.get("join"):
        return await enter_by_code(context, asker, values["join"], LADDERS)
    if values.get("game"):
        return await _create_ladder(context, asker, values)
    if values:
        raise Refused("refusal.ladder-game-needed", example=f"/ladder {list_ladder_games()[0]} clock:1d")
    return await list_here(context, asker, LADDERS, _write_line, FORM.games_card(asker.mine), FORM.form_press)


def _write_line(found: StoredLadder, voice: Speaker) -> Text:
    line = voice.say("ladder.line", n=len(found.stands.order), code=found.row.id)
    return join([season_title(found, voice), line], " – ")


async def press_ladder(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """Handle a ladder's button."""
    button = read_button(pressed)
    shared = await press_shared(context, asker, button, LADDERS, manage_card)
    if shared is not None:
        return shared
    verb, code, number = button.verb, button.code, button.number
    if verb == "challenge" and number is not None:
        found = await LADDERS.find_for(context, asker, code)
        who = Span(found.name(number), bold=True)
        words = asker.mine.say("ladder.done.challenge", who=who, n=found.stands.terms.days)
        reply = Reply(Card(words), private=True, update=True)
        await ladders.challenge(context, asker, code, number, reply)
        return reply
    if verb in ("accept", "concede", "withdraw") and number is not None:
        reply = Reply(Card(asker.mine.say(f"ladder.done.{verb}")), private=True)
        await ladders.answer_challenge(context, asker, code, number, verb, reply)
        return reply
    found = await LADDERS.find_for(context, asker, code)
    if verb == "table":
        page = min(number or 0, page_count(found) - 1)
        theme = choose_theme(asker.person.settings, asker.place.settings)
        async with context.person_queue.turn(asker.person.id):
            picture = await ladder_picture(context, found, asker.mine, theme, page)
        address = await find_page(context, "ladder", found.row.id)
        return Reply(table_card(found, asker.mine, page, picture, address), private=True, update=bool(button.rest))
    if found.stands.over:
        raise Refused("refusal.cup-over")
    if verb == "mine":
        return Reply(own_card(context, found, asker.mine, LADDERS.my_number(found, asker)), private=True)
    if verb == "leave":
        LADDERS.my_number(found, asker)
        return Reply(sure_card(found, asker.mine, "leave"), private=True, update=True)
    raise Refused("refusal.stale")


async def _create_ladder(context: Context, asker: RequestContext, values: Mapping[str, str]) -> Reply:
    key = await resolve_game_key(context, values["game"])
    if key not in list_ladder_games():
        raise Refused("refusal.ladder-not-for-two", game=key)
    if set(values) == {"game"}:
        return Reply(FORM.form_card(asker.mine, FORM.default_choice(key)), private=True)
    if not values.get("clock"):
        raise Refused("refusal.cup-clock", clocks=COMPETITION_CLOCKS)
    days = read_number(values, "days", NUMBER_BOUNDS) or DEFAULT_ANSWER_DAYS
    game = games[key]
    terms = LadderTerms(
        game=key,
        clock=CLOCKS[values["clock"]] or 0,
        options=dict(game.checked_options(2, read_options(asker.mine, game, values))),
        days=days,
        entry=read_entry_rule(values),
        rated=values.get("rated", YES) == YES,
    )
    reply = Reply(Card(asker.mine.of(key).say("ladder.created")), private=True)
    await LADDERS.make(context, asker, terms, reply)
    return reply
