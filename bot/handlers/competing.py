"""Competitions: making, entering, leaving, running and looking at them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Final

from bot.competitions.events import (
    FEWEST_ENTRANTS,
    MOST_ALL,
    MOST_ENTRANTS,
    MOST_ROUNDS,
    CupTerms,
    Format,
)
from bot.competitions.sheets import pages_of
from bot.context.asker import Asker
from bot.context.context import Context
from bot.handlers.cup_choice import CUP_CLOCKS, ENTRIES, chosen_cup, cup_games_card, form_card
from bot.handlers.finding import game_key
from bot.handlers.lobby import YES, options_of
from bot.interface.cards import Attachment, Button, Card
from bot.interface.presses import Press, press
from bot.interface.refusals import Refused, worded
from bot.interface.requests import Reply
from bot.language.texts import join
from bot.pictures.artist import theme_of
from bot.presenters.asking import button_rows
from bot.presenters.competitions import cup_press, run_card, sure_card, table_card, ties_card, title_words
from bot.presenters.cup_pictures import cup_picture
from bot.services import competitions
from bot.services.clocks import CLOCKS, zone
from bot.services.competitions import Cup, find_cup, make_cup, read_cup
from bot.services.cup_export import cup_file
from bot.services.rounds import start_now
from engine import games

NO_WORDS: Final = Reply()
MOST_HOLIDAYS: Final = 30
SERVER: Final = "server"
ENTRY_NAMES: Final = ("here", SERVER, "code")
MOST_SHOWN: Final = 8

_AHEAD: Final = re.compile(r"(\d{1,3})\s*([mhd])")
_UNITS: Final = {"m": "minutes", "h": "hours", "d": "days"}
_BOUNDS: Final = {
    "players": (FEWEST_ENTRANTS, MOST_ENTRANTS),
    "least": (FEWEST_ENTRANTS, MOST_ENTRANTS),
    "rounds": (1, MOST_ROUNDS),
    "holidays": (0, MOST_HOLIDAYS),
    "seats": (2, 5),
}


async def cup(context: Context, asker: Asker, values: Mapping[str, str]) -> Reply:
    """Make a competition, enter one by its code, or show those that there are here."""
    if values.get("join"):
        return await _entered(context, asker, values["join"])
    if values.get("game"):
        return await _made(context, asker, values)
    if values:
        if values.get("starts") and _AHEAD.fullmatch(values["starts"]) is None:
            await game_key(context, values["starts"])  # a word that is neither is meant as a game
        raise Refused("refusal.cup-game-needed", example=f"/cup {next(iter(games))} clock:1d")
    rows = await context.store.competitions_in(asker.place.id, MOST_SHOWN)
    speaker = asker.mine
    if not rows:
        card = cup_games_card(speaker)
        return Reply(Card(join([speaker.say("cup.none"), card.text]), rows=card.rows), private=True)
    parts, buttons = [speaker.say("cup.here")], []
    for row in rows:
        try:
            found = await read_cup(context, row)
        except Refused as refused:
            parts.append(worded(speaker, refused))  # the others are shown all the same
            continue
        voice = speaker.of(row.game_key)
        parts.append(join([title_words(found, voice), voice.say(f"cup.stage.{found.stands.stage}")], " – "))
        buttons.append(Button(f"{voice.line('name')} · {row.id}", cup_press("show", row.id)))
    buttons.append(Button(speaker.line("button.cup.new"), press("cupnew", None, 0, "0"), "primary"))
    return Reply(Card(join(parts), rows=button_rows(buttons)), private=True)


async def press_cup(context: Context, asker: Asker, pressed: Press) -> Reply:
    """A button of a competition."""
    verb, code, *rest = (*pressed.path, "", "")[:4] if len(pressed.path) < 2 else pressed.path
    if verb == "join":
        return await _entered(context, asker, code)
    if verb in _OWN:
        reply = Reply(Card(asker.mine.say(f"cup.done.{verb}")), private=True)
        await _OWN[verb](context, asker, code, reply)
        return reply
    if verb == "give":
        await competitions.give(context, asker, code, NO_WORDS)
        return NO_WORDS
    if verb in ("pause", "resume", "end!"):
        deed = verb.rstrip("!")
        reply = Reply(Card(asker.mine.say(f"cup.done.{deed}")), private=True, update=True)
        await competitions.run(context, asker, code, deed, reply)
        return reply
    entrant = int(rest[0]) if rest and rest[0].isdecimal() and len(rest[0]) < 4 else None
    if verb == "out!" and entrant is not None:
        reply = Reply(Card(asker.mine.say("cup.done.out")), private=True, update=True)
        await competitions.exclude(context, asker, code, entrant, reply)
        return reply
    found = await find_cup(context, code)
    if verb == "table":
        return await _table(context, asker, found, entrant or 0, turned=bool(rest))
    if verb in ("export", "json"):
        return await give_cup(context, asker, found, programs=verb == "json")
    if verb == "ties":
        return Reply(ties_card(found, asker.mine), private=True)
    if verb == "show":
        if asker.place.id not in {each.place.id for each in await context.store.competition_places(found.row.id)}:
            raise Refused("refusal.cup-elsewhere")
        await context.store.show_competition(found.row.id, asker.place.id, context.clock())
        context.signals.competitions.set()
        return Reply(Card(asker.mine.say("cup.done.show")), private=True, update=True)
    if verb in ("run", "end", "out"):
        competitions.see_that_they_run(found, asker)
        if found.stands.stage == "over":
            raise Refused("refusal.cup-over")
        if verb == "out" and entrant not in found.stands.inside:
            raise Refused("refusal.cup-not-in")
        if verb == "run":
            return Reply(run_card(found, asker.mine), private=True, update=False)
        return Reply(sure_card(found, asker.mine, verb, *rest[:1]), private=True, update=True)
    raise Refused("refusal.stale")


async def give_cup(context: Context, asker: Asker, found: Cup, *, programs: bool = False) -> Reply:
    """Give a whole competition as a file, for people or for programs."""
    async with context.one_by_one.turn(asker.person.id):
        whole = await cup_file(context, found)
        content = whole.json() if programs else whole.text()
    file = Attachment(f"cup-{found.row.id}.{'json' if programs else 'txt'}", content.encode())
    other = Button(asker.mine.line("button.cup.json"), cup_press("json", found.row.id))
    rows = () if programs else ((other,),)
    key = "cup.export.over" if whole.seed is not None else "cup.export.running"
    return Reply(Card(asker.mine.say(key, code=found.row.id), rows=rows, file=file), private=True)


async def _table(context: Context, asker: Asker, found: Cup, page: int, *, turned: bool) -> Reply:
    page = min(page, pages_of(found.stands) - 1)
    theme = theme_of(asker.person.settings, asker.place.settings)
    async with context.one_by_one.turn(asker.person.id):
        picture = await cup_picture(context, found, asker.mine, theme, page)
    return Reply(table_card(found, asker.mine, page, picture), private=True, update=turned)


async def _entered(context: Context, asker: Asker, code: str) -> Reply:
    reply = Reply(Card(asker.mine.say("cup.done.join")), private=True)
    await competitions.enter(context, asker, code, reply)
    return reply


async def _made(context: Context, asker: Asker, values: Mapping[str, str]) -> Reply:
    key = await game_key(context, values["game"])
    if set(values) == {"game"}:
        return Reply(form_card(context, asker.mine, chosen_cup(key)), private=True)
    if not values.get("clock"):
        raise Refused("refusal.cup-clock", clocks=CUP_CLOCKS)
    terms = await _terms(context, asker, key, values)
    reply = Reply(Card(asker.mine.of(key).say("cup.made")), private=True)
    await make_cup(context, asker, terms, reply)
    return reply


async def _terms(context: Context, asker: Asker, key: str, values: Mapping[str, str]) -> CupTerms:
    game = games[key]
    numbers = {name: _number(values, name) for name in _BOUNDS}
    kind = Format(values["format"]) if values.get("format") else Format.ALL if game.seats[0] <= 2 else Format.TABLES
    if kind == Format.TABLES and game.seats[-1] < 3:
        raise Refused("refusal.cup-no-tables", game=key)
    seats = (numbers["seats"] or game.seats[-1]) if kind == Format.TABLES else 2
    if seats not in game.seats:
        raise Refused("refusal.seats", game=key, least=game.seats[0], most=game.seats[-1], seats=seats)
    all_play_all = kind in (Format.ALL, Format.TWICE)
    most = numbers["players"] or MOST_ALL
    if all_play_all and most > MOST_ALL:
        raise Refused("refusal.cup-too-many-for-all", most=MOST_ALL, n=most)
    if values.get("double") == YES and not game.facts.grand:
        raise Refused("refusal.cup-no-double", game=key)
    terms = CupTerms(
        game=key,
        format=kind,
        clock=CLOCKS[values["clock"]] or 0,
        options=dict(game.checked_options(seats, options_of(asker.mine, game, values))),
        seats=seats,
        fewest=min(seats, max(2, game.seats[0], 3 if kind == Format.TABLES else 2)),
        rounds=numbers["rounds"] or 0,
        least=numbers["least"] or min(FEWEST_ENTRANTS, most),
        most=most,
        starts_at=_start(context, asker, values["starts"]) if values.get("starts") else None,
        lapses=values.get("lapse") == YES,
        entry=ENTRIES[ENTRY_NAMES.index(values.get("entry", "here"))],
        computers=values.get("fill", ""),
        holidays=numbers["holidays"] or 0,
        double=tuple(sorted(game.facts.grand)) if values.get("double") == YES else (),
        rated=values.get("rated", YES) == YES,
    )
    if terms.least > terms.most:
        raise Refused("refusal.cup-least", least=terms.least, most=terms.most)
    return terms


def _number(values: Mapping[str, str], name: str) -> int | None:
    if not values.get(name):
        return None
    value, (least, most) = int(values[name]), _BOUNDS[name]
    if not least <= value <= most:
        raise Refused("refusal.out-of-range", field=name, value=value, least=least, most=most)
    return value


def _start(context: Context, asker: Asker, text: str) -> datetime:
    """Return when somebody wants a competition to start: so long from now, or a day and a time of theirs."""
    ahead = _AHEAD.fullmatch(text.strip().lower())
    if ahead is not None:
        return context.clock() + timedelta(**{_UNITS[ahead[2]]: int(ahead[1])})
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise Refused("refusal.cup-when", text=text[:20]) from None
    return (moment if moment.tzinfo else moment.replace(tzinfo=zone(asker.person.settings))).astimezone(UTC)


_OWN = {"leave": competitions.leave, "stay": competitions.stay, "start": start_now}
