"""Headings of competitions for pages and previews: title, state, first places."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.competitions.league.course import people_needed
from bot.competitions.league.tables import division_competition
from bot.competitions.standings import StandingRow, format_points, ranking
from bot.cups.service import Cup
from bot.history.competitions import AnyCompetition
from bot.ladders.service import StoredLadder
from bot.language.texts import Speaker, strip_styles
from bot.leagues.service import StoredLeague
from bot.matches.cards import season_title
from bot.matches.stored import StoredCompetition
from render.preview import MAX_ROWS, PreviewRow


@dataclass(frozen=True, slots=True)
class CompetitionHead:
    """A competition's title, its state in one line, and its first places."""

    heading: str
    state: str
    rows: tuple[PreviewRow, ...]


def competition_head(competition: AnyCompetition, speaker: Speaker) -> CompetitionHead:
    """Return the heading of a competition; of a league, with the first places of its first division."""
    if isinstance(competition, Cup):
        return _cup_head(competition, speaker)
    if isinstance(competition, StoredLeague):
        return _league_head(competition, speaker)
    return _ladder_head(competition, speaker)


def _cup_head(cup: Cup, speaker: Speaker) -> CompetitionHead:
    stands = cup.stands
    form = speaker.line(f"cup.format.{stands.terms.format}")
    heading = strip_styles(speaker.say("world.cup", game=speaker.of(cup.row.game_key).line("name"), format=form))
    state = speaker.line(f"world.cup.{stands.stage}", n=len(stands.lots or stands.present))
    if not stands.lots:
        return CompetitionHead(heading, state, _people(cup, stands.present))
    return CompetitionHead(heading, state, _rows(cup, ranking(stands).rows))


def _league_head(league: StoredLeague, speaker: Speaker) -> CompetitionHead:
    voice, stands, season = speaker.of(league.row.game_key), league.stands, league.stands.season
    heading = strip_styles(season_title(league, voice))
    if stands.over:
        state = voice.line("league.over")
    elif season is None:
        state = voice.line("league.waits", n=people_needed(stands))
    else:
        done = sum(each.is_done for each in season.games)
        when = voice.time(season.ends_at)
        state = strip_styles(
            voice.say("league.season", number=season.number, when=when, done=done, n=len(season.games))
        )
    if season is None:
        return CompetitionHead(heading, state, _people(league, stands.present))
    return CompetitionHead(heading, state, _rows(league, ranking(division_competition(stands, season, 1)).rows))


def _ladder_head(ladder: StoredLadder, speaker: Speaker) -> CompetitionHead:
    voice, stands = speaker.of(ladder.row.game_key), ladder.stands
    heading = strip_styles(season_title(ladder, voice))
    state = voice.line("ladder.over" if stands.over else "world.ladder.people", n=len(stands.order))
    first = tuple(
        PreviewRow(str(place), ladder.name(each)) for place, each in enumerate(stands.order[:MAX_ROWS], start=1)
    )
    return CompetitionHead(heading, state, first)


def _people(competition: StoredCompetition, entrants: Sequence[int]) -> tuple[PreviewRow, ...]:
    """Return those who are in before there is an order."""
    return tuple(PreviewRow(None, competition.name(entrant)) for entrant in entrants[:MAX_ROWS])


def _rows(competition: StoredCompetition, rows: Sequence[StandingRow]) -> tuple[PreviewRow, ...]:
    return tuple(
        PreviewRow(
            "" if row.place is None else str(row.place), competition.name(row.entrant), format_points(row.points)
        )
        for row in rows[:MAX_ROWS]
    )
