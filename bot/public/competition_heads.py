"""Headings of competitions for pages and previews: title, state, first places."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.competitions.competition import Competition
from bot.competitions.ladder.ladder import Ladder
from bot.competitions.league.course import people_needed
from bot.competitions.league.tables import division_competition
from bot.competitions.standings import StandingRow, format_points, ranking
from bot.history.competitions import CARDS, AnyCompetition
from bot.language.texts import Speaker, strip_styles
from bot.leagues.cards import season_words
from render.preview import MAX_ROWS, PreviewRow


@dataclass(frozen=True, slots=True)
class CompetitionHead:
    """A competition's title, its state in one line, and its first places."""

    heading: str
    state: str
    rows: tuple[PreviewRow, ...]


def competition_head(competition: AnyCompetition, speaker: Speaker) -> CompetitionHead:
    """Return the heading of a competition; of a league, with the first places of its first division."""
    cards, stands = CARDS[competition.row.kind](competition, speaker), competition.stands
    voice, heading = cards.voice, strip_styles(cards.title())
    before = tuple(PreviewRow(None, competition.name(each)) for each in stands.present[:MAX_ROWS])
    if isinstance(stands, Competition):
        form = speaker.line(f"cup.format.{stands.terms.format}")
        heading = strip_styles(speaker.say("world.cup", game=voice.line("name"), format=form))
        state = speaker.line(f"world.cup.{stands.stage}", n=len(stands.lots or stands.present))
        return CompetitionHead(heading, state, _rows(competition, ranking(stands).rows) if stands.lots else before)
    if isinstance(stands, Ladder):
        state = voice.line("ladder.over" if stands.over else "world.ladder.people", n=len(stands.order))
        places = enumerate(stands.order[:MAX_ROWS], start=1)
        return CompetitionHead(
            heading, state, tuple(PreviewRow(str(place), competition.name(each)) for place, each in places)
        )
    season = stands.season
    if stands.over:
        state = voice.line("league.over")
    elif season is None:
        state = voice.line("league.waits", n=people_needed(stands))
    else:
        state = strip_styles(season_words(voice, season))
    if season is None:
        return CompetitionHead(heading, state, before)
    return CompetitionHead(heading, state, _rows(competition, ranking(division_competition(stands, season, 1)).rows))


def _rows(competition: AnyCompetition, rows: Sequence[StandingRow]) -> tuple[PreviewRow, ...]:
    return tuple(
        PreviewRow(
            "" if row.place is None else str(row.place), competition.name(row.entrant), format_points(row.points)
        )
        for row in rows[:MAX_ROWS]
    )
