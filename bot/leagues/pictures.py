"""Pictures of divisions' tables, with the same in words for readers who do not see them."""

from __future__ import annotations

from functools import partial

from bot.competitions.league.tables import division_competition
from bot.competitions.sheets import results_sheet
from bot.competitions.standings import format_points
from bot.core.context import Context
from bot.interface.cards import Picture
from bot.language.texts import Speaker, join, plain
from bot.leagues.cards import division_lines
from bot.leagues.service import StoredLeague
from render.tournaments import GridCell, GridLine, draw_grid


async def division_picture(
    context: Context, league: StoredLeague, speaker: Speaker, theme: str, number: int = 1
) -> Picture | None:
    """Return the table of a division (from 1) as a picture; None without one, and where pictures are not drawn."""
    season = league.stands.season
    if season is None or not 1 <= number <= len(season.divisions):
        return None
    voice = speaker.of(league.row.game_key)
    sheet = results_sheet(division_competition(league.stands, season, number))
    lines = [
        GridLine(
            "" if line.row.place is None else str(line.row.place),
            f"{line.number} · {league.name(line.row.entrant)}" if line.number else league.name(line.row.entrant),
            tuple(tuple(GridCell(each.text, each.kind) for each in cell) for cell in line.cells),
            format_points(line.row.points),
            line.row.out,
        )
        for line in sheet.lines
    ]
    title = f"{voice.line('name')} · {season.number}"
    if len(season.divisions) > 1:
        title = f"{title} · {number} / {len(season.divisions)}"
    words = plain(join(division_lines(league, voice, season, number), "; "))
    draw = partial(draw_grid, title, sheet.labels, lines, theme)
    return await context.artist.chart(draw, words, f"league-{league.row.id}-{number}.png")
