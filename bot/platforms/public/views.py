"""Conversion of public data to the API's models."""

from collections.abc import Mapping, Sequence
from datetime import date

from bot.boards.puzzles.puzzle import Puzzle
from bot.boards.puzzles.solving import find_solution
from bot.competitions.competition import Competition
from bot.competitions.kinds import AnyCompetition
from bot.competitions.league import League, Season
from bot.competitions.seasons import division_rows
from bot.competitions.standings import StandingRow, format_points, ranking
from bot.kernel.table import GamePeople, pace_of
from bot.platforms.public import models
from bot.platforms.public.shown_games import EntrantPages, Listed, PublicContent, ShownGame, ShownPlayer
from bot.table.ratings import is_ranked, is_rated, rating_points
from engine import CHANCE, Turn
from engine.core import Position
from storage import Json, Person, Rating
from storage.schema import LIVE, PEOPLE_POOL, SLOW, Pace


class Views:
    """Returns public data as models; hidden people have no name in competitions."""

    def __init__(self, content: PublicContent) -> None:
        self._address = content.context.web_address
        self._consent = content.consent

    def url(self, path: str) -> str:
        """Return the full address of a path."""
        return f"{self._address}{path}"

    async def game_list(self, found: Listed[GamePeople]) -> models.GameList:
        """Return a page of a list of games."""
        people = [person for each, _ in found.items for person in each.people.values()]
        profiles = await self._consent.pages_of_people(people)
        return models.GameList(
            items=[game_summary(self._address, each, page, profiles) for each, page in found.items], next=found.cursor
        )

    async def game(self, game: ShownGame) -> models.Game:
        """Return a game without its turns."""
        table, row = game.table, game.table.row
        profiles = await self._consent.pages_of_people(table.people.values())
        return models.Game(
            **dict(game_summary(self._address, table, game.page, profiles)),
            options=row.options,
            rules_version=row.rules_version,
            revision=row.revision,
            position=_without_extra(table.playing.state.to_json()),
            seed_hash=row.seed_hash,
            seed=row.seed if game.is_over else None,
        )

    def player(self, player: ShownPlayer, page: str) -> models.Player:
        """Return the profile of a person who wants one."""
        return models.Player(
            id=page,
            url=self.url(f"/p/{page}"),
            name=player.person.name,
            ratings=_ratings(player, SLOW),
            live_ratings=_ratings(player, LIVE),
            titles=[
                models.Title(kind=each.kind, game=each.game_key, period=each.period, earned_at=each.earned_at)
                for each in player.titles
            ],
        )

    async def ratings(self, best: Sequence[tuple[Rating, Person]], *, more: bool) -> models.RatingList:
        """Return the given ratings as a page, with a cursor if there are `more`."""
        profiles = await self._consent.pages_of_people(person for _, person in best)
        items = [
            models.RankedPlayer(name=person.name, player=profiles[person.id], **dict(_rating(rating)))
            for rating, person in best
        ]
        return models.RatingList(items=items, next=items[-1].player if more else None)

    def puzzle(self, puzzle: Puzzle, day: date) -> models.Puzzle:
        """Return the puzzle of a date that has ended everywhere, with its solution."""
        return models.Puzzle(
            date=day,
            url=self.url(f"/puzzle/{day.isoformat()}"),
            game=puzzle.game,
            position=_without_extra(puzzle.position),
            seat=puzzle.seat,
            goal=models.Goal(kind=puzzle.goal.kind, turns=puzzle.goal.turns),
            motif=puzzle.motif,
            solution=[[str(action) for action in turn] for turn in find_solution(puzzle)],
        )

    def competition_summary(
        self, competition: AnyCompetition, page: str
    ) -> models.CupSummary | models.LeagueSummary | models.LadderSummary:
        """Return a competition's entry in a list."""
        row = competition.row
        head: Json = {
            "id": page,
            "url": self.url(f"/{row.kind}/{page}"),
            "game": row.game_key,
            "status": row.status,
            "created_at": row.created_at,
            "ended_at": row.ended_at,
        }
        if isinstance(competition.state, Competition):
            cup = competition.state
            entrants = len(cup.lots or cup.present)
            return models.CupSummary(
                **head, format=str(cup.terms.format), entrants=entrants, rounds_planned=cup.planned
            )
        if isinstance(competition.state, League):
            league = competition.state
            return models.LeagueSummary(
                **head,
                members=len(league.present),
                season_days=league.terms.days,
                season_number=league.season.number or None,
            )
        ladder = competition.state
        return models.LadderSummary(**head, people=len(ladder.order), answer_days=ladder.terms.days)

    def competition(
        self, competition: AnyCompetition, page: str, pages: EntrantPages
    ) -> models.Cup | models.League | models.Ladder:
        """Return a competition with its tables and its public games."""
        summary = dict(self.competition_summary(competition, page))
        if isinstance(competition.state, Competition):
            cup = competition.state
            return models.Cup(
                **summary,
                table=_table(ranking(cup).rows if cup.lots else (), pages),
                rounds=[
                    models.Round(
                        number=each.number,
                        pairings=[
                            _pairing(board.last.seats, board.last.places, board.last.id, pages) for board in each.boards
                        ],
                        byes=each.byes,
                    )
                    for each in cup.rounds
                ],
            )
        if isinstance(competition.state, League):
            league = competition.state
            return models.League(
                **summary,
                season=_season(league, league.season, pages),
                season_before=_season(league, league.before, pages),
                queue=[entrant_view(each, pages) for each in league.queue],
            )
        ladder = competition.state
        return models.Ladder(
            **summary,
            places=[
                models.Rung(place=place, **dict(entrant_view(each, pages)))
                for place, each in enumerate(ladder.order, start=1)
            ],
            challenges=[
                models.Challenge(
                    challenger=each.challenger,
                    challenged=each.challenged,
                    made_at=each.made_at,
                    answer_by=each.answer_by,
                    accepted=each.accepted,
                    game=pages.games.get(each.game or ""),
                )
                for each in ladder.open.values()
            ],
        )


