"""Whole games in one picture: animated, or the positions that tell most on one sheet."""

from __future__ import annotations

from typing import Final

from bot.core.context import Context
from bot.core.request_context import RequestContext
from bot.interface.cards import Animation, Button, Card, Picture
from bot.interface.presses import press
from bot.interface.refusals import Refused
from bot.interface.requests import Reply
from bot.language.rich_text import plain
from bot.language.texts import Speaker, join
from bot.play.records import export_record
from bot.play.views import private_view
from bot.tables.table import Table
from bot.words.describe import MAX_ALT_LENGTH, alt_text, shorten, turn_count
from engine import Turn, games
from render.projector import Show

ALT_SUMMARY_LENGTH: Final = 200
"""How much of a description is for what kind of picture it is."""


async def film_reply(context: Context, asker: RequestContext, table: Table) -> Reply | None:
    """Return a whole game as an animation; None where nothing can be shown or drawn."""
    found = await _render_show(context, asker, table)
    if found is None:
        return None
    show, turns = found
    speaker, voice = asker.mine, asker.mine.of(table.row.game)
    code, name, count = table.row.id, voice.line("name"), turn_count(voice, games[table.row.game], len(turns))
    still = _picture(show, table, _alt(speaker, table, turns, speaker.line("film.alt", game=name, turns=count)))
    moving = Animation(show.film.gif, f"{table.row.game}-{code}.gif", show.film.size)
    picture = Picture(still.png, still.alt, still.name, still.size, animation=moving)
    title = speaker.say("film.title", game=name, code=code, turns=count)
    rows = [
        Button(speaker.line("button.turns"), press("replay", code, 0, "0")),
        Button(speaker.line("button.sheet"), press("sheet", code, 0)),
        Button(speaker.line("button.export"), press("export", code, 0)),
    ]
    if table.row.status == "over":
        rows.append(Button(speaker.line("button.analyse"), press("analyse", code, 0)))
    return Reply(Card(title, picture, rows=(tuple(rows),)), private=True)


async def sheet_reply(context: Context, asker: RequestContext, table: Table) -> Reply | None:
    """Return the telling positions of a game on one sheet; None where nothing can be shown or drawn."""
    found = await _render_show(context, asker, table)
    if found is None:
        return None
    show, turns = found
    speaker, voice = asker.mine, asker.mine.of(table.row.game)
    title = speaker.say("sheet.title", game=voice.line("name"), code=table.row.id)
    key = f"sheet.{games[table.row.game].facts.turn}"
    said = voice.say(key, numbers=", ".join(map(str, show.sheet.numbers)))
    picture = _picture(show, table, _alt(speaker, table, turns, plain(said)))
    return Reply(Card(join([title, said]), picture), private=True)


async def _render_show(context: Context, asker: RequestContext, table: Table) -> tuple[Show, list[Turn]] | None:
    if table.line is None:
        raise Refused("refusal.not-started", code=table.row.id)
    table = table.in_language(asker.mine)
    async with export_record(context, table) as record:
        start, turns = record.first_state(), list(record.turns())
    if not turns:
        return None
    view = await private_view(context, asker, table, still=True)
    show = await context.artist.show(table, start, turns, view.theme, view.viewer)
    return None if show is None else (show, turns)


def _picture(show: Show, table: Table, alt: str) -> Picture:
    return Picture(show.sheet.png, alt, f"{table.row.game}-{table.row.id}.png", show.sheet.size)


def _alt(speaker: Speaker, table: Table, turns: list[Turn], what: str) -> str:
    """Return what kind of picture it is, and what the game came to."""
    first = shorten(what, ALT_SUMMARY_LENGTH)
    last, table = turns[-1], table.in_language(speaker)
    end = alt_text(speaker.of(table.row.game), last.after, last, table.names, MAX_ALT_LENGTH - len(first) - 1)
    return f"{first} {end}"
