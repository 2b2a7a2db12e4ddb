"""Exporting, forgetting, merging and separating people.

A person links another identity with a code, which merges two people; they can be separated again.

The row of a person who was merged into another stays and points to the other (`merged_into`). Finished games keep their
original players, so that separating can restore the results of each.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any, Final

from sqlalchemy import case, delete, func, select

from storage.boards import Guesses
from storage.columns import AnySelect, Condition, Json
from storage.competition_schema import (
    competition_events,
    competitions,
    entrants,
    team_invitations,
    team_proposals,
    team_voters,
    team_votes,
    titles,
)
from storage.competitions import Competitions
from storage.database import Repository
from storage.errors import StorageError
from storage.message_schema import notice_choices, notices, public_pages, room_messages, webhooks
from storage.notices import PRIVATE
from storage.people import to_person
from storage.puzzle_schema import (
    attempt_places,
    attempts,
    guess_consents,
    guesses,
    own_moments,
    played_puzzles,
    puzzle_days,
    puzzle_ratings,
)
from storage.puzzles import PlayedPuzzles, Puzzles
from storage.room import RoomHistory
from storage.schema import (
    DeclaredTable,
    Person,
    Rating,
    analysis_boards,
    bans,
    events,
    form_drafts,
    games,
    identities,
    lessons,
    link_codes,
    members,
    people,
    places,
    ratings,
    results,
    seats,
)
from storage.team_rounds import VOTED_AS_PART, StoredRounds, sides_met

_EXPORTED: Final[dict[str, tuple[DeclaredTable, tuple[str, ...]]]] = {
    "identities": (identities, ("platform", "user_id", "name", "language", "can_dm")),
    "ratings": (ratings, ()),
    "moves": (events, ("game", "number", "kind", "data", "at")),
    "results": (results, ("game", "game_key", "place_number", "pace", "ended_at")),
    "link_codes": (link_codes, ("code", "expires_at")),
    "form_drafts": (form_drafts, ("form", "chosen", "expires_at")),
    "lessons": (lessons, ("game_key", "step", "touched_at", "finished_at")),
    "analysis_boards": (analysis_boards, ("game", "tree", "touched_at")),
    "puzzles": (attempts, ()),
    "puzzle_days": (puzzle_days, ("day", "puzzle", "mark")),
    "puzzle_ratings": (puzzle_ratings, ()),
    "own_moments": (own_moments, ()),
    "guesses": (guesses, ("game", "revision", "actions", "browser", "made_at", "hit", "good")),
    "guess_consents": (guess_consents, ("game", "agreed_at")),
    "notices": (notices, ("kind", "game", "route", "made_at", "delivered_at")),
    "competitions": (entrants, ("competition", "number", "inside", "rank")),
    "competition_events": (competition_events, ("competition", "number", "kind", "data", "at")),
    "public_pages": (public_pages, ("id", "made_at")),
    "webhooks": (webhooks, ("address", "made_at")),
    "titles": (titles, ("kind", "game_key", "source", "period", "earned_at")),
    "team_proposals": (team_proposals, ("game", "round", "number", "kind", "actions", "made_at")),
    "team_votes": (team_votes, ("game", "round", "proposal", "browser", "at")),
    "team_voters": (team_voters, ("game", "admitted", "called")),
    "team_invitations": (team_invitations, ("game", "asked_at")),
    "seen": (members, ("place", "seen_at")),
    "notice_choices": (notice_choices, ("place", "route")),
    "bans": (bans, ("place", "kind", "until", "made_at")),
    "made_competitions": (competitions, ("id", "game_key", "created_at")),
    "messages": (room_messages, ("room", "text", "created_at")),
}
"""The tables with data about a person, and the columns that are exported: all if none are named."""
_OWN: Final = (
    lessons,
    analysis_boards,
    puzzle_days,
    puzzle_ratings,
    own_moments,
    guesses,
    guess_consents,
    team_voters,
    team_invitations,
    notices,
    notice_choices,
    titles,
    form_drafts,
)
"""The tables whose rows belong to a person alone: transferred on a merge, and deleted with the person."""
_DELETED: Final = (identities, members, link_codes, *_OWN)
"""The tables whose rows are deleted with a person."""
_TRANSFERRED: Final = (results, bans, webhooks, team_proposals, team_votes, *_OWN)
"""The tables whose rows are transferred on a merge, besides messages."""
_FIRST: Final[Mapping[DeclaredTable, tuple[Any, ...]]] = {
    lessons: (lessons.step == "",),
    analysis_boards: (analysis_boards.planned.desc(), analysis_boards.touched_at.desc()),
    puzzle_ratings: (puzzle_ratings.tries.desc(),),
    own_moments: (own_moments.reviews.desc(), own_moments.id),
    guesses: (guesses.made_at, guesses.id),
    team_votes: (team_votes.proposal == VOTED_AS_PART, team_votes.at.desc(), team_votes.id.desc()),
}
"""The order of rows with the same key on a merge: the first stays; without an order, the remaining person's row."""
_NAMELESS: Final = (public_pages, webhooks, bans, team_proposals, team_votes)
"""The tables whose rows stay without the person: page ids stay taken, and bans apply to anonymous browser ids."""


