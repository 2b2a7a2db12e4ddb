"""A finished game looked at again by the computer: how the chances went, and what would have been better where."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from bot.artist import View, theme_of
from bot.cards import Button, Card
from bot.handlers.finding import table_called
from bot.house import Asker, House
from bot.presenters.analysis import (
    analysis_card,
    chances_alt,
    described,
    moment_card,
    position_of,
    read,
    steadied,
)
from bot.presses import Press, press
from bot.refusals import Refused
from bot.requests import Reply
from bot.services.analysis import Analysis, read_analysis
from bot.services.records import turns_of
from bot.services.tables import Table
from bot.suggestion import marks
from engine import Turn
from render.chances import Mark, draw_chances


async def analyse(house: House, asker: Asker, values: Mapping[str, str]) -> Reply:
    """Tell how the chances of a finished game went; without a code of the last one here, else of the asker's last."""
    return await show(house, asker, await _meant(house, asker, values.get("code")))


async def press_analyse(house: House, asker: Asker, pressed: Press) -> Reply:
    """The button Analyse."""
    return await show(house, asker, await house.table(pressed.game or ""))


async def press_analysed(house: House, asker: Asker, pressed: Press) -> Reply:
    """The button that looks whether an analysis is done, or leads back to it."""
    return replace(await press_analyse(house, asker, pressed), update=True)


async def press_better(house: House, asker: Asker, pressed: Press) -> Reply:
    """A turn that decided, chosen to be looked at: the board with the better move marked."""
    table = await house.table(pressed.game or "")
    found = read_analysis(await house.store.analysis(table.row.id))
    at = int(pressed.rest) if pressed.rest.isdecimal() else -1
    if found is None or not 0 <= at < len(found.moments):
        raise Refused("refusal.stale")
    turns = await turns_of(house, table)
    moment = found.moments[at]
    table = table.spoken(asker.mine)
    state, shown = position_of(turns, moment)
    card = moment_card(table, found, at, turns, asker.mine)
    seat = table.seat_of(asker.person.id)
    view = View(
        viewer=moment.seat if seat is None else seat,
        theme=theme_of(asker.person.settings, asker.place.effective),
        hint=marks(state.game.facts, read(state, moment.better)),
    )
    picture = await house.artist.scene(state, shown, asker.mine.of(table.row.game), view, table.names)
    return Reply(replace(card, picture=described(picture, card.text)), private=True, update=True)


async def show(house: House, asker: Asker, table: Table) -> Reply:
    """Show the analysis of a game that is over, begun now if there is none; Refused for others."""
    row = table.row
    if row.status != "over":
        raise Refused("refusal.not-over-yet")
    turns = await turns_of(house, table) if table.line is not None else []
    if not turns:
        raise Refused("refusal.nothing-to-analyse")
    found = read_analysis(await house.store.analysis(row.id))
    if found is None:
        found = await house.advice.analysis(row.id, turns, asker.person.id, partial(_keep, house, row.id))
    if found is None:
        return Reply(_waiting(house, asker, table), private=True)
    return Reply(await _card(house, asker, table, found, turns), private=True)


async def _keep(house: House, game: str, found: Analysis) -> None:
    await house.store.keep_analysis(game, found.to_json(), house.clock())


def _waiting(house: House, asker: Asker, table: Table) -> Card:
    done, total = house.advice.progress(table.row.id)
    words = asker.mine.say("analysis.thinking", done=done, total=total)
    return Card(words, rows=((Button(asker.mine.line("button.look"), press("analysed", table.row.id), "primary"),),))


async def _card(house: House, asker: Asker, table: Table, found: Analysis, turns: list[Turn]) -> Card:
    speaker, table = asker.mine, table.spoken(asker.mine)
    points = steadied(found.points)
    shown = [Mark(moment.turn, moment.seat) for moment in found.moments]
    shown += [Mark(swing.turn, swing.seat, dice=True) for swing in found.swings]
    title = speaker.line("analysis.picture", game=speaker.of(table.row.game).line("name"))
    theme = theme_of(asker.person.settings, asker.place.effective)
    picture = await house.artist.chart(
        partial(draw_chances, title, table.names, points, shown, theme),
        chances_alt(table, points, speaker),
        f"{table.row.game}-{table.row.id}-chances.png",
    )
    return replace(analysis_card(table, found, turns, speaker), picture=picture)


async def _meant(house: House, asker: Asker, code: str | None) -> Table:
    if code:
        return await table_called(house, code)
    last = await house.store.last_over_in(asker.place.id)
    if last is None:
        results = await house.store.results_of_person(asker.person.id, limit=1)
        if not results:
            raise Refused("refusal.nothing-to-repeat")
        last = results[-1].game
    return await house.table(last)
