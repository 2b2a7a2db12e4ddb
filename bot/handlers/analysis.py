"""A finished game looked at again by the computer: how the chances went, and what would have been better where."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from bot.context.asker import Asker
from bot.context.context import Context
from bot.handlers.finding import open_table, table_called
from bot.interface.cards import Button, Card
from bot.interface.presses import Press, press
from bot.interface.refusals import Refused
from bot.interface.requests import Reply
from bot.pictures.artist import theme_of
from bot.pictures.hint_marks import marks
from bot.presenters.analysis import (
    analysis_card,
    chances_alt,
    described,
    moment_card,
    position_of,
    read,
    steadied,
)
from bot.presenters.views import view_for
from bot.services.records import turns_of
from bot.tables.table import Table
from bot.thinking.analysis import Analysis, read_analysis
from engine import Turn
from render.chances import Mark, draw_chances
from render.games import pictures
from render.theme import SEATS


async def analyse(context: Context, asker: Asker, values: Mapping[str, str]) -> Reply:
    """Tell how the chances of a finished game went; without a code of the last one here, else of the asker's last."""
    return await show(context, asker, await _meant(context, asker, values.get("code")))


async def press_analyse(context: Context, asker: Asker, pressed: Press) -> Reply:
    """The button Analyse."""
    return await show(context, asker, await context.table(pressed.game or ""))


async def press_analysed(context: Context, asker: Asker, pressed: Press) -> Reply:
    """The button that looks whether an analysis is done, or leads back to it."""
    return replace(await press_analyse(context, asker, pressed), update=True)


async def press_better(context: Context, asker: Asker, pressed: Press) -> Reply:
    """A turn that decided, chosen to be looked at: the board with the better move marked."""
    table = await context.table(pressed.game or "")
    found = read_analysis(await context.store.analysis(table.row.id))
    at = int(pressed.rest) if pressed.rest.isdecimal() else -1
    if found is None or not 0 <= at < len(found.moments):
        raise Refused("refusal.stale")
    turns = await turns_of(context, table)
    moment = found.moments[at]
    table = table.spoken(asker.mine)
    state, shown = position_of(turns, moment)
    card = moment_card(table, found, at, turns, asker.mine)
    hint = marks(state.game.facts, read(state, moment.better))
    view = await view_for(context, asker, table, hint=hint, still=True)
    # Whoever looks on sees the goals of the seat whose move it was.
    view = view if view.reader is not None else replace(view, goals_of=moment.seat)
    picture = await context.artist.scene(state, shown, asker.mine.of(table.row.game), view, table.names)
    return Reply(replace(card, picture=described(picture, card.text)), private=True, update=True)


async def show(context: Context, asker: Asker, table: Table) -> Reply:
    """Show the analysis of a game that is over, begun now if there is none; Refused for others."""
    if table.row.status != "over":
        raise Refused("refusal.not-over-yet")
    async with context.one_by_one.turn(asker.person.id):
        return await _shown(context, asker, table)


async def _shown(context: Context, asker: Asker, table: Table) -> Reply:
    row = table.row
    turns = await turns_of(context, table) if table.line is not None else []
    if not turns:
        raise Refused("refusal.nothing-to-analyse")
    found = read_analysis(await context.store.analysis(row.id))
    if found is None:
        found = await context.advice.analysis(row.id, turns, asker.person.id, partial(_keep, context, row.id))
    if found is None:
        return Reply(_waiting(context, asker, table), private=True)
    return Reply(await _card(context, asker, table, found, turns), private=True)


async def _keep(context: Context, game: str, found: Analysis) -> None:
    await context.store.keep_analysis(game, found.to_json(), context.clock())


def _waiting(context: Context, asker: Asker, table: Table) -> Card:
    done, total = context.advice.progress(table.row.id)
    words = asker.mine.say("analysis.thinking", done=done, total=total)
    return Card(words, rows=((Button(asker.mine.line("button.look"), press("analysed", table.row.id), "primary"),),))


async def _card(context: Context, asker: Asker, table: Table, found: Analysis, turns: list[Turn]) -> Card:
    speaker, table = asker.mine, table.spoken(asker.mine)
    points = steadied(found.points)
    shown = [Mark(moment.turn, moment.seat) for moment in found.moments]
    shown += [Mark(swing.turn, swing.seat, dice=True) for swing in found.swings]
    title = speaker.line("analysis.picture", game=speaker.of(table.row.game).line("name"))
    theme = theme_of(asker.person.settings, asker.place.effective)
    sets = pictures[table.row.game].sets(turns[-1].after) if turns and table.row.game in pictures else SEATS
    picture = await context.artist.chart(
        partial(draw_chances, title, table.names, points, shown, theme, sets),
        chances_alt(table, points, speaker),
        f"{table.row.game}-{table.row.id}-chances.png",
    )
    return replace(analysis_card(table, found, turns, speaker), picture=picture)


async def _meant(context: Context, asker: Asker, code: str | None) -> Table:
    if code:
        return await table_called(context, code)
    opened = await open_table(context, asker)
    if opened is not None and opened.row.status == "over":
        return opened
    last = await context.store.last_over_in(asker.place.id)
    if last is None:
        results = await context.store.results_of_person(asker.person.id, limit=1)
        if not results:
            raise Refused("refusal.nothing-to-repeat")
        last = results[-1].game
    return await context.table(last)
