"""Ladders: making, joining, leaving, running and looking at them, and challenges."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bot.competitions.ladder.events import LADDER_CODEC, MAX_ANSWER_DAYS, MIN_ANSWER_DAYS, LadderTerms
from bot.core.commands import YES
from bot.core.context import Context
from bot.core.question_cards import button_rows
from bot.core.request_context import RequestContext
from bot.interface.cards import Button, Card
from bot.interface.presses import Press, press
from bot.interface.refusals import Refused, refusal_words
from bot.interface.requests import Reply
from bot.ladders import service as ladders
from bot.ladders.cards import confirm_card, ladder_press, manage_card, own_card, page_count, table_card, title_words
from bot.ladders.form import (
    DEFAULT_ANSWER_DAYS,
    ENTRY_RULES,
    FORM_PRESS,
    LADDER_CLOCKS,
    default_ladder_choice,
    form_card,
    ladder_games_card,
    list_ladder_games,
)
from bot.ladders.pictures import ladder_picture
from bot.ladders.service import StoredLadder, find_ladder, make_ladder, read_ladder
from bot.language.texts import Span, join
from bot.lobby.commands import read_options
from bot.matches.export import export_season
from bot.matches.stored import check_may_manage
from bot.pictures.artist import choose_theme
from bot.play.clocks import CLOCKS
from bot.play.game_lookup import resolve_game_key
from engine import games

ENTRY_NAMES: Final = ("here", "server", "code")
MAX_LADDERS_LISTED: Final = 8


async def ladder(context: Context, asker: RequestContext, values: Mapping[str, str]) -> Reply:
    """Make a ladder, join one by its code, or show those that there are here."""
    if values.get("join"):
        return await _join_by_code(context, asker, values["join"])
    if values.get("game"):
        return await _create_ladder(context, asker, values)
    if values:
        raise Refused("refusal.ladder-game-needed", example=f"/ladder {list_ladder_games()[0]} clock:1d")
    rows = await context.store.competitions.list_in_place(asker.place.id, MAX_LADDERS_LISTED, kind="ladder")
    speaker = asker.mine
    if not rows:
        card = ladder_games_card(speaker)
        return Reply(Card(join([speaker.say("ladder.none"), card.text]), rows=card.rows), private=True)
    parts, buttons = [speaker.say("ladder.here")], []
    for row in rows:
        try:
            found = await read_ladder(context, row)
        except Refused as refused:
            parts.append(refusal_words(speaker, refused))  # the others are shown all the same
            continue
        voice = speaker.of(row.game_key)
        line = voice.say("ladder.line", n=len(found.stands.order), code=row.id)
        parts.append(join([title_words(found, voice), line], " – "))
        buttons.append(Button(f"{voice.line('name')} · {row.id}", ladder_press("show", row.id)))
    buttons.append(Button(speaker.line("button.ladder.new"), press(FORM_PRESS, None, 0, "0"), "primary"))
    return Reply(Card(join(parts), rows=button_rows(buttons)), private=True)


async def press_ladder(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """A button of a ladder."""
    verb, code, *rest = (*pressed.path, "", "")[:4] if len(pressed.path) < 2 else pressed.path
    number = int(rest[0]) if rest and rest[0].isdecimal() and len(rest[0]) < 7 else None
    if verb == "join":
        return await _join_by_code(context, asker, code)
    if verb in ("leave!", "end!"):
        deed = verb.rstrip("!")
        reply = Reply(Card(asker.mine.say(f"ladder.done.{deed}")), private=True, update=True)
        await (ladders.leave_ladder if deed == "leave" else ladders.end_ladder)(context, asker, code, reply)
        return reply
    if verb == "out!" and number is not None:
        reply = Reply(Card(asker.mine.say("cup.done.out")), private=True, update=True)
        await ladders.exclude(context, asker, code, number, reply)
        return reply
    if verb == "challenge" and number is not None:
        found = await find_ladder(context, code)
        who = Span(found.name(number), bold=True)
        words = asker.mine.say("ladder.done.challenge", who=who, n=found.stands.terms.days)
        reply = Reply(Card(words), private=True, update=True)
        await ladders.challenge(context, asker, code, number, reply)
        return reply
    if verb in ("accept", "concede", "withdraw") and number is not None:
        reply = Reply(Card(asker.mine.say(f"ladder.done.{verb}")), private=True)
        await ladders.answer_challenge(context, asker, code, number, verb, reply)
        return reply
    found = await find_ladder(context, code)
    if verb in ("export", "json"):
        return await export_ladder(context, asker, found, programs=verb == "json")
    return await _look(context, asker, found, verb, number, turned=bool(rest))


async def export_ladder(
    context: Context, asker: RequestContext, found: StoredLadder, *, programs: bool = False
) -> Reply:
    """Give a whole ladder as a file, for people or for programs."""
    return await export_season(context, asker, found, "ladder", LADDER_CODEC, programs=programs)


async def _look(
    context: Context, asker: RequestContext, found: StoredLadder, verb: str, number: int | None, *, turned: bool
) -> Reply:
    """Answer a button that changes nothing on a ladder."""
    if verb == "table":
        page = min(number or 0, page_count(found) - 1)
        theme = choose_theme(asker.person.settings, asker.place.settings)
        async with context.person_queue.turn(asker.person.id):
            picture = await ladder_picture(context, found, asker.mine, theme, page)
        return Reply(table_card(found, asker.mine, page, picture), private=True, update=turned)
    if verb == "show":
        if asker.place.id not in {each.place.id for each in await context.store.competitions.list_places(found.row.id)}:
            raise Refused("refusal.cup-elsewhere")
        await context.store.competitions.add_place(found.row.id, asker.place.id, context.clock())
        context.signals.wake("competition")
        return Reply(Card(asker.mine.say("cup.done.show")), private=True, update=True)
    if found.stands.over:
        raise Refused("refusal.cup-over")
    if verb in ("mine", "leave"):
        mine = found.entrant_of(asker.person.id)
        if mine is None or mine not in found.stands.order:
            raise Refused("refusal.ladder.not-in")
        if verb == "mine":
            return Reply(own_card(context, found, asker.mine, mine), private=True)
        return Reply(confirm_card(found, asker.mine, "leave"), private=True, update=True)
    if verb in ("run", "end", "out"):
        check_may_manage(found.row, asker)
        if verb == "out" and number not in found.stands.order:
            raise Refused("refusal.cup-not-in")
        if verb == "run":
            return Reply(manage_card(found, asker.mine), private=True)
        rest = (str(number),) if verb == "out" else ()
        return Reply(confirm_card(found, asker.mine, verb, *rest), private=True, update=True)
    raise Refused("refusal.stale")


async def _join_by_code(context: Context, asker: RequestContext, code: str) -> Reply:
    reply = Reply(Card(asker.mine.say("ladder.done.join")), private=True)
    await ladders.join_ladder(context, asker, code, reply)
    return reply


async def _create_ladder(context: Context, asker: RequestContext, values: Mapping[str, str]) -> Reply:
    key = await resolve_game_key(context, values["game"])
    if key not in list_ladder_games():
        raise Refused("refusal.ladder-not-for-two", game=key)
    if set(values) == {"game"}:
        return Reply(form_card(asker.mine, default_ladder_choice(key)), private=True)
    if not values.get("clock"):
        raise Refused("refusal.cup-clock", clocks=LADDER_CLOCKS)
    days = int(values.get("days") or DEFAULT_ANSWER_DAYS)
    if not MIN_ANSWER_DAYS <= days <= MAX_ANSWER_DAYS:
        raise Refused("refusal.out-of-range", field="days", value=days, least=MIN_ANSWER_DAYS, most=MAX_ANSWER_DAYS)
    game = games[key]
    terms = LadderTerms(
        game=key,
        clock=CLOCKS[values["clock"]] or 0,
        options=dict(game.checked_options(2, read_options(asker.mine, game, values))),
        days=days,
        entry=ENTRY_RULES[ENTRY_NAMES.index(values.get("entry", "here"))],
        rated=values.get("rated", YES) == YES,
    )
    reply = Reply(Card(asker.mine.of(key).say("ladder.created")), private=True)
    await make_ladder(context, asker, terms, reply)
    return reply
