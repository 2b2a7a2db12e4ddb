"""What leagues say and show: the season, its divisions, and a member's own games."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Final

from bot.competitions.league.course import people_needed
from bot.competitions.league.events import MAX_GAMES_AT_ONCE, LeagueTerms
from bot.competitions.league.league import Season
from bot.competitions.league.tables import champions, division_competition, expected_moves
from bot.competitions.sheets import results_sheet
from bot.competitions.standings import ranking
from bot.core.context import Context
from bot.interface.cards import Button, Card, Menu
from bot.language.texts import Speaker, Text, join
from bot.leagues.service import LEAGUES, StoredLeague
from bot.matches.cards import (
    Presenter,
    act,
    asked_lines,
    deed_press,
    grid_lines,
    list_asked,
    list_names,
    name_span,
    standing_words,
)
from render.charts import Chart
from render.leagues import Division, Move, draw_division

MAX_LINES_IN_MESSAGE: Final = 8
MAX_QUEUE_IN_MESSAGE: Final = 12


class LeaguePresenter(Presenter[StoredLeague]):
    """What leagues say and show; the pages of the table are the divisions, from 1."""

    keeper = LEAGUES

    def own_terms_lines(self, terms: LeagueTerms, voice: Speaker) -> list[Text]:
        """Return the terms that only leagues have."""
        lines = [voice.say("league.rules", n=terms.days)]
        return [*lines, voice.say("league.tables", n=terms.seats)] if terms.seats > 2 else lines

    def terms_lines(self, terms: LeagueTerms, voice: Speaker) -> list[Text]:  # type: ignore[override]
        """Return the terms that the title does not say."""
        lines = super().terms_lines(terms, voice)
        return lines if terms.holidays else [*lines, voice.say("cup.no-holidays")]

    def lines(self, found: StoredLeague, voice: Speaker) -> list[Text]:
        """Return what the message says below the title: the season, its first division, and who waits."""
        stands, season = found.stands, found.stands.season
        lines = [voice.say("league.over")] if stands.over else []
        if season is not None:
            if not season.is_over:
                lines += [season_words(season, voice), *asked_lines(found, voice)]
            lines += division_lines(found, voice, season, 1, MAX_LINES_IN_MESSAGE)
            if len(season.divisions) > 1:
                lines.append(voice.say("league.more", n=len(season.divisions) - 1))
        if stands.queue:
            lines.append(
                queue_words(voice, stands.queue, list_names(found, voice, stands.queue[:MAX_QUEUE_IN_MESSAGE]))
            )
        if not stands.is_season_on and not stands.over:
            lines.append(voice.say("league.waits", n=people_needed(stands)))
        return [*lines, *self.closing_lines(found, voice)]

    def verbs(self, found: StoredLeague) -> Sequence[str]:
        """Return the actions of the buttons below the message."""
        if found.stands.over:
            return ("table",)
        return ("join", *(["stay"] if list_asked(found) else []), "mine", "table", "run")

    def run_verbs(self, found: StoredLeague) -> Sequence[str]:
        """Return the actions of those who run it, besides ending it."""
        return () if found.stands.is_season_on else ("start",)

    def pages(self, found: StoredLeague) -> range:
        """Return the numbers of the divisions."""
        return range(1, 1 + (len(found.stands.season.divisions) if found.stands.season is not None else 0))

    def own_page(self, found: StoredLeague, mine: int | None) -> int:
        """Return a member's own division, else the first."""
        season = found.stands.season
        return (season.division_of(mine) if season is not None and mine is not None else None) or 1

    def table_lines(self, found: StoredLeague, voice: Speaker, page: int) -> list[Text]:
        """Return the table of a division in words; before the first season, the terms."""
        season = found.stands.season
        if season is None:
            waits = voice.say("league.waits", n=people_needed(found.stands))
            return [*self.terms_lines(found.stands.terms, voice), waits]
        heading = voice.say("league.division", season=season.number, number=page, all=len(season.divisions))
        return [heading, *division_lines(found, voice, season, page)]

    def own_card(self, _context: Context, found: StoredLeague, speaker: Speaker, mine: int) -> Card:
        """Return a member's division, games, and limit of games at once."""
        voice, stands = speaker.of(found.row.game_key), found.stands
        member, season = stands.entrants[mine], stands.season
        parts = [self.title(found, voice)]
        rows: list[tuple[Button, ...] | Menu] = []
        number = season.division_of(mine) if season is not None and not season.is_over else None
        own = [each for each in season.games if mine in each.fixture.seats] if season is not None and number else []
        if season is None or number is None or mine in season.gone:
            parts.append(voice.say("league.in-queue"))  # who has left this season is back for the next
        else:
            done = sum(each.is_done for each in own)
            parts.append(voice.say("league.yours", number=number, done=done, n=len(own)))
        going = [each.game.id for each in own if each.is_going_on and each.game is not None and each.game.id]
        if going:
            parts.append(voice.say("league.going", n=len(going), codes=voice.listing([f"`{each}`" for each in going])))
        if member.asked:
            parts.append(voice.say("league.asked.you"))
            rows.append((act(found, voice, "stay"),))
        parts.append(voice.say("league.limit", n=member.most))
        limits = tuple(
            Button(voice.line("league.at-once", n=n), deed_press(found, "limit", str(n)))
            for n in range(1, MAX_GAMES_AT_ONCE + 1)
        )
        rows += [Menu(voice.line("league.choose.limit"), limits), (act(found, voice, "leave"),)]
        return Card(join(parts), rows=tuple(rows))

    def notice(self, found: StoredLeague, _about: str, number: int, speaker: Speaker) -> Card | None:
        """Return the question whether a member still takes part; None if they have answered or are out."""
        if number not in list_asked(found):
            return None
        voice = speaker.of(found.row.game_key)
        words = join([self.title(found, voice), voice.say("league.asked.you")])
        return Card(words, rows=((act(found, voice, "stay"),),))

    def newest_news(self, found: StoredLeague) -> int:
        """Return the number of the newest season."""
        return 0 if found.stands.season is None else found.stands.season.number

    def news(self, found: StoredLeague, voice: Speaker) -> list[Text]:
        """Return the announcement of a new season, with the champions of the previous one."""
        stands, season = found.stands, found.stands.season
        if season is None:
            return []
        over = season if season.is_over else stands.before
        lines = []
        if over is not None:
            first = champions(stands, over)
            lines.append(champion_words(voice, over, first, list_names(found, voice, first)))
        if not season.is_over:
            lines.append(voice.say("league.begins", season=season.number, when=voice.time(season.ends_at)))
            for number, division in enumerate(season.divisions, start=1):
                named = list_names(found, voice, division.members)
                lines.append(voice.say("league.members", number=number, who=named))
        return lines

    def draw(self, found: StoredLeague, voice: Speaker, page: int) -> tuple[Callable[[str], Chart], Iterable[Text]]:
        """Return what draws the table of a division in a theme, and the same in words."""
        stands, season = found.stands, found.stands.season
        assert season is not None  # noqa: S101 - it has pages
        own_games = [each for each in season.games if each.fixture.division == page]
        sheet = results_sheet(division_competition(stands, season, page))
        moves: dict[int, Move] = {**expected_moves(stands, season, page)}
        if season.is_over and page == 1:
            moves |= dict.fromkeys(champions(stands, season), "champion")
        division = Division(
            page,
            len(season.divisions),
            sheet.labels,
            grid_lines(found, sheet),
            tuple(moves.get(line.row.entrant, "") for line in sheet.lines),
            sum(each.is_done for each in own_games),
            len(own_games),
            season.is_over,
        )
        draw = partial(draw_division, f"{voice.line('name')} · {season.number}", division)
        return draw, division_lines(found, voice, season, page)


LEAGUE: Final = LeaguePresenter()


def division_lines(league: StoredLeague, voice: Speaker, season: Season, number: int, most: int = 16) -> list[Text]:
    """Return the table of a division in words."""
    moves = expected_moves(league.stands, season, number)
    lines = []
    for row in ranking(division_competition(league.stands, season, number)).rows[:most]:
        line, move = standing_words(voice, row, name_span(league, row.entrant)), moves.get(row.entrant)
        lines.append(join([line, voice.say(f"league.moves.{move}")], " ") if move is not None else line)
    return lines


def season_words(season: Season, voice: Speaker) -> Text:
    """Return how far a season has come."""
    done, n = sum(each.is_done for each in season.games), len(season.games)
    return voice.say("league.season", number=season.number, when=voice.time(season.ends_at), done=done, n=n)


def queue_words(voice: Speaker, queue: Sequence[int], named: Text) -> Text:
    """Return who waits for the next season."""
    return voice.say("league.queue", n=len(queue), who=named)


def champion_words(voice: Speaker, season: Season, first: Sequence[int], named: Text) -> Text:
    """Return who has won a season."""
    if not first:
        return voice.say("league.no-champion", season=season.number)
    return voice.say("league.champions", season=season.number, who=named, n=len(first))