def game_summary(address: str, seated: GamePeople, page: str, profiles: Mapping[int, str]) -> models.GameSummary:
    """Return a game's entry in a list; `profiles` are the pages of its people, `address` is that of all pages."""
    seated, brief = seated.in_language(None), seated.brief
    seats = range(brief.seat_count)
    outcome = brief.outcome if brief.is_over else None
    mover = next((seat for seat in seats if seated.person_at(seat) == brief.to_move), None)
    api = f"{address}/api/v1/games/{page}"
    return models.GameSummary(
        id=page,
        url=f"{address}/g/{page}",
        game=brief.game,
        status=brief.status,
        players=[
            models.Seat(
                seat=seat,
                name=seated.name_span(seat).text,
                computer=seated.level_at(seat),
                player=profiles.get(seated.person_at(seat) or 0),
            )
            for seat in seats
        ],
        to_move=mover if brief.to_move is not None and brief.is_playing else None,
        turns=brief.turn,
        rated=is_rated(brief),
        pace=pace_of(brief),
        created_at=brief.created_at,
        started_at=brief.started_at,
        ended_at=brief.ended_at,
        outcome=outcome and models.Outcome(reason=outcome["reason"], places=outcome.get("places")),
        links={
            "turns": f"{api}/turns",
            "record": f"{api}/record",
            "stream": f"{api}/stream",
            "preview": f"{address}/g/{page}/preview.png",
        },
    )


def turn_view(turn: Turn, number: int, finished: int) -> models.Turn:
    """Return a turn, numbered from 1; `finished` is the number of finished turns of the game."""
    return models.Turn(
        number=number,
        seat=None if turn.seat == CHANCE else turn.seat,
        actions=[action.text for action in turn.actions],
        finished=number <= finished,
    )


def _without_extra(position: Position) -> Json:
    return {name: value for name, value in position.items() if name != "extra"}


def _ratings(player: ShownPlayer, pace: Pace) -> list[models.Rating]:
    return [_rating(each) for each in player.ratings if each.game_key and (each.pool, each.pace) == (PEOPLE_POOL, pace)]


def _rating(rating: Rating) -> models.Rating:
    return models.Rating(
        game=rating.game_key,
        pace=rating.pace,
        points=rating_points(rating),
        ranked=is_ranked(rating),
        wins=rating.wins,
        draws=rating.draws,
        losses=rating.losses,
    )


def entrant_view(entrant: int, pages: EntrantPages) -> models.Entrant:
    """Return an entrant of a competition; hidden people have no name."""
    person = pages.competition.person_of(entrant)
    if person is None:
        return models.Entrant(entrant=entrant, name=None, player=None)
    return models.Entrant(entrant=entrant, name=person.name, player=pages.profiles.get(person.id))


def _table(rows: Sequence[StandingRow], pages: EntrantPages) -> list[models.Standing]:
    return [
        models.Standing(
            place=row.place,
            points=format_points(row.points),
            **dict(entrant_view(row.entrant, pages)),
        )
        for row in rows
    ]


def _pairing(
    seats: Sequence[int], places: Sequence[int] | None, code: str | None, pages: EntrantPages
) -> models.Pairing:
    return models.Pairing(entrants=seats, places=places, game=pages.games.get(code or ""))


def _season(league: League, season: Season, pages: EntrantPages) -> models.Season | None:
    """Return a season, None before the first one."""
    if not season.number:
        return None
    return models.Season(
        number=season.number,
        starts_at=season.starts_at,
        ends_at=season.ends_at,
        over=season.is_over,
        divisions=[
            models.Division(
                number=number,
                table=_table(division_rows(league, season, number), pages),
                pairings=[
                    _pairing(each.game.seats, each.game.places, each.game.id, pages)
                    for each in season.games_of(number)
                    if each.game is not None
                ],
            )
            for number in range(1, len(season.divisions) + 1)
        ],
    )
