"""Exporting and forgetting a person's data."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import delete, select, update

from storage.columns import AnySelect, Json
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
from storage.competitions import forget_entries
from storage.database import Repository
from storage.message_schema import notice_choices, notices, public_pages, room_messages, webhooks
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
from storage.puzzles import drop_attempts, drop_played_puzzles
from storage.room import RoomHistory
from storage.schema import (
    DeclaredTable,
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
from storage.team_rounds import forget_votes

_EXPORTED: Final[dict[str, tuple[DeclaredTable, tuple[str, ...]]]] = {
    "identities": (identities, ("platform", "user_id", "name", "language", "can_dm")),
    "ratings": (ratings, ()),
    "moves": (events, ("game", "number", "kind", "data", "at")),
    "results": (results, ("game", "game_key", "place_number", "ended_at")),
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
"""Where there is something about a person, and what of it they are given: everything where no columns are named."""
_DELETED: Final = (
    identities,
    members,
    link_codes,
    form_drafts,
    lessons,
    analysis_boards,
    notices,
    notice_choices,
    puzzle_days,
    puzzle_ratings,
    own_moments,
    guesses,
    guess_consents,
    titles,
    team_voters,
    team_invitations,
)
"""What is deleted with a person."""
_NAMELESS: Final = (public_pages, webhooks, bans)
"""What stays without them: the ids of pages are taken, and bans hold for a browser, whose id does not identify them."""


_OWNERS: Final = {competitions: "maker", room_messages: "author"}
"""The column that says whose a row is, where it is not `person`."""
_PLACE: Final = (places.platform, places.channel, places.title)


def _build_export(person: int, table: DeclaredTable, names: Sequence[str]) -> AnySelect:
    """Return the query for some columns of a person's rows, or all; of a place, what people know it by."""
    columns = [table[name] for name in names or table.table.c.keys() if name != "place" or not names]
    query = select(*columns).filter_by(**{_OWNERS.get(table, "person"): person}).order_by(*table.table.primary_key)
    if "place" in names:
        query = query.with_only_columns(*_PLACE, *columns).join_from(table, places, places.id == table.place)
    return query


def _build_other_exports(person: int) -> dict[str, AnySelect]:
    """Return the queries for what is a person's by something else than a column of the row itself."""
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

        Their games stay, with a nameless player in their seats. Returns the ids of all the people they have been.
        """
        async with self._transaction() as connection:
            self._database.change_all_rows()
            self._emit("people")
            self._emit("due")
            known = select(people.id).where((people.id == person) | (people.merged_into == person))
            everybody = await self._read_column(known.with_for_update())
            await drop_attempts(connection, attempts.person.in_(everybody))
            await drop_played_puzzles(connection, everybody)
            await forget_entries(connection, everybody)
            await forget_votes(connection, everybody, at)
            await connection.execute(delete(titles).where(titles.original.in_(everybody)))
            await connection.execute(delete(bans).where(bans.person.in_(everybody)).filter_by(browser=""))
            for table in _DELETED:
                await connection.execute(delete(table).where(table.person.in_(everybody)))
            for table in _NAMELESS:
                await connection.execute(update(table).where(table.person.in_(everybody)).values(person=None))
            blank: Json = {"name": "", "language": None, "settings": {}}
            await connection.execute(update(people).where(people.id.in_(everybody)).values(**blank))
            room = RoomHistory(self._database)
            theirs = room_messages.author.in_(everybody) | room_messages.recipient.in_(everybody)
            for message in await self._read_column(select(room_messages.id).where(theirs)):
                await room.delete_message(message, at)
        return everybody


def _to_plain_data(row: Json) -> Json:
    return {name: _to_plain_value(value) for name, value in row.items()}


def _to_plain_value(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else list(value) if isinstance(value, tuple) else value
