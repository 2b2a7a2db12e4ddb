"""Exporting and forgetting a person's data."""

from datetime import datetime
from typing import Any

from sqlalchemy import delete, select, update

from storage.competition_moves import forget_entries
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
from storage.database import Repository
from storage.guesses import forget_guesses
from storage.private_boards import forget_own_moments
from storage.public_pages import forget_pages
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
from storage.puzzles import drop_played_puzzles, forget_puzzles
from storage.ratings import forget_titles
from storage.room import drop_pictures
from storage.rows import Json
from storage.schema import (
    analysis_boards,
    bans,
    events,
    games,
    identities,
    lessons,
    link_codes,
    members,
    notice_choices,
    notices,
    people,
    places,
    public_pages,
    ratings,
    results,
    room_messages,
    rooms,
    seats,
    webhooks,
)
from storage.team_rounds import forget_votes


class Privacy(Repository):
    """Commands for exporting and forgetting people."""

    async def export_person(self, person: int) -> Json:
        """Return all stored data about a person in readable form."""
        queries: dict[str, Any] = {
            "person": select(people).filter_by(id=person),
            "identities": select(
                *(identities.c[name] for name in ("platform", "user_id", "name", "language", "can_dm"))
            )
            .where(identities.c.person == person)
            .order_by(identities.c.platform, identities.c.user_id),
            "seen": select(places.c.platform, places.c.channel, places.c.title, members.c.seen_at)
            .join(places, places.c.id == members.c.place)
            .where(members.c.person == person)
            .order_by(members.c.seen_at),
            "ratings": select(ratings).filter_by(person=person).order_by(ratings.c.game_key),
            "running": select(games.c.id, games.c.game, games.c.status, games.c.created_at)
            .join(seats, seats.c.game == games.c.id)
            .where(seats.c.person == person, seats.c.live)
            .order_by(games.c.id),
            "moves": select(events.c.game, events.c.number, events.c.kind, events.c.data, events.c.at)
            .filter_by(person=person)
            .order_by(events.c.game, events.c.number),
            "results": select(results.c.game, results.c.game_key, results.c.place_number, results.c.ended_at)
            .filter_by(person=person)
            .order_by(results.c.ended_at, results.c.game),
            "link_codes": select(link_codes.c.code, link_codes.c.expires_at).filter_by(person=person),
            "lessons": select(lessons.c.game_key, lessons.c.step, lessons.c.touched_at, lessons.c.finished_at)
            .filter_by(person=person)
            .order_by(lessons.c.game_key),
            "analysis_boards": select(analysis_boards.c.game, analysis_boards.c.tree, analysis_boards.c.touched_at)
            .filter_by(person=person)
            .order_by(analysis_boards.c.game),
            "puzzles": select(attempts).filter_by(person=person).order_by(attempts.c.id),
            "puzzle_places": select(places.c.platform, places.c.channel, places.c.title, attempts.c.puzzle)
            .join(attempt_places, attempt_places.c.place == places.c.id)
            .join(attempts, attempts.c.id == attempt_places.c.attempt)
            .where(attempts.c.person == person)
            .order_by(attempts.c.id, places.c.id),
            "puzzle_days": select(puzzle_days.c.day, puzzle_days.c.puzzle, puzzle_days.c.mark)
            .filter_by(person=person)
            .order_by(puzzle_days.c.day),
            "puzzle_ratings": select(puzzle_ratings).filter_by(person=person).order_by(puzzle_ratings.c.game_key),
            "own_moments": select(own_moments).filter_by(person=person).order_by(own_moments.c.id),
            "played_puzzles": select(played_puzzles.c.id, played_puzzles.c.game, played_puzzles.c.made_at)
            .join(results, results.c.game == played_puzzles.c.game)
            .where(results.c.person == person)
            .order_by(played_puzzles.c.id),
            "guesses": select(
                *(guesses.c[name] for name in ("game", "revision", "actions", "browser", "made_at", "hit", "good"))
            )
            .where(guesses.c.person == person)
            .order_by(guesses.c.id),
            "guess_consents": select(guess_consents.c.game, guess_consents.c.agreed_at)
            .filter_by(person=person)
            .order_by(guess_consents.c.game),
            "notices": select(
                notices.c.kind, notices.c.game, notices.c.route, notices.c.made_at, notices.c.delivered_at
            )
            .filter_by(person=person)
            .order_by(notices.c.id),
            "notice_choices": select(places.c.platform, places.c.channel, places.c.title, notice_choices.c.route)
            .join(places, places.c.id == notice_choices.c.place)
            .where(notice_choices.c.person == person)
            .order_by(places.c.id),
            "bans": select(places.c.platform, places.c.channel, bans.c.kind, bans.c.until, bans.c.made_at)
            .join(places, places.c.id == bans.c.place)
            .where(bans.c.person == person)
            .order_by(bans.c.id),
            "competitions": select(entrants.c.competition, entrants.c.number, entrants.c.inside, entrants.c.rank)
            .filter_by(person=person)
            .order_by(entrants.c.competition),
            "made_competitions": select(competitions.c.id, competitions.c.game_key, competitions.c.created_at)
            .filter_by(maker=person)
            .order_by(competitions.c.created_at, competitions.c.id),
            "competition_events": select(
                competition_events.c.competition,
                competition_events.c.number,
                competition_events.c.kind,
                competition_events.c.data,
                competition_events.c.at,
            )
            .filter_by(person=person)
            .order_by(competition_events.c.competition, competition_events.c.number),
            "public_pages": select(public_pages.c.id, public_pages.c.made_at).filter_by(person=person),
            "webhooks": select(webhooks.c.address, webhooks.c.made_at).filter_by(person=person).order_by(webhooks.c.id),
            "titles": select(*(titles.c[name] for name in ("kind", "game_key", "source", "period", "earned_at")))
            .where(titles.c.person == person)
            .order_by(titles.c.earned_at, titles.c.id),
            "team_proposals": select(
                *(team_proposals.c[name] for name in ("game", "round", "number", "kind", "actions", "made_at"))
            )
            .where(team_proposals.c.person == person)
            .order_by(team_proposals.c.id),
            "team_votes": select(*(team_votes.c[name] for name in ("game", "round", "proposal", "browser", "at")))
            .where(team_votes.c.person == person)
            .order_by(team_votes.c.id),
            "team_voters": select(team_voters.c.game, team_voters.c.admitted, team_voters.c.called)
            .filter_by(person=person)
            .order_by(team_voters.c.game),
            "team_invitations": select(team_invitations.c.game, team_invitations.c.asked_at)
            .filter_by(person=person)
            .order_by(team_invitations.c.game),
            "messages": select(room_messages.c.room, room_messages.c.text, room_messages.c.created_at)
            .filter_by(author=person)
            .order_by(room_messages.c.id),
        }
        async with self._database.read_snapshot() as connection:
            found: Json = {}
            for name, query in queries.items():
                rows = (await connection.execute(query)).mappings().all()
                found[name] = [{key: _to_plain_data(value) for key, value in row.items()} for row in rows]
        return found

    async def forget_person(self, person: int, at: datetime) -> list[int]:
        """Delete everything that identifies a person: names, identities, settings, messages and where they were seen.

        Their games stay, with a nameless player in their seats. Returns the ids of all the people they have been.
        """
        async with self._database.transaction() as connection:
            self._database.change_all_rows()
            self._database.emit_after_commit("people")
            known = select(people.c.id).where((people.c.id == person) | (people.c.merged_into == person))
            everybody = (await connection.execute(known.with_for_update())).scalars().all()
            for table, column in (
                (identities, identities.c.person),
                (members, members.c.person),
                (link_codes, link_codes.c.person),
                (lessons, lessons.c.person),
                (analysis_boards, analysis_boards.c.person),
                (notices, notices.c.person),
                (notice_choices, notice_choices.c.person),
            ):
                await connection.execute(delete(table).where(column.in_(everybody)))
            await forget_puzzles(connection, everybody)
            await forget_own_moments(connection, everybody)
            await drop_played_puzzles(connection, everybody)
            await forget_guesses(connection, everybody)
            await forget_entries(connection, everybody)
            await forget_pages(connection, everybody)
            await connection.execute(update(webhooks).where(webhooks.c.person.in_(everybody)).values(person=None))
            await forget_titles(connection, everybody)
            await forget_votes(connection, everybody, at)
            # Bans stay with the browser, whose id does not identify the person.
            await connection.execute(delete(bans).where(bans.c.person.in_(everybody)).filter_by(browser=""))
            await connection.execute(update(bans).where(bans.c.person.in_(everybody)).values(person=None))
            blank: Json = {"name": "", "language": None, "settings": {}}
            await connection.execute(update(people).where(people.c.id.in_(everybody)).values(**blank))
            mine = select(room_messages.c.id, room_messages.c.room)
            mine = mine.where(room_messages.c.author.in_(everybody) | room_messages.c.recipient.in_(everybody))
            for message, room in (await connection.execute(mine)).all():
                await connection.execute(update(rooms).filter_by(name=room).values(change=rooms.c.change + 1))
                change = select(rooms.c.change).filter_by(name=room).scalar_subquery()
                gone = {"text": "", "card": None, "picture": None, "deleted": True, "edited_at": at, "change": change}
                await connection.execute(update(room_messages).filter_by(id=message).values(**gone))
                await drop_pictures(connection, [message])
        return list(everybody)


def _to_plain_data(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value
