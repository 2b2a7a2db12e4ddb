"""The commands and buttons of cups, and their export as a file."""

from collections.abc import Mapping
from typing import Final

from bot.competitions.sheets import page_count
from bot.core.context import Context
from bot.core.features import find_page
from bot.core.form_presses import open_form
from bot.core.request_context import RequestContext
from bot.cups import service as competitions
from bot.cups.cards import details_card, manage_card, table_card, tie_breaks_card, title_words
from bot.cups.form import FORM, is_start, read_terms
from bot.cups.job import start_now
from bot.cups.pictures import cup_picture
from bot.cups.service import CUPS, Cup, make_cup
from bot.interface.cards import Card
from bot.interface.presses import Press
from bot.interface.refusals import Refused
from bot.interface.requests import Reply
from bot.language.texts import Speaker, Text, join
from bot.matches.commands import (
    enter_by_code,
    list_here,
    press_shared,
    read_button,
)
from bot.pictures.artist import choose_theme
from bot.play.game_lookup import resolve_game_key
from engine import games

EMPTY_REPLY: Final = Reply()


async def cup(context: Context, asker: RequestContext, values: Mapping[str, str]) -> Reply:
    """Create a cup, enter one by its code, or list those in this place."""
    if values.get("join"):
        return await enter_by_code(context, asker, values["join"], CUPS)
    if values.get("game"):
        return await _create_cup(context, asker, values)
    if values:
        if values.get("starts") and not is_start(values["starts"]):
            await resolve_game_key(context, values["starts"])  # a word that is no time is probably meant as a game
        raise Refused("refusal.cup-game-needed", example=f"/cup {next(iter(games))} clock:1d")
    return await list_here(context, asker, CUPS, _write_line, FORM)


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
    values = {**values, "game": key}
    if set(values) == {"game"}:
        return await open_form(context, asker, FORM, values)
    reply = Reply(Card(asker.mine.of(key).say("cup.made")), private=True)
    await make_cup(context, asker, read_terms(context, asker, values), reply)
    return reply


_ENTRANT_ACTIONS = {"leave": CUPS.leave, "stay": competitions.stay, "start": start_now}
