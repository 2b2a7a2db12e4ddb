"""The files of cups, ladders and leagues."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from bot.competitions.boards import CupGame, CupRound
from bot.competitions.competition import Competition
from bot.competitions.events import CUP_CODEC
from bot.competitions.file import CompetitionFile, PlayedGame, iterate_events
from bot.competitions.ladder.events import LADDER_CODEC, ChallengeAttached, ChallengeResult
from bot.competitions.ladder.ladder import Ladder
from bot.competitions.league.events import LEAGUE_CODEC, FixtureAttached, FixtureResult, SeasonStarted
from bot.competitions.league.league import League
from bot.competitions.league.tables import division_competition
from bot.competitions.standings import format_points, ranking
from engine.record_text import MAX_TEXT_LENGTH


class CupFile(CompetitionFile[Competition]):
    """An exported cup."""

    form = "Tavoliere competition"
    codec = CUP_CODEC
    state = Competition
    max_length = 4 * MAX_TEXT_LENGTH

    def games(self) -> dict[str, PlayedGame]:
        """Return all opened games by id."""
        return {
            game.id: PlayedGame(f"{number}.{board}.{at}", game.seats, game.places)
            for number, board, at, game in self.replay.games()
            if game.id is not None
        }

    def _listed_entrants(self) -> Mapping[int, object]:
        return self.replay.entrants

    def _write_terms(self) -> Iterator[str]:
        yield f"Format: {self.replay.terms.format}"
        yield from super()._write_terms()

    def _table_json(self) -> list[Any]:
        rows = ranking(self.replay)
        return [
            {
                "entrant": row.entrant,
                "place": row.place,
                "points": format_points(row.points),
                "ties": {str(rule): format_points(value) for rule, value in zip(rows.rules, row.breaks, strict=True)},
            }
            for row in rows.rows
        ]

    def _write_table(self) -> Iterator[str]:
        if self.replay.lots:
            rows = ranking(self.replay)
            yield from ("", "Table")
            for row in rows.rows:
                ties = ", ".join(
                    f"{rule} {format_points(value)}" for rule, value in zip(rows.rules, row.breaks, strict=True)
                )
                line = f"{row.place or '-'}. {self.name(row.entrant)}: {format_points(row.points)}"
                yield line + (f" ({ties})" if ties else "") + (" out" if row.out else "")
        for each in self.replay.rounds:
            yield from ("", f"Round {each.number}")
            yield from self._write_boards(each)
            for walkover in each.walkovers:
                yield f"{self.name(walkover.winner)} without playing against {self.name(walkover.loser)}"
            for entrant in each.byes:
                yield f"{self.name(entrant)}: bye"

    def _write_boards(self, each: CupRound) -> Iterator[str]:
        for number, board in enumerate(each.boards, start=1):
            for game in board.games:
                yield f"{number}. {self._write_game(game)}"
            if board.decided is not None:
                yield f"{number}. {self.name(board.decided)} goes on {'by lot' if board.by_lot else 'alone'}"

    def _write_game(self, game: CupGame) -> str:
        names = " - ".join(self.name(entrant) for entrant in game.seats)
        if game.places is None:
            return f"{names}: {game.id or ''} *".replace(":  ", ": ")
        return f"{names}: {game.id} {','.join(map(str, game.places))} {game.reason}"


class LadderFile(CompetitionFile[Ladder]):
    """An exported ladder."""

    form = "Tavoliere ladder"
    codec = LADDER_CODEC
    state = Ladder

    def games(self) -> dict[str, PlayedGame]:
        """Return all opened games by id."""
        found: dict[str, PlayedGame] = {}
        opened: dict[int, str] = {}
        for before, event in iterate_events(self):
            if isinstance(event, ChallengeAttached):
                opened[event.challenge] = event.game
                seats = before.open[event.challenge].seats or ()
                found[event.game] = PlayedGame(f"challenge {event.challenge}", seats)
            elif isinstance(event, ChallengeResult):
                game = opened[event.challenge]
                found[game] = replace(found[game], places=event.places)
        return found

    def _table_json(self) -> list[Any]:
        return [f"{place}. {self.name(each)}" for place, each in enumerate(self.replay.order, start=1)]


class LeagueFile(CompetitionFile[League]):
    """An exported league; its table is that of the newest season."""

    form = "Tavoliere league"
    codec = LEAGUE_CODEC
    state = League

    def games(self) -> dict[str, PlayedGame]:
        """Return all opened games by id."""
        found: dict[str, PlayedGame] = {}
        season, opened = 0, dict[int, str]()
        for _, event in self.events:
            if isinstance(event, SeasonStarted):
                season = event.season
            elif isinstance(event, FixtureAttached):
                opened[event.fixture] = event.game
                found[event.game] = PlayedGame(f"season {season} {event.fixture}", event.seats)
            elif isinstance(event, FixtureResult):
                game = opened[event.fixture]
                found[game] = replace(found[game], places=event.places)
        return found

    def _table_json(self) -> list[Any]:
        stands, season, lines = self.replay, self.replay.season, list[str]()
        if season is None:
            return lines
        for number in range(1, len(season.divisions) + 1):
            lines.append(f"Season {season.number}, division {number}")
            rows = ranking(division_competition(stands, season, number)).rows
            lines += [f"{row.place or '-'}. {self.name(row.entrant)}: {format_points(row.points)}" for row in rows]
        return lines


FILE_TYPES: Final[Mapping[str, type[CompetitionFile[Any]]]] = {
    "cup": CupFile,
    "league": LeagueFile,
    "ladder": LadderFile,
}
