"""Reading games (positions, lists, events, results), and the analyses of finished games."""

from collections.abc import Sequence
from dataclasses import asdict, fields, replace
from datetime import datetime
from functools import cache, partial
from itertools import starmap
from typing import Any, Final, Literal, TypeVar, get_args

from sqlalchemy import (
    BindParameter,
    Integer,
    and_,
    bindparam,
    case,
    func,
    insert,
    or_,
    select,
    text,
    update,
)

from storage.addresses import generate_code
from storage.agreements import GameProgress, offers_to_json, read_offers, read_terms, terms_to_json
from storage.columns import UNKNOWN_TIME, Condition, Json, RowData, Undecodable, Utc
from storage.competition_schema import competition_games, competitions
from storage.database import Database, Parameters, Query, Repository, given, pick
from storage.errors import CodeTaken, Conflict, NoSuchGame, Planned
from storage.events import AnsweringRepository, build_event_rows
from storage.message_schema import posts
from storage.notices import Notices
from storage.people import People, to_person
from storage.posts import DUE_COLUMNS, DuePost
from storage.rows import GameChange, NewEvent, NewGame
from storage.schema import (
    Event,
    GameBrief,
    GameRow,
    GameStatus,
    Person,
    ProcessedEvent,
    Result,
    Seat,
    analyses,
    analysis_boards,
    columns_of,
    events,
    game_places,
    games,
    labelled,
    people,
    ratings,
    read_row,
    results,
    seats,
)
from storage.sqlite import Prepared
from storage.team_rounds import StoredRounds

_IS_LIVE: Final = text("games.status <> 'over'")
"""A literal, as in the partial index: SQLite would not use the index with a bound parameter."""
_GAME_COLUMNS: Final = columns_of(GameRow)
_BRIEF_COLUMNS: Final = columns_of(GameBrief, games)
_COLUMN_NAMES: Final = {kind: [each.name for each in fields(kind)] for kind in (GameBrief, GameRow)}
_STATUSES: Final = frozenset(get_args(GameStatus))

_SELECT_GAME: Final = Prepared(
    select(
        *_GAME_COLUMNS,
        *labelled("seat_", seats.table.c),
        *labelled("person_", columns_of(Person)),
    )
    .select_from(games.table.outerjoin(seats).outerjoin(people, people.id == seats.person))
    .where(games.id == bindparam("game"))
    .order_by(seats.number)
)
_WAIT_ORDER: Final = (games.waiting_since, games.id)
_THINKING: Final = Prepared(
    select(games.id, games.starter)
    .filter_by(thinking=True)
    .order_by(func.row_number().over(partition_by=games.starter, order_by=_WAIT_ORDER), *_WAIT_ORDER)
    .limit(bindparam("most", type_=Integer())),
    is_short=False,
)
_EVENTS_AFTER: Final = Prepared(
    select(*columns_of(Event))
    .where(events.number > bindparam("after"))
    .filter_by(game=bindparam("of_game"))
    .order_by("number"),
    is_short=False,
)
_SELECT_SEATS: Final = Prepared(select(seats).filter_by(game=bindparam("game")).order_by(seats.number))


Game = TypeVar("Game", bound=GameBrief)
GameWithPeople = tuple[GameRow, dict[int, Person]]
"""A game, and the people in its seats by id."""


