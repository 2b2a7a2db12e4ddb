"""The command and buttons of ladders."""

from collections.abc import Mapping

from bot.core.context import Context
from bot.core.features import find_page
from bot.core.form_presses import open_form
from bot.core.request_context import RequestContext
from bot.interface.cards import Card
from bot.interface.presses import Press
from bot.interface.refusals import Refused
from bot.interface.requests import Reply
from bot.ladders import service as ladders
from bot.ladders.cards import manage_card, own_card, page_count, table_card
from bot.ladders.form import FORM, list_ladder_games, read_terms
from bot.ladders.pictures import ladder_picture
from bot.ladders.service import LADDERS, StoredLadder
from bot.language.texts import Span, Speaker, Text, join
from bot.matches.cards import season_title, sure_card
from bot.matches.commands import enter_by_code, list_here, press_shared, read_button
from bot.pictures.artist import choose_theme
from bot.play.game_lookup import resolve_game_key


async def ladder(context: Context, asker: RequestContext, values: Mapping[str, str]) -> Reply:
    """Make a ladder, join one by its code, or list those of this place."""
    if values.get("join"):
        return await enter_by_code(context, asker, values["join"], LADDERS)
    if values.get("game"):
        return await _create_ladder(context, asker, values)
    if values:
        raise Refused("refusal.ladder-game-needed", example=f"/ladder {list_ladder_games()[0]} clock:1d")
    return await list_here(context, asker, LADDERS, _write_line, FORM)


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
    values = {**values, "game": key}
    if set(values) == {"game"} and key in list_ladder_games():
        return await open_form(context, asker, FORM, values)
    reply = Reply(Card(asker.mine.of(key).say("ladder.created")), private=True)
    await LADDERS.make(context, asker, read_terms(asker, values), reply)
    return reply
