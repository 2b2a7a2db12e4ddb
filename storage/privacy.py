"""Exporting and forgetting a person's data."""

from datetime import datetime
from typing import Any, Final

from sqlalchemy import Table, delete, select, update

from storage.columns import Json
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
from storage.message_schema import notice_choices, notices, public_pages, room_messages, rooms, webhooks
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
from storage.room import drop_pictures
from storage.schema import (
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

_EXPORTED: Final[dict[str, tuple[Table, tuple[str, ...]]]] = {
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


def _build_other_queries(person: int) -> Json:
    place = (places.c.platform, places.c.channel, places.c.title)
    at_place = {
        table: select(*columns).join(places, places.c.id == table.c.place).where(table.c.person == person)
        for table, columns in (
            (members, (*place, members.c.seen_at)),
            (notice_choices, (*place, notice_choices.c.route)),
            (bans, (*place, bans.c.kind, bans.c.until, bans.c.made_at)),
        )
    }
    return {
        "person": select(people).filter_by(id=person),
        "seen": at_place[members].order_by(members.c.seen_at),
        "notice_choices": at_place[notice_choices].order_by(places.c.id),
        "bans": at_place[bans].order_by(bans.c.id),
        "running": select(games.c.id, games.c.game, games.c.status, games.c.created_at)
        .where(games.c.id.in_(select(seats.c.game).filter_by(person=person, live=True)))
        .order_by(games.c.id),
        "puzzle_places": select(*place, attempts.c.puzzle)
        .join(attempt_places, attempt_places.c.place == places.c.id)
        .join(attempts, attempts.c.id == attempt_places.c.attempt)
        .where(attempts.c.person == person)
        .order_by(attempts.c.id, places.c.id),
        "played_puzzles": select(played_puzzles.c.id, played_puzzles.c.game, played_puzzles.c.made_at)
        .where(played_puzzles.c.game.in_(select(results.c.game).filter_by(person=person)))
        .order_by(played_puzzles.c.id),
        "made_competitions": select(competitions.c.id, competitions.c.game_key, competitions.c.created_at)
        .filter_by(maker=person)
        .order_by(competitions.c.created_at, competitions.c.id),
        "messages": select(room_messages.c.room, room_messages.c.text, room_messages.c.created_at)
        .filter_by(author=person)
        .order_by(room_messages.c.id),
    }


class Privacy(Repository):
    """Commands for exporting and forgetting people."""

    async def export_person(self, person: int) -> Json:
        """Return all stored data about a person in readable form."""
        queries = _build_other_queries(person)
        for name, (table, columns) in _EXPORTED.items():
            chosen = [table.c[each] for each in columns or table.c.keys()]
            queries[name] = select(*chosen).filter_by(person=person).order_by(*table.primary_key)
        async with self._database.snapshot():
            return {name: await self._read_all(query, _to_plain_data) for name, query in queries.items()}

    async def forget_person(self, person: int, at: datetime) -> list[int]:
        """Delete everything that identifies a person: names, identities, settings, messages and where they were seen.

        Their games stay, with a nameless player in their seats. Returns the ids of all the people they have been.
        """
        async with self._transaction() as connection:
            self._database.change_all_rows()
            self._emit("people")
            known = select(people.c.id).where((people.c.id == person) | (people.c.merged_into == person))
            everybody = await self._read_column(known.with_for_update())
            await drop_attempts(connection, attempts.c.person.in_(everybody))
            await drop_played_puzzles(connection, everybody)
            await forget_entries(connection, everybody)
            await forget_votes(connection, everybody, at)
            await connection.execute(delete(titles).where(titles.c.original.in_(everybody)))
            await connection.execute(delete(bans).where(bans.c.person.in_(everybody)).filter_by(browser=""))
            for table in _DELETED:
                await connection.execute(delete(table).where(table.c.person.in_(everybody)))
            for table in _NAMELESS:
                await connection.execute(update(table).where(table.c.person.in_(everybody)).values(person=None))
            blank: Json = {"name": "", "language": None, "settings": {}}
            await connection.execute(update(people).where(people.c.id.in_(everybody)).values(**blank))
            mine = select(room_messages.c.id, room_messages.c.room)
            mine = mine.where(room_messages.c.author.in_(everybody) | room_messages.c.recipient.in_(everybody))
            for message, room in await self._read(mine):
                await connection.execute(update(rooms).filter_by(name=room).values(change=rooms.c.change + 1))
                change = select(rooms.c.change).filter_by(name=room).scalar_subquery()
                gone = {"text": "", "card": None, "picture": None, "deleted": True, "edited_at": at, "change": change}
                await connection.execute(update(room_messages).filter_by(id=message).values(**gone))
                await drop_pictures(connection, [message])
        return everybody


def _to_plain_data(row: Json) -> Json:
    return {name: _to_plain_value(value) for name, value in row.items()}


def _to_plain_value(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else list(value) if isinstance(value, tuple) else value
