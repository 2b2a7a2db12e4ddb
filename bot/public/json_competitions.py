"""Cups, leagues and ladders as JSON for the API; `bot/public/openapi_competitions.py` has the schemas."""

from collections.abc import Callable, Sequence
from typing import Any

from bot.competitions.league.league import Season
from bot.competitions.league.tables import division_competition
from bot.competitions.standings import StandingRow, format_points, ranking
from bot.cups.service import Cup
from bot.history.competitions import AnyCompetition
from bot.ladders.service import StoredLadder
from bot.leagues.service import StoredLeague
from bot.matches.stored import StoredCompetition
from bot.public.json_views import time_json
from bot.public.shown_competitions import EntrantPages

Json = dict[str, Any]


class CompetitionViews:
    """Returns competitions as JSON; hidden people have no name. `url` returns the address for a path."""

    def __init__(self, url: Callable[[str], str]) -> None:
        self._url = url

    def _head(self, competition: StoredCompetition[Any], page: str) -> Json:
        row = competition.row
        return {
            "id": page,
            "url": self._url(f"/{row.kind}/{page}"),
            "game": row.game_key,
            "status": row.status,
            "created_at": time_json(row.created_at),
            "ended_at": time_json(row.ended_at),
        }

    def summary(self, competition: AnyCompetition, page: str) -> Json:
        """Return a competition's entry in a list."""
        if isinstance(competition, Cup):
            return self._cup_summary(competition, page)
        if isinstance(competition, StoredLeague):
            return self._league_summary(competition, page)
        return self._ladder_summary(competition, page)

    def whole(self, competition: AnyCompetition, page: str, pages: EntrantPages) -> Json:
        """Return a competition with its tables and its public games."""
        if isinstance(competition, Cup):
            return self._cup(competition, page, pages)
        if isinstance(competition, StoredLeague):
            return self._league(competition, page, pages)
        return self._ladder(competition, page, pages)

    def _cup_summary(self, cup: Cup, page: str) -> Json:
        stands = cup.stands
        return {
            **self._head(cup, page),
            "format": str(stands.terms.format),
            "entrants": len(stands.lots or stands.present),
            "rounds_planned": stands.planned,
        }

    def _cup(self, cup: Cup, page: str, pages: EntrantPages) -> Json:
        stands = cup.stands
        return {
            **self._cup_summary(cup, page),
            "table": _table(cup, ranking(stands).rows if stands.lots else (), pages),
            "rounds": [
                {
                    "number": each.number,
                    "pairings": [
                        _pairing(board.last.seats, board.last.places, board.last.id, pages) for board in each.boards
                    ],
                    "byes": list(each.byes),
                }
                for each in stands.rounds
            ],
        }

    def _league_summary(self, league: StoredLeague, page: str) -> Json:
        stands = league.stands
        return {
            **self._head(league, page),
            "members": len(stands.present),
            "season_days": stands.terms.days,
            "season_number": None if stands.season is None else stands.season.number,
        }

    def _league(self, league: StoredLeague, page: str, pages: EntrantPages) -> Json:
        stands = league.stands
        return {
            **self._league_summary(league, page),
            "season": None if stands.season is None else _season(league, stands.season, pages),
            "season_before": None if stands.before is None else _season(league, stands.before, pages),
            "queue": [_entrant(league, each, pages) for each in stands.queue],
        }

    def _ladder_summary(self, ladder: StoredLadder, page: str) -> Json:
        stands = ladder.stands
        return {**self._head(ladder, page), "people": len(stands.order), "answer_days": stands.terms.days}

    def _ladder(self, ladder: StoredLadder, page: str, pages: EntrantPages) -> Json:
        stands = ladder.stands
        return {
            **self._ladder_summary(ladder, page),
            "places": [
                {"place": place, **_entrant(ladder, each, pages)} for place, each in enumerate(stands.order, start=1)
            ],
            "challenges": [
                {
                    "challenger": each.challenger,
                    "challenged": each.challenged,
                    "made_at": time_json(each.made_at),
                    "answer_by": time_json(each.answer_by),
                    "accepted": each.accepted,
                    "game": pages.games.get(each.game or ""),
                }
                for each in stands.open.values()
            ],
        }


def _entrant(competition: StoredCompetition[Any], entrant: int, pages: EntrantPages) -> Json:
    person = competition.person_of(entrant)
    name = None if person is None else person.name
    return {"entrant": entrant, "name": name, "player": None if person is None else pages.profiles.get(person.id)}


def _table(competition: StoredCompetition[Any], rows: Sequence[StandingRow], pages: EntrantPages) -> list[Json]:
    return [
        {"place": row.place, "points": format_points(row.points), **_entrant(competition, row.entrant, pages)}
        for row in rows
    ]


def _pairing(seats: Sequence[int], places: Sequence[int] | None, code: str | None, pages: EntrantPages) -> Json:
    return {
        "entrants": list(seats),
        "places": None if places is None else list(places),
        "game": pages.games.get(code or ""),
    }


def _season(league: StoredLeague, season: Season, pages: EntrantPages) -> Json:
    return {
        "number": season.number,
        "starts_at": time_json(season.starts_at),
        "ends_at": time_json(season.ends_at),
        "over": season.is_over,
        "divisions": [
            {
                "number": number,
                "table": _table(league, ranking(division_competition(league.stands, season, number)).rows, pages),
                "pairings": [
                    _pairing(each.game.seats, each.game.places, each.game.id, pages)
                    for each in season.games
                    if each.fixture.division == number and each.game is not None
                ],
            }
            for number in range(1, len(season.divisions) + 1)
        ],
    }
