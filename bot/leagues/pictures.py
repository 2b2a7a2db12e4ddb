"""Pictures of divisions' tables, with alt text that says the same."""

from functools import partial

from bot.competitions.league.tables import champions, division_competition, expected_moves
from bot.competitions.sheets import results_sheet
from bot.competitions.standings import format_points
from bot.core.context import Context
from bot.interface.cards import Picture
from bot.language.texts import Speaker, join, strip_styles
from bot.leagues.cards import division_lines
from bot.leagues.service import StoredLeague
from render.leagues import Division, Move, draw_division
from render.tournaments import GridCell, GridLine


async def division_picture(
    context: Context, league: StoredLeague, speaker: Speaker, theme: str, number: int = 1
) -> Picture | None:
    """Return the table of a division (from 1) as a picture; None without such a division or without pictures."""
    season = league.stands.season
    if season is None or not 1 <= number <= len(season.divisions):
        return None
    voice = speaker.of(league.row.game_key)
    own_games = [each for each in season.games if each.fixture.division == number]
    sheet = results_sheet(division_competition(league.stands, season, number))
    lines = tuple(
        GridLine(
            "" if line.row.place is None else str(line.row.place),
            league.name(line.row.entrant),
            tuple(tuple(GridCell(each.text, each.kind) for each in cell) for cell in line.cells),
            format_points(line.row.points),
            line.row.out,
            line.number,
        )
        for line in sheet.lines
    )
    moves: dict[int, Move] = {**expected_moves(league.stands, season, number)}
    if season.is_over and number == 1:
        moves |= dict.fromkeys(champions(league.stands, season), "champion")
    division = Division(
        number,
        len(season.divisions),
        sheet.labels,
        lines,
        tuple(moves.get(line.row.entrant, "") for line in sheet.lines),
        sum(each.is_done for each in own_games),
        len(own_games),
        season.is_over,
    )
    words = strip_styles(join(division_lines(league, voice, season, number), "; "))
    draw = partial(draw_division, f"{voice.line('name')} · {season.number}", division, theme)
    return await context.artist.chart(draw, words, f"league-{league.row.id}-{number}.png")