class StoredGames(AnsweringRepository):
    """Queries and commands for games."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._people, self._notices = People(database), Notices(database)

    async def get(self, game: str) -> GameRow | None:
        """Return a game as it is stored, None if there is none with this id."""
        found = await self._read_with_people(game)
        return None if found is None else found[0]

    async def get_with_people(self, game: str) -> GameWithPeople | None:
        """Return a game and the people in its seats by id, None if there is no such game.

        Reads the cache where possible; `commit` checks again that the game is unchanged.
        """
        cache = self._database.readable_cache
        known: GameRow | None = cache.rows.get(game)
        if known is not None:
            seated = {seat.person for seat in known.seats if seat.person is not None}
            return known, await self._people.get_many(seated)
        changes, found = cache.changes, await self._read_with_people(game)
        if found is not None:
            cache.keep([found[0], *found[1].values()], changes)
        return found

    async def _read_with_people(self, game: str) -> GameWithPeople | None:
        rows = await self._read_all(_SELECT_GAME, dict, {"game": game})
        if not rows:
            return None
        taken = tuple(read_row(Seat, row, "seat_") for row in rows if row["seat_number"] is not None)
        around = [to_person(row, "person_") for row in rows if row["person_id"] is not None]
        return _build_game(GameRow, rows[0], taken), {person.id: person for person in around}

    async def revision(self, game: str) -> int | None:
        """Return the number of events of a game, None if there is no such game."""
        return await self._read_value(select(games.revision).filter_by(id=game))

    async def list_ids(self, after: str = "", limit: int = 100) -> list[str]:
        """Return the ids of all games after a given id, in alphabetical order."""
        return await self._read_column(select(games.id).where(games.id > after).order_by("id").limit(limit))

    async def count_live(self, by: Literal["status", "game"]) -> dict[str, int]:
        """Return the number of unfinished games by status or by kind."""
        column = games[by]
        return await self._read_pairs(select(column, func.count()).where(_IS_LIVE).group_by(column))

    async def is_kind_known(self, kind: str) -> bool:
        """Return whether a kind of game has unfinished games or ratings."""
        going_on = select(games.id).where(_IS_LIVE).filter_by(game=kind)
        rated = select(ratings.person).filter_by(game_key=kind)
        return bool(await self._read_value(select(or_(going_on.exists(), rated.exists()))))

    async def list_thinking(self, limit: int = 1000) -> list[tuple[str, int]]:
        """Return the games in which a computer is to act, with their starters, alternating between the starters.

        The longest wait comes first, within each starter's games and among the starters.
        """
        return list((await self._read_pairs(_THINKING, {"most": limit})).items())

    async def count_thinking(self) -> tuple[int, int, datetime | None]:
        """Return how many games wait for a computer, how many people started them, and since when the oldest waits."""
        counts = (func.count(), func.count(games.starter.distinct()), func.min(games.waiting_since))
        count, people_count, since = (await self._read(select(*counts).where(games.thinking)))[0]
        return count, people_count, since

    async def list_for_person(self, person: int, limit: int = 100, *, place: int | None = None) -> list[GameBrief]:
        """Return a person's unfinished games (shown in a place): first those that wait for their move, longest first.

        Then invitations to be answered, then the rest; declined games are left out.
        """
        shown = {} if place is None else {"place": place}
        query = _LIVE_OF_PERSON if place is None else _LIVE_OF_PERSON_IN_PLACE
        return await self._read_briefs(query, {"person": person, "most": limit, **shown})

    async def list_in_place(self, place: int, limit: int = 100, *, status: GameStatus | None = None) -> list[GameBrief]:
        """Return the unfinished games shown in a place, or those with a status, newest first."""
        newest = (games.created_at.desc(), games.id)
        return await self.list_briefs(_is_shown_in(place), order=newest, limit=limit, **given(status=status))

    async def list_briefs(self, *where: Condition, order: Sequence[Any], limit: int, **equal: Any) -> list[GameBrief]:
        """Return the games that fulfil some conditions, without their positions."""
        return await self._read_briefs(
            select(*_BRIEF_COLUMNS).where(*where).filter_by(**equal).order_by(*order).limit(limit)
        )

    async def _read_briefs(self, query: Query, parameters: Parameters = None) -> list[GameBrief]:
        async with self._database.snapshot():
            rows = await self._read_all(query, dict, parameters)
            taken: dict[str, tuple[Seat, ...]] = {row["id"]: () for row in rows}
            theirs = select(seats).where(seats.game.in_(taken)).order_by("game", "number")
            for row in await self._read_all(theirs, dict) if rows else ():
                taken[row["game"]] += (read_row(Seat, row),)
        return [_build_game(GameBrief, row, taken[row["id"]]) for row in rows]

    async def last_finished_in(self, place: int) -> str | None:
        """Return the id of the last finished game with a result shown in a place, None if there is none."""
        return await self._read_value(
            select(games.id)
            .join(game_places)
            .where(game_places.place == place, games.position.is_not(None))
            .filter_by(status="over")
            .order_by(games.ended_at.desc(), games.id)
            .limit(1)
        )

    async def events(self, game: str, after: int = 0) -> list[Event]:
        """Return the events of a game after a given number, in order."""
        return await self._read_rows(_EVENTS_AFTER, Event, {"of_game": game, "after": after})

    async def results_of(self, game: str) -> list[Result]:
        """Return the results of a game by seat, none before its end."""
        return await self._list(Result, game=game, order=["seat"])

    async def list_results_between(self, place: int, since: datetime, until: datetime) -> list[Result]:
        """Return the results of the games shown in a place that ended within a time span, by their ends."""
        return await self._list(
            Result, is_result_shown_in(place), *is_ended_between(since, until), order=["ended_at", "game", "seat"]
        )

    async def ended_in(self, place: int, since: datetime, until: datetime, limit: int) -> list[str]:
        """Return the games shown in a place that ended within a time span, newest first."""
        return await self._read_column(
            select(results.game)
            .where(is_result_shown_in(place), *is_ended_between(since, until))
            .group_by(results.game)
            .order_by(func.max(results.ended_at).desc(), "game")
            .limit(limit)
        )

    async def create(
        self, game: NewGame, at: datetime, *, happened: Sequence[NewEvent] = (), processed: ProcessedEvent | None = None
    ) -> GameRow:
        """Store a new game with its first events and return it; AlreadyProcessed, CodeTaken."""
        values = asdict(replace(game, seats=()))
        del values["seats"]
        values["terms"], values["offers"] = terms_to_json(game.terms, GameProgress()), {}
        values |= {"status": "lobby", "revision": len(happened), "turn": 0}
        values |= {"waiting_since": at, "created_at": at, "updated_at": at}
        async with self._answering(processed, at):
            while True:
                code = game.id or generate_code()
                if await self._insert_if_new(games, values | {"id": code}):
                    break
                if game.id:
                    raise CodeTaken(game=code)
            await self._insert(events, build_event_rows({"game": code}, 0, happened, at, processed))
            await self._insert_seats(code, game.seats, live=True)
            await self._insert(game_places, [{"place": game.place, "game": code, "live": True}])
            made = await self.get(code)
            assert made is not None  # noqa: S101 - it was written in this very transaction
            self._emit("game", made)
            self._emit("shown", (game.place, code))
            return made

    async def commit(self, change: GameChange) -> GameRow:
        """Store a step of a game and return the new row; Conflict, AlreadyProcessed, NoSuchGame, Planned.

        The step is stored completely and durably when this returns, or not at all.
        """
        if not change.events:
            raise ValueError("a change without an event looks like none")
        game, at = change.game, change.at
        live = not game.is_over
        async with self._answering(change.processed, at):
            row = await self._store_step(change)
            taken = await self._read_seats(game.id) if change.before is None else change.before.seats
            if not live or game.seats != taken:
                await self._delete(seats, game=game.id)
                await self._insert_seats(game.id, game.seats, live=live)
                taken = await self._read_seats(game.id)
            if not live:
                await self._update(game_places, {"live": False}, game=game.id)
                if game.terms.cup is not None:
                    mine = select(competition_games.competition).filter_by(game=game.id).scalar_subquery()
                    await self._update(competitions, {"due_at": at}, id=mine, status="running")
                    self._emit("competition", game.terms.cup)
            if game.terms.team is not None:
                await StoredRounds(self._database).turn_rounds(game, at)
                self._emit("teams", game.id)
            if change.results:
                await self._insert(results, _build_result_rows(change))
            for rating in change.ratings:
                await self._upsert(ratings, asdict(rating))
            await self._notices.promise(game.id, change.past, change.promised, at)
            due = await self._read(_MARK_SURFACES_DUE, {"of_game": game.id, "now": at})
            stored = _build_game(GameRow, row, taken)
            self._emit("game", stored)
            self._emit("due", tuple(starmap(DuePost, due)))
            if stored.thinking:
                self._emit("thinking", game.id)
            return stored

    async def _store_step(self, change: GameChange) -> RowData:
        """Store the row of a game with the events of a step, and return it.

        Raises NoSuchGame; Conflict, also if other people are in the seats than the step expects; Planned if the step
        expects no plans and there are some.
        """
        game, at, before = change.game, change.at, change.before
        values = pick(game, _CHANGEABLE_COLUMNS)
        values["terms"] = terms_to_json(game.terms, game.progress)
        values["offers"] = offers_to_json(game.offers, game.reminder)
        values |= {"revision": game.revision + len(change.events), "updated_at": at, "before": game.revision}
        values |= {"of_game": game.id, "moves": game.to_move, "then": game.turn, "now": at}
        if before is not None:
            values |= pick(before, _COLUMNS_CHANGED_WITHOUT_EVENT, "was_")
        statement = _UPDATE_GAME if before is None else _UPDATE_UNCHANGED_GAME
        row = await self._read_one(statement, dict, values)
        if row is None:
            now = await self.revision(game.id)
            raise NoSuchGame(game=game.id) if now is None else Conflict(game=game.id, revision=now)
        expected = [] if before is None else [seat.person or 0 for seat in before.seats]
        seated = {f"seated_{number}": person for number, person in enumerate([0, *expected])}
        insertion = _build_event_insert(len(seated))
        for event in build_event_rows({"game": game.id}, game.revision, change.events, at, change.processed):
            ((other, planning),) = await self._read(insertion, event | seated | {"of_game": game.id})
            if before is not None and other is not None:
                raise Conflict(game=game.id, revision=game.revision)
            if change.unplanned and planning is not None:
                raise Planned(game=game.id)
        return row

    async def _read_seats(self, game: str) -> tuple[Seat, ...]:
        return tuple(await self._read_all(_SELECT_SEATS, partial(read_row, Seat), {"game": game}))

    async def _insert_seats(self, game: str, taken: Sequence[Seat], *, live: bool) -> None:
        await self._insert(seats, [asdict(seat) | {"game": game, "live": live} for seat in taken])


def _is_shown_in(place: int | BindParameter[int]) -> Condition:
    """Return the condition that an unfinished game is shown in a place."""
    return games.id.in_(select(game_places.game).filter_by(place=place, live=True))


def _build_live_of_person(*where: Condition) -> Prepared:
    """Return the query for a person's unfinished games, in the order of `StoredGames.list_for_person`."""
    invited = and_(games.status == "lobby", seats.state == "invited")
    of_person: Any = bindparam("person")
    rank = case((games.to_move == of_person, 0), (invited, 1), else_=2)
    return Prepared(
        select(*_BRIEF_COLUMNS, (rank < 2).label("waiting"))
        .join(seats, seats.game == games.id)
        .where(seats.person == of_person, seats.live, seats.state != "declined", *where)
        .order_by(rank, games.waiting_since, games.id)
        .limit(bindparam("most", type_=Integer())),
        is_short=False,
    )


