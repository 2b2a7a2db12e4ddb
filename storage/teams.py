"""Teams that vote on their turns: who they are, their rounds, what is proposed, who votes for what."""

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import (
    Integer,
    RowMapping,
    and_,
    bindparam,
    case,
    delete,
    func,
    insert,
    literal,
    or_,
    select,
    union_all,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.columns import Utc
from storage.competition_schema import team_invitations, team_proposals, team_sides, team_voters, team_votes, teams
from storage.database import Repository, build_insert, insert_if_new, upsert
from storage.events import mark_processed
from storage.people import to_person
from storage.rows import Person, ProcessedEvent, Rating
from storage.schema import games, members, people, places, ratings, seats, surfaces
from storage.sqlite import Prepared
from storage.surfaces import OPEN, DueBoard, read_surfaces
from storage.team_data import (
    Ballot,
    NewProposal,
    NotCounted,
    Proposal,
    RoundClosed,
    Side,
    TeamStanding,
    TooManyProposals,
    Vote,
)
from storage.team_rounds import TEAM_NAME_SETTING, TEAM_SETTING, VOTED_AS_PART

CLOCK_TOLERANCE: Final = timedelta(minutes=5)
"""Maximum difference between the clocks of processes."""


def _cast(dialect: str) -> Any:
    """Return what counts a vote, in place of an earlier one, if there is such a proposal and they may vote there."""
    values = {name: bindparam(name, type_=team_votes.c[name].type) for name in
              ("game", "team", "round", "person", "proposal", "browser", "at")}  # fmt: skip
    of_round = (team_proposals.c.game == values["game"], team_proposals.c.round == values["round"])
    proposed = select(team_proposals.c.id).where(*of_round).filter_by(team=values["team"], number=values["proposal"])
    in_game = team_votes.c.game == values["game"]
    mine = team_votes.c.person == values["person"]
    other_name = and_(
        team_votes.c.browser == values["browser"],
        team_votes.c.person.is_distinct_from(values["person"]),
        or_(team_votes.c.round == values["round"], team_votes.c.team != values["team"]),
    )
    elsewhere = select(team_votes.c.id).where(in_game, or_(and_(mine, team_votes.c.team != values["team"]), other_name))
    seated = select(seats.c.number).filter_by(game=values["game"], person=values["person"])
    entry = (team_voters.c.game == values["game"], team_voters.c.person == values["person"])
    admitted = select(team_voters.c.team).where(*entry, team_voters.c.admitted).filter_by(team=values["team"])
    others = select(team_voters.c.team).where(*entry, team_voters.c.team != values["team"])
    row = select(*values.values()).where(
        proposed.exists(),
        ~elsewhere.exists(),
        ~seated.exists(),
        ~others.exists(),
        or_(bindparam("listed", type_=Integer()) == 0, admitted.exists()),
    )
    statement = build_insert(dialect, team_votes).from_select(list(values), row)
    new = {name: statement.excluded[name] for name in ("proposal", "browser", "at")}
    return statement.on_conflict_do_update(
        index_elements=["game", "round", "person"], set_=new, where=team_votes.c.proposal != VOTED_AS_PART
    )


_CAST: Final = {dialect: Prepared(_cast(dialect)) for dialect in ("sqlite", "postgresql")}
_TOUCH: Final = Prepared(
    update(team_sides)
    .where(team_sides.c.closes_at > bindparam("now", type_=Utc()))
    .filter_by(game=bindparam("of_game"), team=bindparam("of_team"), round=bindparam("of_round"))
    .values(changed_at=func.coalesce(team_sides.c.changed_at, bindparam("now", type_=Utc())))
)


class Teams(Repository):
    """The verbs about teams."""

    async def get_or_create(self, place: int, name: str, title: str, at: datetime) -> Person:
        """Return the team of a place, or one of those there that have a name; `title` is what it is called now."""
        async with self._database.transaction() as connection:
            query = select(people).join(teams, teams.c.person == people.c.id)
            query = query.where(teams.c.place == place, teams.c.name == name)
            row = (await connection.execute(query.with_for_update())).mappings().one_or_none()
            if row is None:
                values: dict[str, Any] = {"name": title, "settings": {TEAM_SETTING: place}, "created_at": at}
                if name:
                    values["settings"][TEAM_NAME_SETTING] = name
                made = await connection.execute(insert(people).values(**values).returning(*people.c))
                row = made.mappings().one()
                await connection.execute(insert(teams).values(person=row["id"], place=place, name=name))
            elif row["name"] != title:
                await connection.execute(update(people).filter_by(id=row["id"]).values(name=title))
                self._database.change_rows(row["id"])
                self._database.emit_after_commit("person", row["id"])
                return to_person({**row, "name": title})
            return to_person(row)

    async def add_side(
        self, game: str, team: int, seconds: int, *, admitted: Collection[int] = (), known_in: int | None = None
    ) -> None:
        """Have a team play in a game; `admitted` may vote there, and those who were seen in a place before.

        Others are invited (`invite`).
        """
        async with self._database.transaction() as connection:
            await connection.execute(insert(team_sides).values(game=game, team=team, seconds=seconds, round=-1))
            if known_in is not None:
                seen = select(literal(game), members.c.person, literal(team), literal(True)).where(
                    members.c.place == known_in,
                    members.c.person.not_in(select(team_voters.c.person).filter_by(game=game)),
                )
                columns = ["game", "person", "team", "admitted"]
                await connection.execute(insert(team_voters).from_select(columns, seen))
            for person in admitted:
                await self._admit(connection, game, team, person)

    async def admit(self, game: str, team: int, person: int, processed: ProcessedEvent | None, at: datetime) -> None:
        """Admit a voter to a side; AlreadyProcessed."""
        async with self._database.transaction() as connection:
            await mark_processed(connection, processed, at)
            await self._admit(connection, game, team, person)

    async def _admit(self, connection: AsyncConnection, game: str, team: int, person: int) -> None:
        values = {"game": game, "person": person, "team": team, "admitted": True}
        await upsert(connection, team_voters, ("game", "person"), values)

    async def invite(
        self, game: str, team: int, invited: Collection[int], at: datetime, processed: ProcessedEvent | None = None
    ) -> None:
        """Ask people whether they vote with a side; those who do already are left out. AlreadyProcessed."""
        async with self._database.transaction() as connection:
            await mark_processed(connection, processed, at)
            inside = (team_voters.c.game == game, team_voters.c.team == team, team_voters.c.admitted)
            known = set((await connection.execute(select(team_voters.c.person).where(*inside))).scalars())
            for person in sorted(set(invited) - known):
                values = {"game": game, "team": team, "person": person, "asked_at": at}
                await insert_if_new(connection, team_invitations, values)

    async def invitations(self, game: str) -> list[tuple[int, int]]:
        """Return those who have not answered yet whether they vote with a side of a game, each after the team."""
        columns = (team_invitations.c.team, team_invitations.c.person)
        query = select(*columns).where(team_invitations.c.game == game).order_by(*columns)
        return [(row.team, row.person) for row in await self._read_all(query, lambda row: row)]

    async def answer_invitation(
        self, game: str, team: int, person: int, processed: ProcessedEvent | None, at: datetime, *, agrees: bool
    ) -> bool:
        """Store whether somebody votes with a side that has asked them; False if it has not, or they have answered.

        AlreadyProcessed; NotCounted if they have voted for the other side.
        """
        entry = (team_invitations.c.game == game, team_invitations.c.team == team, team_invitations.c.person == person)
        voted = (team_votes.c.game == game, team_votes.c.person == person, team_votes.c.team != team)
        async with self._database.transaction() as connection:
            await mark_processed(connection, processed, at)
            if (await connection.execute(delete(team_invitations).where(*entry))).rowcount != 1:
                return False
            if agrees:
                if (await connection.execute(select(team_votes.c.id).where(*voted).limit(1))).first() is not None:
                    raise NotCounted
                await self._admit(connection, game, team, person)
        return True

    async def set_called(
        self, game: str, team: int, person: int, processed: ProcessedEvent, at: datetime, *, called: bool
    ) -> None:
        """Store whether somebody wants a private notice of each turn of a side; AlreadyProcessed, NotCounted."""
        entry = (team_voters.c.game == game, team_voters.c.person == person)
        async with self._database.transaction() as connection:
            await mark_processed(connection, processed, at)
            known = (await connection.execute(select(team_voters.c.team).where(*entry))).scalar_one_or_none()
            if known is None:
                values = {"game": game, "person": person, "team": team, "called": called}
                await connection.execute(insert(team_voters).values(**values))
            elif known == team:
                await connection.execute(update(team_voters).where(*entry).values(called=called))
            else:
                raise NotCounted

    async def called(self, game: str, team: int) -> list[int]:
        """Return the people who want a private notice of each turn of a side."""
        where = (team_voters.c.game == game, team_voters.c.team == team, team_voters.c.called)
        return sorted(await self._read_column(select(team_voters.c.person).where(*where)))

    async def admitted(self, game: str, team: int) -> list[int]:
        """Return the admitted voters of a side."""
        where = (team_voters.c.game == game, team_voters.c.team == team, team_voters.c.admitted)
        return sorted(await self._read_column(select(team_voters.c.person).where(*where)))

    async def is_called(self, game: str, person: int) -> bool:
        """Return True if somebody wants a private notice of each turn of their side."""
        where = (team_voters.c.game == game, team_voters.c.person == person)
        return bool(await self._read_value(select(team_voters.c.called).where(*where)))

    async def side_of(self, game: str, person: int) -> int | None:
        """Return the team on whose side somebody has voted, proposed or entered; None for none yet."""
        queries = (
            select(team_votes.c.team).filter_by(game=game, person=person),
            select(team_voters.c.team).filter_by(game=game, person=person),
        )
        async with self._database.read_autocommit() as connection:
            for query in queries:
                found = (await connection.execute(query.limit(1))).scalar_one_or_none()
                if found is not None:
                    return int(found)
        return None

    async def chosen_side(self, game: str, person: int) -> int | None:
        """Return the team on whose side somebody is by their own choice; None for none yet.

        They have voted or proposed, or have entered a team with a name. Who may vote only because their channel plays
        has chosen nothing.
        """
        voted = select(team_votes.c.team).filter_by(game=game, person=person)
        entered = select(team_voters.c.team).join(teams, teams.c.person == team_voters.c.team)
        entered = entered.where(team_voters.c.game == game, team_voters.c.person == person, teams.c.name != "")
        found = await self._read_column(union_all(voted, entered).limit(1))
        return int(found[0]) if found else None

    async def may_vote(self, ballot: Ballot) -> bool:
        """Return True if somebody may vote on a side."""
        entry = select(team_voters.c.team, team_voters.c.admitted)
        entry = entry.filter_by(game=ballot.game, person=ballot.person)
        async with self._database.read_autocommit() as connection:
            known = (await connection.execute(entry)).one_or_none()
        if known is not None and known.team != ballot.team:
            return False
        return not ballot.listed or bool(known is not None and known.admitted)

    async def has_voted_as_part(self, ballot: Ballot) -> bool:
        """Return True if an account has voted in a round as part of another person, before it was split off."""
        query = select(team_votes.c.proposal).filter_by(game=ballot.game)
        query = query.filter_by(round=ballot.round, person=ballot.person)
        return bool(await self._read_column(query) == [VOTED_AS_PART])

    async def sides(self, game: str) -> list[Side]:
        """Return the teams that play in a game."""
        query = select(team_sides).filter_by(game=game).order_by(team_sides.c.team)
        return await self._read_rows(query, Side)

    async def list_due(self, now: datetime, changed_before: datetime, limit: int) -> list[Side]:
        """Return the sides whose round is over, or whose votes have not been shown for some time."""
        due = or_(team_sides.c.closes_at <= now, team_sides.c.changed_at <= changed_before)
        query = select(team_sides).where(due).order_by(team_sides.c.game, team_sides.c.team).limit(limit)
        return await self._read_rows(query, Side)

    async def next_due_at(self, pause: timedelta) -> datetime | None:
        """Return when the next round closes, or votes are to be shown so long after they were given."""
        async with self._database.read_autocommit() as connection:
            query = select(func.min(team_sides.c.closes_at)).where(team_sides.c.closes_at.is_not(None))
            closes: datetime | None = (await connection.execute(query)).scalar_one()
            query = select(func.min(team_sides.c.changed_at)).where(team_sides.c.changed_at.is_not(None))
            changed: datetime | None = (await connection.execute(query)).scalar_one()
        return min([each for each in (closes, None if changed is None else changed + pause) if each], default=None)

    async def proposals(
        self,
        game: str,
        round: int | None = None,  # noqa: A002
        *,
        with_last: bool = False,
    ) -> list[Proposal]:
        """Return what is proposed in a round, or in all rounds of a game, with the votes, in the order of proposing.

        `with_last`: with that of the last round before it in which something was proposed.
        """
        counted = select(func.count()).where(
            team_votes.c.game == team_proposals.c.game,
            team_votes.c.round == team_proposals.c.round,
            team_votes.c.proposal == team_proposals.c.number,
        )
        query = select(team_proposals, counted.scalar_subquery().label("votes")).filter_by(game=game)
        if round is not None:
            before = (team_proposals.c.game == game, team_proposals.c.round < round)
            last = select(func.max(team_proposals.c.round)).where(*before).scalar_subquery()
            mine = team_proposals.c.round == round
            query = query.where(or_(mine, team_proposals.c.round == last) if with_last else mine)
        query = query.order_by(team_proposals.c.round, team_proposals.c.number)
        return await self._read_all(query, _to_proposal)

    async def votes(self, game: str, round: int | None = None) -> list[Vote]:  # noqa: A002
        """Return the votes of a round, or of all rounds of a game."""
        columns = (team_votes.c.round, team_votes.c.team, team_votes.c.proposal, team_votes.c.person)
        query = select(*columns).where(team_votes.c.game == game, team_votes.c.proposal != VOTED_AS_PART)
        if round is not None:
            query = query.where(team_votes.c.round == round)
        query = query.order_by(team_votes.c.round, team_votes.c.proposal, team_votes.c.id)
        return await self._read_rows(query, Vote)

    async def vote(self, ballot: Ballot, at: datetime, processed: ProcessedEvent | None = None) -> None:
        """Count a vote, in place of an earlier one of the same person; AlreadyProcessed, RoundClosed, NotCounted."""
        async with self._database.transaction() as connection:
            await mark_processed(connection, processed, at)
            await self._touch(connection, ballot, at)
            await self._cast(connection, ballot, at)
            self._database.emit_after_commit("teams", ballot.game)

    async def propose(
        self,
        ballot: Ballot,
        proposed: NewProposal,
        at: datetime,
        *,
        most: int,
        most_each: int,
        processed: ProcessedEvent | None = None,
    ) -> int:
        """Propose something, with one's vote for it, and return its number; what was proposed before is the same one.

        AlreadyProcessed, RoundClosed, NotCounted, TooManyProposals. `ballot` names no proposal yet.
        """
        of_round = (team_proposals.c.game == ballot.game, team_proposals.c.round == ballot.round)
        async with self._database.transaction() as connection:
            await mark_processed(connection, processed, at)
            await self._touch(connection, ballot, at)
            rows = (await connection.execute(select(team_proposals).where(*of_round))).mappings().all()
            wanted = (proposed.kind, list(proposed.actions))
            number = next((row["number"] for row in rows if (row["kind"], row["actions"]) == wanted), None)
            if number is None:
                own = sum(row["person"] == ballot.person for row in rows)
                if len(rows) >= most or own >= most_each:
                    raise TooManyProposals(own=len(rows) < most)
                number = len(rows) + 1
                values = {"game": ballot.game, "team": ballot.team, "round": ballot.round, "number": number}
                values |= {"kind": proposed.kind, "actions": list(proposed.actions), "person": ballot.person}
                await connection.execute(insert(team_proposals).values(**values, made_at=at))
            await self._cast(connection, replace(ballot, proposal=number), at)
            self._database.emit_after_commit("teams", ballot.game)
        return int(number)

    async def _touch(self, connection: AsyncConnection, ballot: Ballot, at: datetime) -> None:
        values = {"of_game": ballot.game, "of_team": ballot.team, "of_round": ballot.round, "now": at}
        if await _TOUCH.count(connection, values) != 1:
            raise RoundClosed

    async def _cast(self, connection: AsyncConnection, ballot: Ballot, at: datetime) -> None:
        values = {"game": ballot.game, "team": ballot.team, "round": ballot.round, "person": ballot.person}
        values |= {"proposal": ballot.proposal, "browser": ballot.browser, "at": at, "listed": int(ballot.listed)}
        if await _CAST[connection.dialect.name].count(connection, values) != 1:
            raise NotCounted

    async def freeze(self, side: Side, at: datetime) -> bool:
        """Take no more votes for a round, so that they can be counted; False if it is over already."""
        where = (team_sides.c.game == side.game, team_sides.c.team == side.team, team_sides.c.round == side.round)
        change = update(team_sides).where(*where, team_sides.c.closes_at.is_not(None))
        async with self._database.transaction() as connection:
            # Other processes' clocks may be behind: the time they use is older than any vote they would count.
            changed = await connection.execute(change.values(closes_at=at - CLOCK_TOLERANCE, changed_at=None))
            return changed.rowcount == 1

    async def extend(self, side: Side, closes_at: datetime) -> None:
        """Extend a round until a later time, once."""
        where = (team_sides.c.game == side.game, team_sides.c.team == side.team, team_sides.c.round == side.round)
        change = update(team_sides).where(*where, team_sides.c.extended.is_(False))
        await self._write(change.values(closes_at=closes_at, extended=True))

    async def clear_changed(self, side: Side) -> None:
        """Record that the votes of a side are about to be shown."""
        where = (team_sides.c.game == side.game, team_sides.c.team == side.team)
        await self._write(update(team_sides).where(*where).values(changed_at=None))

    async def show_again(self, game: str, team: int, at: datetime) -> None:
        """Schedule an edit of a game's boards in a team's channel, though the game has not moved on."""
        home = select(places).join(teams, teams.c.place == places.c.id).where(teams.c.person == team).subquery()
        same = (places.c.platform == home.c.platform, places.c.channel == home.c.channel)
        here = select(places.c.id).select_from(places.join(home, and_(*same)))
        async with self._database.transaction() as connection:
            self._database.emit_after_commit("votes", game)
            change = (
                update(surfaces)
                .where(surfaces.c.place.in_(here), *OPEN, surfaces.c.message.is_not(None))
                .filter_by(game=game)
            )
            # A failed delivery keeps its back-off; one that is on its way shows what was there before.
            due = case((surfaces.c.due_at > at, surfaces.c.due_at), else_=at)
            changed = await connection.execute(change.values(shown_revision=None, due_at=due).returning(surfaces.c.id))
            found = changed.scalars().all()
            if not found:
                return
            shown = await read_surfaces(connection, surfaces.c.id.in_(found))
            boards = [DueBoard(each.id, each.place.platform, each.place.channel, each.due_at or at) for each in shown]
            self._database.emit_after_commit("due", tuple(boards))

    async def best(
        self, game_key: str, pool: str, *, setting: str, least: int = 1, limit: int = 100
    ) -> list[TeamStanding]:
        """Return the best rated teams after at least so many games, of the places that have switched a setting on."""
        query = select(ratings, people.c.name, places.c.platform, places.c.settings)
        query = query.join(people, people.c.id == ratings.c.person).join(teams, teams.c.person == ratings.c.person)
        query = query.join(places, places.c.id == teams.c.place)
        query = query.where(ratings.c.game_key == game_key, ratings.c.pool == pool)
        query = query.where(ratings.c.wins + ratings.c.draws + ratings.c.losses >= least)
        query = query.order_by((ratings.c.mu - 3 * ratings.c.sigma).desc(), ratings.c.person)
        rows = await self._read_all(query, lambda row: row)
        shown = [row for row in rows if row["settings"].get(setting) is True][:limit]
        return [
            TeamStanding(
                Rating(**{column.name: row[column.name] for column in ratings.c}), row["name"], row["platform"]
            )
            for row in shown
        ]

    async def rated_in(self, place: int, pool: str) -> list[Rating]:
        """Return the ratings of all teams of a place, by team and game."""
        query = select(*ratings.c).join(teams, teams.c.person == ratings.c.person)
        query = query.where(teams.c.place == place, ratings.c.pool == pool)
        query = query.order_by(ratings.c.person, ratings.c.game_key)
        return await self._read_rows(query, Rating)

    async def running_in(self, place: int) -> list[str]:
        """Return the codes of the games that the teams of a place play or wait to play, the newest first."""
        query = select(team_sides.c.game).join(teams, teams.c.person == team_sides.c.team)
        query = query.join(games, games.c.id == team_sides.c.game)
        query = query.where(teams.c.place == place, games.c.status != "over").order_by(games.c.created_at.desc())
        return list(dict.fromkeys(await self._read_column(query)))


def _to_proposal(row: RowMapping) -> Proposal:
    names = ("number", "kind", "person", "made_at", "round", "team", "votes")
    return Proposal(actions=tuple(row["actions"]), **{name: row[name] for name in names})
