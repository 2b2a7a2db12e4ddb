"""Rounds of votes as the steps of games open and close them, and what becomes of teams with people and places."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.competition_schema import team_invitations, team_proposals, team_sides, team_voters, team_votes, teams
from storage.database import insert_if_new
from storage.rows import GameRow
from storage.schema import games, people

TEAM_SETTING: Final = "team"
"""Where the settings of a row of people that is a team have the id of its place."""
TEAM_NAME_SETTING: Final = "team_name"
"""Where they have the name of a team of some people there."""
VOTED_AS_PART: Final = 0
"""In a vote, instead of a proposal's number: this account has voted in the round as part of another person."""


async def turn_rounds(connection: AsyncConnection, game: GameRow, at: datetime) -> None:
    """Open a round for the team that a game waits for since a step, and close the others'."""
    moved = int((game.last_turn or {}).get("moved", 0))
    query = select(team_sides).filter_by(game=game.id)
    for side in (await connection.execute(query.with_for_update())).mappings().all():
        where = (team_sides.c.game == game.id, team_sides.c.team == side["team"])
        waits = game.status == "playing" and game.to_move == side["team"]
        if waits and (side["round"] != moved or side["closes_at"] is None):
            closes = at + timedelta(seconds=side["seconds"])
            values = {"round": moved, "closes_at": closes, "extended": False, "changed_at": None}
            await connection.execute(update(team_sides).where(*where).values(**values))
        elif not waits and side["closes_at"] is not None:
            await connection.execute(update(team_sides).where(*where).values(closes_at=None, changed_at=None))


async def transfer_votes(connection: AsyncConnection, gone: int, remaining: int) -> None:
    """Give the votes and proposals of a person to another; where both have voted in a round, the newer vote stays."""
    await connection.execute(update(team_proposals).filter_by(person=gone).values(person=remaining))
    query = select(team_votes.c.id, team_votes.c.game, team_votes.c.round)
    query = query.where(team_votes.c.person.in_((gone, remaining))).order_by(
        team_votes.c.proposal == VOTED_AS_PART, team_votes.c.at.desc(), team_votes.c.id.desc()
    )
    known: set[tuple[str, int]] = set()
    for row in (await connection.execute(query)).all():
        if (row.game, row.round) in known:
            await connection.execute(delete(team_votes).filter_by(id=row.id))
        known.add((row.game, row.round))
    await connection.execute(update(team_votes).filter_by(person=gone).values(person=remaining))
    twice = select(team_voters.c.game).filter_by(person=remaining)
    await connection.execute(delete(team_voters).where(team_voters.c.game.in_(twice)).filter_by(person=gone))
    await connection.execute(update(team_voters).filter_by(person=gone).values(person=remaining))
    theirs = select(team_invitations).filter_by(person=gone)
    for invitation in (await connection.execute(theirs)).mappings().all():
        await insert_if_new(connection, team_invitations, {**invitation, "person": remaining})
    await connection.execute(delete(team_invitations).filter_by(person=gone))


async def mark_voted(connection: AsyncConnection, person: int, separate: int) -> None:
    """Note that an account which is a person of its own again has voted: once more in that round would be twice."""
    theirs = team_votes.alias()
    last = select(func.max(theirs.c.round)).where(theirs.c.game == team_votes.c.game, theirs.c.person == person)
    query = select(*(team_votes.c[name] for name in ("game", "team", "round", "at")))
    query = query.join(games, games.c.id == team_votes.c.game).where(
        team_votes.c.person == person, team_votes.c.round == last.scalar_subquery(), games.c.status == "playing"
    )
    for row in (await connection.execute(query)).mappings().all():
        await insert_if_new(connection, team_votes, {**row, "person": separate, "proposal": VOTED_AS_PART})


async def forget_votes(connection: AsyncConnection, everybody: Collection[int], at: datetime) -> None:
    """Take people out of votes and proposals, which stay as somebody's, and out of the lists of voters.

    A vote in a round that is still open is taken back, unless its browser is noted: who is forgotten could come back as
    somebody new and vote again.
    """
    is_open = (
        select(team_sides.c.team)
        .where(
            team_sides.c.game == team_votes.c.game,
            team_sides.c.team == team_votes.c.team,
            team_sides.c.round == team_votes.c.round,
            team_sides.c.closes_at > at,
        )
        .exists()
    )
    theirs = (team_votes.c.person.in_(everybody), team_votes.c.browser.is_(None), is_open)
    query = delete(team_votes).where(*theirs).returning(team_votes.c.game, team_votes.c.team)
    for game, team in sorted({(row.game, row.team) for row in (await connection.execute(query)).all()}):
        shown = update(team_sides).filter_by(game=game, team=team)
        await connection.execute(shown.values(changed_at=func.coalesce(team_sides.c.changed_at, at)))
    await connection.execute(update(team_proposals).where(team_proposals.c.person.in_(everybody)).values(person=None))
    await connection.execute(update(team_votes).where(team_votes.c.person.in_(everybody)).values(person=None))
    for table in (team_voters, team_invitations):
        await connection.execute(delete(table).where(table.c.person.in_(everybody)))


async def move_teams(connection: AsyncConnection, place: int, into: int) -> None:
    """Have the teams of a place belong to another; one whose name is taken there keeps its games under another one."""
    query = select(teams.c.person, teams.c.name).filter_by(place=place)
    taken = set((await connection.execute(select(teams.c.name).filter_by(place=into))).scalars())
    for person, name in (await connection.execute(query)).all():
        remaining = name if name not in taken else f"{name} {person}".strip()
        await connection.execute(update(teams).filter_by(person=person).values(place=into, name=remaining))
        settings = (await connection.execute(select(people.c.settings).filter_by(id=person))).scalar_one()
        changed: Any = {**settings, TEAM_SETTING: into}
        await connection.execute(update(people).filter_by(id=person).values(settings=changed))


def sides_met(person: int, other: int) -> Any:
    """Return a query for the running games in which two people have voted on different sides."""
    mine, theirs = team_votes.alias("mine"), team_votes.alias("theirs")
    both = (mine.c.game == theirs.c.game, mine.c.team != theirs.c.team)
    runs = select(games.c.id).where(games.c.id == mine.c.game).filter_by(status="playing").exists()
    return select(mine.c.game).where(theirs.c.person == other, *both, runs).filter_by(person=person).limit(1)