_LIVE_OF_PERSON: Final = _build_live_of_person()
_LIVE_OF_PERSON_IN_PLACE: Final = _build_live_of_person(_is_shown_in(bindparam("place")))


def is_result_shown_in(place: int) -> Condition:
    """Return the condition that a result belongs to a game shown in a place."""
    return results.game.in_(select(game_places.game).filter_by(place=place))


def is_ended_between(since: datetime | None, until: datetime | None) -> list[Condition]:
    """Return the conditions that a game ended within a time span, whose limits are optional."""
    begun = [] if since is None else [results.ended_at >= since]
    return begun + ([] if until is None else [results.ended_at < until])


def _build_game(kind: type[Game], row: RowData, taken: tuple[Seat, ...]) -> Game:
    """Build a game, as a GameRow or a GameBrief, from a row with its columns and from its seats."""
    terms, progress = read_terms(row["terms"])
    offers, reminder = read_offers(row["offers"])
    values = {name: row[name] for name in _COLUMN_NAMES[kind] if name in row}
    values |= {"terms": terms, "progress": progress, "offers": offers, "reminder": reminder, "seats": taken}
    unread = [name for name, value in values.items() if value is UNKNOWN_TIME or type(value) is Undecodable]
    if row["status"] not in _STATUSES:
        unread.append("status")
    for seat in taken:
        if Undecodable in (type(seat.state), type(seat.computer), type(seat.joined_by)):
            unread.append("seats")
    return kind(**values, unread=tuple(unread))


