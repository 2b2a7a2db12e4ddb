"""One person on several platforms: link codes, merging two people, and separating them again.

A person who was merged into another stays as a row that points there (`merged_into`): finished games keep their
original players, so that separating can restore what each of them brought.
"""

from collections import Counter
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, case, delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.competition_moves import restore_entries, transfer_entries
from storage.database import Repository, upsert
from storage.errors import StorageError
from storage.guesses import transfer_guesses
from storage.notices import transfer_notices
from storage.people import to_person
from storage.private_boards import transfer_lessons, transfer_own_moments, transfer_trees
from storage.puzzles import drop_without_consent, transfer_puzzles
from storage.ratings import restore_titles, transfer_titles
from storage.rows import Person
from storage.schema import bans, games, identities, link_codes, people, ratings, results, room_messages, seats, webhooks
from storage.team_rounds import mark_voted, sides_met, transfer_votes


class PlayEachOther(StorageError):
    """Two people who play against each other in an unfinished game cannot be merged; `game`."""

    default = "play-each-other"


class Links(Repository):
    """Queries and commands for linking people."""

    async def store_code(self, code: str, person: int, expires_at: datetime) -> None:
        """Store the only link code of a person, with which another identity can be linked until it expires."""
        async with self._database.transaction() as connection:
            await connection.execute(delete(link_codes).filter_by(person=person))
            values = {"code": code, "person": person, "expires_at": expires_at}
            await upsert(connection, link_codes, ("code",), values)

    async def redeem_code(self, code: str, now: datetime) -> int | None:
        """Return the owner of a code and delete it; None if it is unknown or has expired."""
        query = delete(link_codes).filter_by(code=code).returning(*link_codes.c)
        async with self._database.transaction() as connection:
            row = (await connection.execute(query)).mappings().one_or_none()
        return None if row is None or row["expires_at"] < now else row["person"]

    async def merge_people(self, remaining: int, gone: int) -> Person | None:
        """Merge two people and return the result, None if one does not exist; PlayEachOther.

        Identities, unfinished games and results are transferred. For each game the rating with more games counts; games
        that the two played against each other count for neither.
        """
        async with self._database.transaction() as connection:
            query = select(people).where(people.c.id.in_((remaining, gone)), people.c.merged_into.is_(None))
            rows = (await connection.execute(query.order_by(people.c.id).with_for_update())).mappings().all()
            if len(rows) != 2:
                return None
            # Identities first: concurrent writes for either person check them (`mark_processed`).
            moved = {"person": remaining, "previous_person": func.coalesce(identities.c.previous_person, gone)}
            await connection.execute(update(identities).filter_by(person=gone).values(moved))
            both = (await connection.execute(_common_games(remaining, gone, seats.c.live))).scalars().first()
            if both is not None:
                raise PlayEachOther(game=both)
            met = (await connection.execute(sides_met(remaining, gone))).scalars().first()
            if met is not None:
                raise PlayEachOther(game=met)
            common = results.c.game.in_(_common_results(remaining, gone))
            for person in (remaining, gone):
                await _uncount_results(connection, person, common)
            theirs = results.c.person.in_((remaining, gone))
            await connection.execute(update(results).where(common, theirs).values(rated=False))
            await _move_running(connection, gone, remaining)
            await connection.execute(update(results).filter_by(person=gone).values(person=remaining))
            await _join_ratings(connection, remaining, gone)
            for column in (room_messages.c.author, room_messages.c.recipient):
                await connection.execute(update(room_messages).where(column == gone).values({column: remaining}))
            await connection.execute(update(bans).filter_by(person=gone).values(person=remaining))
            await connection.execute(update(webhooks).filter_by(person=gone).values(person=remaining))
            await transfer_lessons(connection, gone, remaining)
            await transfer_trees(connection, gone, remaining)
            await transfer_puzzles(connection, gone, remaining)
            await transfer_own_moments(connection, gone, remaining)
            await transfer_guesses(connection, gone, remaining)
            await drop_without_consent(connection, remaining)
            await transfer_notices(connection, gone, remaining)
            await transfer_entries(connection, gone, remaining)
            await transfer_titles(connection, gone, remaining)
            await transfer_votes(connection, gone, remaining)
            await connection.execute(delete(link_codes).where(link_codes.c.person.in_((remaining, gone))))
            await connection.execute(update(people).filter_by(id=gone).values(merged_into=remaining))
            self._database.change_all_rows()
            self._database.emit_after_commit("people")
            return to_person(next(row for row in rows if row["id"] == remaining))

    async def split_identity(self, platform: str, user: str) -> bool:
        """Separate an identity from the person it was linked to; return whether it was linked.

        The linked person becomes separate again, with their ratings of that time and the finished games and
        competitions they brought; unfinished games stay.
        """
        mine = (identities.c.platform == platform, identities.c.user_id == user)
        async with self._database.transaction() as connection:
            person = (await connection.execute(select(identities.c.person).where(*mine))).scalar_one_or_none()
            held = select(people.c.id).filter_by(id=person)
            await connection.execute(held.with_for_update())
            query = select(identities).where(identities.c.previous_person.is_not(None)).filter_by(person=person)
            linked = (await connection.execute(query)).mappings().all()
            if not linked:
                return False
            # The identity that asks, or if it was the first one, the one linked last.
            chosen = next((row for row in linked if (row["platform"], row["user_id"]) == (platform, user)), linked[-1])
            where = (identities.c.platform == chosen["platform"], identities.c.user_id == chosen["user_id"])
            previous = chosen["previous_person"]
            await connection.execute(update(identities).where(*where).values(person=previous, previous_person=None))
            await connection.execute(update(people).filter_by(id=previous).values(merged_into=None))
            await _give_back_rows(connection, chosen["person"], previous)
            await drop_without_consent(connection, previous)
            await restore_entries(connection, chosen["person"], previous)
            await restore_titles(connection, chosen["person"], previous)
            await mark_voted(connection, chosen["person"], previous)
            begins = func.substr(chosen["user_id"], 1, func.length(bans.c.browser)) == bans.c.browser
            theirs = (bans.c.person == chosen["person"], bans.c.browser != "", begins)
            await connection.execute(update(bans).where(*theirs).values(person=previous))
            await _give_back_messages(connection, chosen["person"], previous, chosen["user_id"])
            self._database.change_all_rows()
            self._database.emit_after_commit("people")
        return True


