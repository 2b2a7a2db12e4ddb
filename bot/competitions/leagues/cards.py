"""The texts and cards of leagues: the season, its divisions, and a member's own games."""

from collections.abc import Sequence
from functools import partial
from typing import Final

from bot.competitions.cards import CompetitionCards, DrawInTheme, TableRow
from bot.competitions.league import MAX_GAMES_AT_ONCE, League, LeagueTerms, Season
from bot.competitions.leagues.service import LEAGUES
from bot.competitions.seasons import champions, division_competition, division_rows, expected_moves, people_needed
from bot.competitions.standings import results_sheet
from bot.kernel.cards import Button, Buttons, Card, Menu
from bot.kernel.context import Context
from bot.kernel.texts import Speaker, Text, join
from render.tournaments import Division, Move, draw_grid

MAX_LINES_IN_MESSAGE: Final = 8
MAX_QUEUE_IN_MESSAGE: Final = 12


class LeagueCards(CompetitionCards[League]):
    """The texts and cards of leagues; the pages of the table are the divisions, from 1."""

    keeper = LEAGUES

    @classmethod
    def own_terms_lines(cls, terms: LeagueTerms, voice: Speaker) -> list[Text]:
        """Return the terms that only leagues have."""
        lines = [voice.say("league.rules", n=terms.days)]
        return [*lines, voice.say("league.tables", n=terms.seats)] if terms.seats > 2 else lines

    def lines(self) -> list[Text]:
        """Return the lines of the message below the title: the season, its first division, and who waits."""
        state, season = self.state, self.state.season
        lines = [self.say("league.over")] if state.over else []
        if not season.is_over:
            lines += [season_words(self.voice, season), *self.asked_lines()]
        lines += self.row_lines(1, MAX_LINES_IN_MESSAGE)
        if len(season.divisions) > 1:
            lines.append(self.say("league.more", n=len(season.divisions) - 1))
        lines += self._queue_lines()
        if not state.is_season_on and not state.over:
            lines.append(self.say("league.waits", n=people_needed(state)))
        return [*lines, *self.closing_lines()]

    def _queue_lines(self) -> list[Text]:
        """Return the line about those who wait for the next season, if there are any."""
        queue = self.state.queue
        return [self.queue_words(queue, self.list_names(queue[:MAX_QUEUE_IN_MESSAGE]))] if queue else []

    def verbs(self) -> Sequence[str]:
        """Return the actions of the buttons below the message."""
        if self.state.over:
            return ("table",)
        return ("join", *(["stay"] if self.asked else []), "mine", "table", "run")

    def run_verbs(self) -> Sequence[str]:
        """Return the actions of those who run it, besides ending it."""
        return () if self.state.is_season_on else ("start",)

    def pages(self) -> range:
        """Return the numbers of the divisions."""
        return range(1, 1 + len(self.state.season.divisions))

    def own_page(self, own: int | None) -> int:
        """Return a member's own division, otherwise the first."""
        return (None if own is None else self.state.season.division_of(own)) or 1

    def table_lines(self, page: int) -> list[Text]:
        """Return the table of a division as text; before the first season, the terms."""
        season = self.state.season
        if not season.number:
            waits = self.say("league.waits", n=people_needed(self.state))
            return [*self.terms_lines(self.state.terms, self.voice), waits]
        heading = self.say("league.division", season=season.number, number=page, all=len(season.divisions))
        return [heading, *self.row_lines(page)]

    def rows(self, page: int) -> Sequence[TableRow]:
        """Return the members of a division with their points, and who goes up or down."""
        season = self.state.season
        if page not in self.pages():
            return []
        moves = expected_moves(self.state, season, page)
        said = {entrant: [self.say(f"league.moves.{move}")] for entrant, move in moves.items()}
        return [
            self.standing_row(row, self.name_span(row.entrant), *said.get(row.entrant, ()))
            for row in division_rows(self.state, season, page)
        ]

    def page_lines(self) -> list[Text]:
        """Return the progress of the season, who waits for the next one, the terms and the code."""
        season = self.state.season
        lines = [] if season.is_over else [season_words(self.voice, season)]
        lines += self._queue_lines()
        return [*lines, *self.closing_lines()]

    def own_card(self, _context: Context, own: int) -> Card:
        """Return a member's division, games, and limit of games at once."""
        member, season = self.state.entrants[own], self.state.season
        parts = [self.title()]
        rows: list[Buttons | Menu] = []
        number = None if season.is_over else season.division_of(own)
        played = [each for each in season.games if own in each.fixture.seats] if number else []
        if number is None or own in season.gone:
            parts.append(self.say("league.in-queue"))  # a member who left this season may be back for the next one
        else:
            done = sum(each.is_done for each in played)
            parts.append(self.say("league.yours", number=number, done=done, n=len(played)))
        going = [each.game for each in self.state.current_games() if number and own in each.seats]
        if going:
            codes = self.voice.listing([f"`{each}`" for each in going])
            parts.append(self.say("league.going", n=len(going), codes=codes))
        if member.asked:
            parts.append(self.say("league.asked.you"))
            rows.append((self.act("stay"),))
        parts.append(self.limit_words(member.most))
        limits = tuple(
            Button(self.word("league.at-once", n=n), self.press("limit", str(n)))
            for n in range(1, MAX_GAMES_AT_ONCE + 1)
        )
        rows += [Menu(self.word("league.choose.limit"), limits), (self.act("leave"),)]
        return Card(join(parts), rows=tuple(rows))

    def limit_words(self, most: int) -> Text:
        """Return how many of a member's games may run at once."""
        return self.say("league.limit", n=most)

    def notice(self, _about: str, number: int) -> Card | None:
        """Return the question whether a member still takes part; None if they have answered or are out."""
        if number not in self.asked:
            return None
        words = join([self.title(), self.say("league.asked.you")])
        return Card(words, rows=((self.act("stay"),),))

    def newest_news(self) -> int:
        """Return the number of the newest season."""
        return self.state.season.number

    def news(self) -> list[Text]:
        """Return the announcement of a new season, with the champions of the previous one."""
        state, season = self.state, self.state.season
        over = season if season.is_over else state.before
        lines = []
        if over.number:
            first = champions(state, over)
            lines.append(self.champion_words(over, first, self.list_names(first)))
        if not season.is_over:
            lines.append(self.say("league.begins", season=season.number, when=self.voice.time(season.ends_at)))
            for number, division in enumerate(season.divisions, start=1):
                named = self.list_names(division.members)
                lines.append(self.say("league.members", number=number, who=named))
        return lines

    def draw(self, page: int) -> DrawInTheme:
        """Return a function that draws the table of a division in a theme."""
        state, season = self.state, self.state.season
        own_games = season.games_of(page)
        moves: dict[int, Move] = {**expected_moves(state, season, page)}
        if season.is_over and page == 1:
            moves |= dict.fromkeys(champions(state, season), "champion")
        played, every = sum(each.is_done for each in own_games), len(own_games)
        division = Division(page, len(season.divisions), played, every, season.is_over)
        labels, lines = results_sheet(division_competition(state, season, page), 0, self.found.name, moves)
        title = f"{self.word('name')} · {season.number}"
        return partial(draw_grid, title, labels, lines, division=division)

    def queue_words(self, queue: Sequence[int], named: Text) -> Text:
        """Return who waits for the next season."""
        return self.say("league.queue", n=len(queue), who=named)

    def champion_words(self, season: Season, first: Sequence[int], named: Text) -> Text:
        """Return who has won a season."""
        if not first:
            return self.say("league.no-champion", season=season.number)
        return self.say("league.champions", season=season.number, who=named, n=len(first))


def season_words(voice: Speaker, season: Season) -> Text:
    """Return the progress of a season."""
    done, n = sum(each.is_done for each in season.games), len(season.games)
    return voice.say("league.season", number=season.number, when=voice.time(season.ends_at), done=done, n=n)