_OWNERS: Final = {competitions: "maker", room_messages: "author"}
"""The column with the owner of a row, where it is not `person`."""
_PLACE: Final = (places.platform, places.channel, places.title)


def _build_export(person: int, table: DeclaredTable, names: Sequence[str]) -> AnySelect:
    """Return the query for some columns of a person's rows, or all; a place is exported by its id and title."""
    columns = [table[name] for name in names or table.table.c.keys() if name != "place" or not names]
    query = select(*columns).filter_by(**{_OWNERS.get(table, "person"): person}).order_by(*table.table.primary_key)
    if "place" in names:
        query = query.with_only_columns(*_PLACE, *columns).join_from(table, places, places.id == table.place)
    return query


def _build_other_exports(person: int) -> dict[str, AnySelect]:
    """Return the queries for data that belongs to a person other than by an owner column of its table."""
    return {
        "person": select(people).filter_by(id=person),
        "running": select(games.id, games.game, games.status, games.created_at)
        .where(games.id.in_(select(seats.game).filter_by(person=person, live=True)))
        .order_by(games.id),
        "puzzle_places": select(*_PLACE, attempts.puzzle)
        .join(attempt_places, attempt_places.place == places.id)
        .join(attempts, attempts.id == attempt_places.attempt)
        .where(attempts.person == person)
        .order_by(attempts.id, places.id),
        "played_puzzles": select(played_puzzles.id, played_puzzles.game, played_puzzles.made_at)
        .where(played_puzzles.game.in_(select(results.game).filter_by(person=person)))
        .order_by(played_puzzles.id),
    }


class Privacy(Repository):
    """Commands for exporting and forgetting people."""

    async def export_person(self, person: int) -> Json:
        """Return all stored data about a person in readable form."""
        queries = _build_other_exports(person)
        queries |= {name: _build_export(person, *exported) for name, exported in _EXPORTED.items()}
        async with self._database.snapshot():
            return {name: await self._read_all(query, _to_plain_data) for name, query in queries.items()}

    async def forget_person(self, person: int, at: datetime) -> list[int]:
        """Delete everything that identifies a person: names, identities, settings, messages and where they were seen.

        Their games stay, with a nameless player in their seats. Returns the ids of all merged people.
        """
        async with self._transaction():
            self._change_everybody()
            known = select(people.id).where((people.id == person) | (people.merged_into == person))
            everybody = await self._read_column(known.with_for_update())
            await Puzzles(self._database).drop_attempts(attempts.person.in_(everybody))
            await PlayedPuzzles(self._database).withdraw(*everybody)
            await Competitions(self._database).forget_entries(everybody)
            await StoredRounds(self._database).forget_votes(everybody, at)
            await self._delete(titles, titles.original.in_(everybody))
            await self._delete(bans, bans.person.in_(everybody), browser="")
            for table in _DELETED:
                await self._delete(table, table.person.in_(everybody))
            for table in _NAMELESS:
                await self._update(table, {"person": None}, table.person.in_(everybody))
            blank: Json = {"name": "", "language": None, "settings": {}}
            await self._update(people, blank, people.id.in_(everybody))
            room = RoomHistory(self._database)
            theirs = room_messages.author.in_(everybody) | room_messages.recipient.in_(everybody)
            for message in await self._read_column(select(room_messages.id).where(theirs)):
                await room.delete_message(message, at)
        return everybody


