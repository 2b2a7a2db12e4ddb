"""Competitions: events, entrants, games and places; entries of people who are merged, separated or forgotten."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import Integer, bindparam, func, select

from storage.columns import UNKNOWN_TIME, Utc
from storage.competition_schema import (
    CompetitionKind,
    CompetitionRow,
    EntrantRow,
    NewTitle,
    competition_events,
    competition_games,
    competitions,
    entrants,
)
from storage.database import pick
from storage.errors import CodeTaken, Conflict, StorageError
from storage.events import AnsweringRepository, build_event_rows
from storage.message_schema import IS_TABLE, NewNotice, posts
from storage.notices import Notices
from storage.posts import OPEN, NewPost, Posts
from storage.ratings import Titles
from storage.rows import NewEvent
from storage.schema import Event, ProcessedEvent, columns_of, members, places
from storage.sqlite import Prepared

_DUE: Final = Prepared(
    select(competitions.id)
    .where(competitions.due_at <= bindparam("until", type_=Utc()))
    .filter_by(kind=bindparam("of_kind"))
    .order_by(competitions.due_at, "id")
    .limit(bindparam("most", type_=Integer()))
)

ENTERED_EVENT: Final = "entered"
"""The kind of the event by which a person enters a competition."""


def news_kind(kind: str) -> str:
    """Return the kind of the news posts of competitions of a kind; the kind of their table posts is the kind itself."""
    return f"{kind}-news"


class AlreadyPaired(StorageError):
    """A slot of a competition that already has a game; `competition`, `slot`."""

    default = "paired-already"


@dataclass(frozen=True, slots=True, kw_only=True)
class CompetitionChange:
    """One step of a competition, stored completely or not at all; `row` is the new row with the old revision.

    `entrants` are new or changed ones; `games` are the slots that were paired with the ids of their games. `titles` are
    the titles awarded, `notices` the notices to send. `moves` is the number of the last clock move before `at`.
    """

    row: CompetitionRow
    events: tuple[NewEvent, ...]
    at: datetime
    entrants: tuple[EntrantRow, ...] = ()
    games: tuple[tuple[str, str], ...] = ()
    titles: tuple[NewTitle, ...] = ()
    notices: tuple[NewNotice, ...] = ()
    processed: ProcessedEvent | None = None
    moves: int = 0


class Competitions(AnsweringRepository):
    """Queries and commands for competitions."""

    async def create(
        self,
        row: CompetitionRow,
        events: Sequence[NewEvent],
        at: datetime,
        processed: ProcessedEvent | None = None,
        *,
        moves: int = 0,
    ) -> None:
        """Store a new competition, shown in its place; AlreadyProcessed, CodeTaken."""
        async with self._answering(processed, at):
            if not await self._insert_if_new(competitions, asdict(row) | {"revision": len(events)}):
                raise CodeTaken(competition=row.id)
            owner = {"competition": row.id, "moves": moves}
            await self._insert(competition_events, build_event_rows(owner, 0, events, at, processed))
            await self._show(row.id, row.kind, row.place, at)

    async def get(self, competition: str) -> CompetitionRow | None:
        """Return a competition, None if there is none with this id."""
        return await self._find(CompetitionRow, id=competition)

    async def list_ids(self, after: str = "", limit: int = 100, kind: CompetitionKind = "cup") -> list[str]:
        """Return the ids of all competitions of a kind after a given id, in alphabetical order."""
        return await self._read_column(
            select(competitions.id).where(competitions.id > after).filter_by(kind=kind).order_by("id").limit(limit)
        )

    async def events(self, competition: str, after: int = 0) -> list[Event]:
        """Return the events of a competition numbered above `after`, in order."""
        columns = columns_of(Event, competition_events)
        return await self._read_rows(
            select(competition_events.competition.label("game"), *columns)
            .where(competition_events.number > after)
            .filter_by(competition=competition)
            .order_by("number"),
            Event,
        )

    async def entrants(self, competition: str) -> list[EntrantRow]:
        """Return all entrants of a competition by number, including those who have left."""
        return await self._list(EntrantRow, competition=competition, order=["number"])

    async def paired_games(self, competition: str) -> dict[str, str]:
        """Return the games of a competition by slot."""
        return await self._read_pairs(
            select(competition_games.slot, competition_games.game).filter_by(competition=competition)
        )

    async def commit(self, change: CompetitionChange) -> None:
        """Store a step of a competition; Conflict, AlreadyProcessed, AlreadyPaired.

        All places that show it are scheduled for an update.
        """
        row, at = change.row, change.at
        values = pick(row, ("status", "due_at", "ended_at")) | {"revision": row.revision + len(change.events)}
        async with self._answering(change.processed, at):
            if not await self._update(competitions, values, id=row.id, revision=row.revision):
                raise Conflict(game=row.id, revision=row.revision)
            owner = {"competition": row.id, "moves": change.moves}
            news = build_event_rows(owner, row.revision, change.events, at, change.processed)
            await self._insert(competition_events, news)
            for each in change.entrants:
                await self._upsert(entrants, asdict(each) | {"competition": row.id})
            for slot, game in change.games:
                paired = {"competition": row.id, "slot": slot, "game": game}
                if not await self._insert_if_new(competition_games, paired):
                    raise AlreadyPaired(competition=row.id, slot=slot)
            await Titles(self._database).award(change.titles, at)
            await Notices(self._database).promise(None, (), change.notices, at)
            await Posts(self._database).mark_due(at, is_outdated=False, competition=row.id)
            self._emit("competition", row.id)

    async def list_due(self, now: datetime, limit: int = 100, kind: CompetitionKind = "cup") -> list[str]:
        """Return the competitions of a kind that are due, earliest first."""
        return await self._read_column(_DUE, {"of_kind": kind, "until": now, "most": limit})

    async def next_due_at(self, kind: CompetitionKind = "cup") -> datetime | None:
        """Return when the next competition is due, None if none is."""
        return await self._read_earliest(competitions.due_at, kind=kind)

    async def postpone(self, competition: str, was: datetime | None, until: datetime | None) -> None:
        """Change when a competition is due, unless that has changed since it was read."""
        # An unreadable time counts as unchanged.
        same = [] if was == UNKNOWN_TIME else [competitions.due_at.is_not_distinct_from(was)]
        await self._update(competitions, {"due_at": until}, *same, id=competition)

    async def list_in_place(self, place: int, limit: int = 25, kind: CompetitionKind = "cup") -> list[CompetitionRow]:
        """Return the competitions shown in a place: first unfinished ones, newest first, then finished ones."""
        shown = select(posts.competition).where(IS_TABLE).filter_by(place=place)
        return await self._list(
            CompetitionRow,
            competitions.id.in_(shown),
            kind=kind,
            order=(competitions.ended_at.is_not(None), competitions.created_at.desc()),
            limit=limit,
        )

    async def list_made_by(self, person: int, kind: CompetitionKind = "cup") -> list[CompetitionRow]:
        """Return the competitions of a kind that a person made, newest first."""
        return await self._list(CompetitionRow, maker=person, kind=kind, order=[competitions.created_at.desc()])

    async def private_place(self, person: int, platform: str) -> int | None:
        """Return the place of a person's private chat on the platform where they were seen last, None without one."""
        return await self._read_value(
            select(members.place)
            .join(places)
            .filter_by(person=person, platform=platform, kind="private")
            .order_by(members.seen_at.desc())
            .limit(1)
        )

    async def count_wins(self, person: int) -> dict[str, int]:
        """Return how many competitions a person has won, by game key."""
        won = select(entrants.competition).filter_by(person=person, rank=1)
        return await self._read_pairs(
            select(competitions.game_key, func.count())
            .where(competitions.id.in_(won))
            .filter_by(kind="cup")
            .group_by(competitions.game_key)
        )

    # Where competitions are shown.

    async def add_place(self, competition: str, place: int, at: datetime) -> None:
        """Show a competition in a place with a new message."""
        kind = await self._read_value(select(competitions.kind).filter_by(id=competition))
        await self._show(competition, str(kind), place, at)

    async def _show(self, competition: str, kind: str, place: int, at: datetime) -> None:
        async with self._transaction():
            self._emit("competition", competition)
            await Posts(self._database).show(NewPost(kind, competition, place, at, competition=competition))

    async def transfer_entries(self, gone: int, remaining: int) -> None:
        """Transfer the entries of a person to another; where both have entered, the other person's entry stays."""
        only_one = entrants.competition.not_in(select(entrants.competition).filter_by(person=remaining))
        await self._update(entrants, {"person": remaining}, only_one, person=gone)
        await self._update(entrants, {"person": None, "inside": False, "rank": None}, person=gone)
        await self._update(competitions, {"maker": remaining}, maker=gone)
        await self._mark_due([remaining])

    async def restore_entries(self, person: int, own: int) -> None:
        """Restore the entries that a person had before they were merged, in finished competitions only."""
        by = select(competition_events.competition).filter_by(kind=ENTERED_EVENT)
        theirs, others = by.filter_by(person=own), by.filter_by(person=person)
        over = select(competitions.id).filter_by(id=entrants.competition, status="over")
        brought = (over.exists(), entrants.competition.in_(theirs), entrants.competition.not_in(others))
        await self._update(entrants, {"person": own}, *brought, person=person)

    async def forget_entries(self, people: Collection[int]) -> None:
        """Withdraw forgotten people from their competitions and remove the ids of the events by which they entered."""
        await self._mark_due(people)
        await self._update(entrants, {"inside": False}, entrants.person.in_(people))

    async def _mark_due(self, people: Collection[int]) -> None:
        """Make the competitions that people have entered due, and their tables, which then show the current names."""
        mine = select(entrants.competition).where(entrants.person.in_(people))
        going_on = (competitions.id.in_(mine), competitions.status != "over")
        await self._update(competitions, {"due_at": competitions.created_at}, *going_on)
        made = select(competitions.created_at).filter_by(id=posts.competition)
        again = {"due_at": made.scalar_subquery(), "shown_revision": None}
        await self._update(posts, again, posts.competition.in_(mine), IS_TABLE, *OPEN)