def _common_games(one: int, other: int, *where: ColumnElement[bool]) -> Any:
    theirs = select(seats.c.game).where(*where).filter_by(person=other)
    return select(seats.c.game).where(*where, seats.c.game.in_(theirs)).filter_by(person=one)


def _common_results(one: int, other: int) -> Any:
    theirs = select(results.c.game).filter_by(person=other)
    return select(results.c.game).where(results.c.game.in_(theirs)).filter_by(person=one)


async def _move_running(connection: AsyncConnection, gone: int, remaining: int) -> None:
    query = select(seats.c.game).where(seats.c.live).filter_by(person=gone)
    running = (await connection.execute(query)).scalars().all()
    held = select(games.c.id).where(games.c.id.in_(running)).order_by(games.c.id)
    await connection.execute(held.with_for_update())  # a step of such a game comes before all of this, or after it
    for column in (games.c.starter, games.c.to_move):
        where = (games.c.id.in_(running), column == gone)
        await connection.execute(update(games).where(*where).values({column: remaining}))
    await connection.execute(update(seats).where(seats.c.live).filter_by(person=gone).values(person=remaining))


_COUNTED_AS: Final = {"win": "wins", "draw": "draws", "loss": "losses"}


async def _uncount_results(connection: AsyncConnection, person: int, *where: ColumnElement[bool]) -> None:
    """Subtract rated results of a person from the counts of their ratings, which are no longer theirs or count no more.

    The ratings themselves stay: none is computed anew.
    """
    query = (
        select(results.c.game_key, results.c.pool, results.c.mark)
        .where(results.c.rated, *where)
        .filter_by(person=person)
    )
    counted = Counter[tuple[str, str, str]]()
    for key, pool, mark in await connection.execute(query):
        # The rating of all games together has an empty key.
        counted.update([(key, pool, mark), ("", pool, mark)])
    for (key, pool, mark), count in counted.items():
        if (name := _COUNTED_AS.get(mark)) is not None:
            column = ratings.c[name]
            left = case((column > count, column - count), else_=0)
            mine = (ratings.c.person == person, ratings.c.game_key == key, ratings.c.pool == pool)
            await connection.execute(update(ratings).where(*mine).values({column: left}))


async def _join_ratings(connection: AsyncConnection, remaining: int, gone: int) -> None:
    query = select(ratings).where(ratings.c.person.in_((remaining, gone)))
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in (await connection.execute(query)).mappings():
        found.setdefault((row["game_key"], row["pool"]), []).append(dict(row))
    for rows in found.values():
        most = max(rows, key=lambda row: (row["wins"] + row["draws"] + row["losses"], row["person"] == remaining))
        sums = {name: sum(row[name] for row in rows) for name in _COUNTED_AS.values()}
        await upsert(connection, ratings, ("person", "game_key", "pool"), {**most, **sums, "person": remaining})


async def _give_back_rows(connection: AsyncConnection, person: int, own: int) -> None:
    theirs = select(seats.c.game, seats.c.seat).where(seats.c.game == results.c.game).filter_by(person=own)
    theirs = theirs.where(seats.c.seat == results.c.seat)
    await _uncount_results(connection, person, theirs.exists())
    await connection.execute(update(results).where(theirs.exists()).filter_by(person=person).values(person=own))


async def _give_back_messages(connection: AsyncConnection, person: int, own: int, user: str) -> None:
    """Restore the room messages that an identity wrote or received: the keys of such messages name it."""
    for column, kind in ((room_messages.c.author, "say"), (room_messages.c.recipient, "reply")):
        beginning = f"{kind}:{user}:"
        theirs = func.substr(room_messages.c.key, 1, len(beginning)) == beginning
        where = (column == person, theirs)
        await connection.execute(update(room_messages).where(*where).values({column: own}))
