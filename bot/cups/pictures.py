"""Pictures of the tables of cups, each with the same content as alt text."""

from collections.abc import Callable
from functools import partial

from bot.competitions.events import Format
from bot.competitions.sheets import bracket_sheet, current_page, page_count, results_sheet
from bot.competitions.standings import format_points
from bot.core.context import Context
from bot.cups.service import Cup
from bot.interface.cards import Picture
from bot.language.texts import Parameter, Speaker, join, strip_styles
from render.charts import Chart
from render.tournaments import BracketTie, GridCell, GridLine, draw_bracket, draw_grid


async def cup_picture(
    context: Context, cup: Cup, speaker: Speaker, theme: str, page: int | None = None
) -> Picture | None:
    """Return a page of a cup's table as a picture, by default the page that matters now.

    None before the start, for a page that does not exist, and where pictures are not drawn.
    """
    stands = cup.stands
    at = current_page(stands) if page is None else page
    if not stands.lots or not 0 <= at < page_count(stands):
        return None
    voice = speaker.of(cup.row.game_key)
    title = voice.line("name")
    if stands.terms.format == Format.KNOCKOUT:
        if (pages := page_count(stands)) > 1:
            title = f"{title} · {at + 1} / {pages}"
        draw, words = _bracket(cup, at, title, theme), _bracket_words(cup, voice, at)
    else:
        sheet = results_sheet(stands, at)
        if page_count(stands) > 1:
            title = f"{title} · {sheet.first}–{sheet.first + len(sheet.lines) - 1} / {len(stands.lots)}"
        draw, words = _results(cup, at, title, theme), _results_words(cup, voice, at)
    return await context.artist.chart(draw, words, f"cup-{cup.row.id}-{at + 1}.png")


def _results(cup: Cup, page: int, title: str, theme: str) -> Callable[[], Chart]:
    sheet = results_sheet(cup.stands, page)
    lines = [
        GridLine(
            "" if line.row.place is None else str(line.row.place),
            cup.name(line.row.entrant),
            tuple(tuple(GridCell(each.text, each.kind) for each in cell) for cell in line.cells),
            format_points(line.row.points),
            line.row.out,
            line.number,
        )
        for line in sheet.lines
    ]
    return partial(draw_grid, title, sheet.labels, lines, theme)


def _bracket(cup: Cup, page: int, title: str, theme: str) -> Callable[[], Chart]:
    columns = [
        [
            BracketTie(
                (_name(cup, tie.one), _name(cup, tie.two)),
                None if tie.winner is None else (tie.one, tie.two).index(tie.winner),
            )
            for tie in column
        ]
        for column in bracket_sheet(cup.stands, page)
    ]
    return partial(draw_bracket, title, columns, theme)


def _name(cup: Cup, entrant: int | None) -> str:
    return "" if entrant is None else cup.name(entrant)


def _results_words(cup: Cup, voice: Speaker, page: int) -> str:
    """Return a page of a table in words: for each row the place, the name, points and results."""
    lines = []
    for line in results_sheet(cup.stands, page).lines:
        row = line.row
        said: dict[str, Parameter] = {
            "who": cup.name(row.entrant),
            "points": voice.say("cup.points", n=1 if row.points == 1 else 2, points=format_points(row.points)),
            "wins": voice.say("leaders.wins", n=row.wins),
            "draws": voice.say("leaders.draws", n=row.draws),
            "losses": voice.say("leaders.losses", n=row.losses),
        }
        if row.place is None:
            lines.append(voice.say("cup.picture.unplaced", **said))
        else:
            lines.append(voice.say("cup.picture.line", place=row.place, **said))
    return strip_styles(join(lines, "; "))


def _bracket_words(cup: Cup, voice: Speaker, page: int) -> str:
    """Return a page of a bracket in words, the newest round first: the pairings, who advanced, byes, the winner."""
    lines = []
    stands = cup.stands
    columns = bracket_sheet(stands, page)
    last = (len(stands.lots) - 1).bit_length()
    before = last - len(columns) if page == page_count(stands) - 1 else 0
    for number, column in reversed(list(enumerate(columns, start=before + 1))):
        for tie in column:
            people = [entrant for entrant in (tie.one, tie.two) if entrant is not None]
            if not people:
                continue
            who = voice.listing([cup.name(entrant) for entrant in people])
            if tie.winner is not None and len(people) == 1:
                lines.append(voice.say("cup.picture.bye", number=number, who=who))
            elif tie.winner is None:
                lines.append(voice.say("cup.picture.tie", number=number, who=who))
            else:
                key = "cup.picture.champion" if number == last else "cup.picture.through"
                lines.append(voice.say(key, number=number, who=who, winner=cup.name(tie.winner)))
    return strip_styles(join(lines, "; "))