class Analyses(Repository):
    """Queries and commands for analyses; a game has at most one."""

    async def get(self, game: str) -> Json | None:
        """Return the analysis of a game, None if there is none."""
        return await self._read_value(select(analyses.found).filter_by(game=game))

    async def store(self, game: str, found: Json, at: datetime) -> None:
        """Store the analysis of a game, replacing an earlier one."""
        await self._upsert(analyses, {"game": game, "found": found, "made_at": at})


_CHANGEABLE_COLUMNS: Final = (
    "status", "place", "options", "rules_version", "seat_count", "turn", "position", "last_turn", "to_move",
    "deadline", "alarm_at", "outcome", "thinking", "started_at", "ended_at", "chance",
)  # fmt: skip
"""The columns that a step may set, besides `terms` and `offers`; all others are constant or derived."""

# Built once: building a statement takes longer than executing it.
_NOW: Final = bindparam("now", type_=Utc())
_MOVER_CHANGED: Final = or_(
    games.to_move.is_distinct_from(bindparam("moves", type_=games.to_move.type)), games.turn != bindparam("then")
)
_STEP: Final = (
    update(games)
    .filter_by(id=bindparam("of_game"), revision=bindparam("before"))
    .values(waiting_since=case((_MOVER_CHANGED, _NOW), else_=games.waiting_since))
    .returning(*_GAME_COLUMNS)
)
_COLUMNS_CHANGED_WITHOUT_EVENT: Final = ("place", "to_move", "deadline", "alarm_at")
"""Columns that can change without an event: by linking people, moving clocks, or a new id of a channel."""
_IS_UNCHANGED: Final = [
    games[name].is_not_distinct_from(bindparam(f"was_{name}", type_=games[name].type))
    for name in _COLUMNS_CHANGED_WITHOUT_EVENT
]
_UPDATE_GAME: Final = Prepared(_STEP)
_UPDATE_UNCHANGED_GAME: Final = Prepared(_STEP.where(*_IS_UNCHANGED))
# A failed delivery keeps its back-off; a post that is due later only to retire old messages becomes due now.
_IS_ONLY_RETIRING: Final = and_(posts.attempts == 0, posts.due_at > _NOW)
_MARK_SURFACES_DUE: Final = Prepared(
    update(posts)
    .filter_by(game=bindparam("of_game"), gone=False, waiting=False)
    .values(due_at=case((_IS_ONLY_RETIRING, _NOW), else_=func.coalesce(posts.due_at, _NOW)))
    .returning(*DUE_COLUMNS)
)


@cache
def _build_event_insert(count: int) -> Prepared:
    """Return the INSERT of an event that also returns a seated person besides `count` ones, and one with planned turns.

    The UPDATE before it may have waited for the row of the game; this statement sees people who were linked meanwhile.
    """
    known = [bindparam(f"seated_{number}", type_=Integer()) for number in range(count)]
    of_game: Any = bindparam("of_game")
    others = select(func.max(seats.person)).where(seats.person.not_in(known)).filter_by(game=of_game)
    planning = select(func.max(analysis_boards.person)).filter_by(game=of_game, planned=True)
    found = (others.scalar_subquery().label("other"), planning.scalar_subquery().label("planning"))
    return Prepared(insert(events).returning(*found))


def _build_result_rows(change: GameChange) -> list[Json]:
    firsts = sum(result.place_number == 1 for result in change.results)
    return [
        asdict(result)
        | {"game": change.game.id, "game_key": change.game.game, "ended_at": change.at}
        | {"mark": "loss" if result.place_number > 1 else "win" if firsts == 1 else "draw"}
        for result in change.results
    ]