def _to_plain_data(row: Json) -> Json:
    return {
        name: value.isoformat() if isinstance(value, datetime) else list(value) if isinstance(value, tuple) else value
        for name, value in row.items()
    }


class PlayEachOther(StorageError):
    """Two people who play against each other in an unfinished game cannot be merged; `game`."""

    default = "play-each-other"


class Links(Repository):
    """Queries and commands for linking people."""

    async def store_code(self, code: str, person: int, expires_at: datetime) -> None:
        """Store a person's link code, replacing an earlier one; it links another identity until it expires."""
        async with self._transaction():
            await self._delete(link_codes, person=person)
            await self._upsert(link_codes, {"code": code, "person": person, "expires_at": expires_at})

    async def redeem_code(self, code: str, now: datetime) -> int | None:
        """Return the owner of a code and delete it; None if it is unknown or has expired."""
        query = delete(link_codes).filter_by(code=code).returning(link_codes.person, link_codes.expires_at)
        async with self._transaction():
            return next((person for person, expires_at in await self._read(query) if expires_at >= now), None)

    async def merge_people(self, remaining: int, gone: int) -> Person | None:
        """Merge two people and return the result, None if one does not exist; PlayEachOther.

        Identities, unfinished games and results are transferred. For each game and pace the rating with more games
        counts; games between the two count for neither.
        """
        async with self._transaction():
            both = await self._read_all(
                select(people)
                .where(people.id.in_((remaining, gone)))
                .filter_by(merged_into=None)
                .order_by("id")
                .with_for_update(),
                to_person,
            )
            if len(both) != 2:
                return None
            # Identities first: concurrent writes for either person check them (`_answering`).
            moved = {"person": remaining, "previous_person": func.coalesce(identities.previous_person, gone)}
            await self._update(identities, moved, person=gone)
            for meeting in (_common(seats, remaining, gone, live=True), sides_met(remaining, gone)):
                for game in await self._read_column(meeting.limit(1)):
                    raise PlayEachOther(game=game)
            common = results.game.in_(_common(results, remaining, gone))
            for person in (remaining, gone):
                await self._uncount_results(person, common)
            await self._update(results, {"rated": False}, common, results.person.in_((remaining, gone)))
            await self._move_running(gone, remaining)
            await self._join_ratings(remaining, gone)
            await Guesses(self._database).drop_own((gone, remaining))
            await Puzzles(self._database).transfer_attempts(gone, remaining)
            await Competitions(self._database).transfer_entries(gone, remaining)
            # Private notices in delivery refer to the old person id: they are due again.
            private = {"person": gone, "route": PRIVATE, "delivered_at": None}
            await self._update(notices, {"due_at": notices.made_at}, **private)
            for table in _TRANSFERRED:
                await self._transfer(table, gone, remaining, *_FIRST.get(table, ()))
            for owner in ("author", "recipient"):
                await self._transfer(room_messages, gone, remaining, owner=owner)
            await PlayedPuzzles(self._database).withdraw_without_consent(remaining)
            await self._delete(link_codes, link_codes.person.in_((remaining, gone)))
            await self._update(people, {"merged_into": remaining}, id=gone)
            self._change_everybody()
            self._emit("notices")
            return next(each for each in both if each.id == remaining)

    async def _join_ratings(self, remaining: int, gone: int) -> None:
        found: dict[tuple[str, str, str], list[Rating]] = {}
        for each in await self._list(Rating, ratings.person.in_((remaining, gone))):
            found.setdefault((each.game_key, each.pool, each.pace), []).append(each)
        for rows in found.values():
            most = max(rows, key=lambda row: (row.played, row.person == remaining))
            sums = {name: sum(getattr(row, name) for row in rows) for name in _COUNTED_AS.values()}
            await self._upsert(ratings, {**asdict(most), **sums, "person": remaining})

    async def _move_running(self, gone: int, remaining: int) -> None:
        running = games.id.in_(await self._read_column(select(seats.game).filter_by(person=gone, live=True)))
        # The lock serializes this with the steps of these games.
        await self._read(select(games.id).where(running).order_by(games.id).with_for_update())
        for column in (games.starter, games.to_move):
            await self._update(games, {column: remaining}, running, column == gone)
        await self._update(seats, {"person": remaining}, person=gone, live=True)

    async def _uncount_results(self, person: int, *where: Condition) -> None:
        """Subtract some of a person's rated results, which no longer count for them, from the counts of their ratings.

        The ratings themselves are not recomputed.
        """
        query = select(results.game_key, results.pool, results.pace, results.mark).where(*where)
        counted = Counter[tuple[str, str, str, str]]()
        for key, pool, pace, mark in await self._read(query.filter_by(rated=True, person=person)):
            # The rating of all games together has an empty key.
            counted.update([(key, pool, pace, mark), ("", pool, pace, mark)])
        for (key, pool, pace, mark), count in counted.items():
            if (name := _COUNTED_AS.get(mark)) is not None:
                column = ratings[name]
                left = case((column > count, column - count), else_=0)
                await self._update(ratings, {column: left}, person=person, game_key=key, pool=pool, pace=pace)

    async def split_identity(self, platform: str, user: str) -> bool:
        """Separate an identity from the person it was linked to; return whether it was linked.

        The linked person becomes separate again, with the ratings, finished games and competitions from before the
        merge; unfinished games stay.
        """
        async with self._transaction():
            person = await self._read_value(select(identities.person).filter_by(platform=platform, user_id=user))
            await self._lock(people, id=person)
            linked = await self._read(
                select(identities).where(identities.previous_person.is_not(None)).filter_by(person=person)
            )
            if not linked:
                return False
            # The requesting identity; if that is the original one, the identity linked last.
            chosen = next((row for row in linked if (row.platform, row.user_id) == (platform, user)), linked[-1])
            own = chosen.previous_person
            key = {"platform": chosen.platform, "user_id": chosen.user_id}
            await self._update(identities, {"person": own, "previous_person": None}, **key)
            await self._update(people, {"merged_into": None}, id=own)
            theirs = select(seats.game).filter_by(person=own, game=results.game, seat=results.seat).exists()
            await self._uncount_results(chosen.person, theirs)
            await self._update(results, {"person": own}, theirs, person=chosen.person)
            await PlayedPuzzles(self._database).withdraw_without_consent(own)
            await Competitions(self._database).restore_entries(chosen.person, own)
            await self._update(titles, {"person": own}, person=chosen.person, original=own)
            await StoredRounds(self._database).mark_voted(chosen.person, own)
            begins = func.substr(chosen.user_id, 1, func.length(bans.browser)) == bans.browser
            await self._update(bans, {"person": own}, bans.browser != "", begins, person=chosen.person)
            # Messages of the room that the identity wrote or received have it in their keys.
            for column, kind in ((room_messages.author, "say"), (room_messages.recipient, "reply")):
                beginning = f"{kind}:{chosen.user_id}:"
                begins = func.substr(room_messages.key, 1, len(beginning)) == beginning
                await self._update(room_messages, {column: own}, column == chosen.person, begins)
            self._change_everybody()
        return True


def _common(table: Any, one: int, other: int, **equal: Any) -> Any:
    """Return the query for the games in which both people have a row."""
    theirs = select(table.game).filter_by(person=other, **equal)
    return select(table.game).where(table.game.in_(theirs)).filter_by(person=one, **equal)


_COUNTED_AS: Final = {"win": "wins", "draw": "draws", "loss": "losses"}
