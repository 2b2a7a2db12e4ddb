"""Rounds of votes as the steps of games open and close them, and what becomes of teams with people and places."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import delete, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.columns import Json
from storage.competition_schema import team_proposals, team_sides, team_votes, teams
from storage.database import insert_if_new, update_rows
from storage.errors import StorageError
from storage.schema import GameRow, games, people

TEAM_SETTING: Final = "team"
"""Where the settings of a row of people that is a team have the id of its place."""
TEAM_NAME_SETTING: Final = "team_name"
"""Where they have the name of a team of some people there."""
VOTED_AS_PART: Final = 0
"""In a vote, instead of a proposal's number: this account has voted in the round as part of another person."""


class RoundClosed(StorageError):
    """A vote or a proposal for a round that is over."""

    default = "round-closed"


class NotCounted(StorageError):
    """A vote that may not be counted: the person who gave it is no voter of the side, or their browser has voted."""

    default = "not-counted"


class TooManyProposals(StorageError):
    """A round with as many proposals as there may be, in all or by one person; `own` says which."""

    default = "too-many-proposals"


@dataclass(frozen=True, slots=True)
class Ballot:
    """A vote to be counted: by whom, from which browser, and whether only those who are listed may vote."""

    game: str
    team: int
    round: int
    person: int
    proposal: int
    browser: str | None = None
    listed: bool = False


@dataclass(frozen=True, slots=True)
class NewProposal:
    """A turn, or something else, to be proposed; with it goes the vote of the person who proposes it."""

    kind: str
    actions: tuple[str, ...] = ()


async def turn_rounds(connection: AsyncConnection, game: GameRow, at: datetime) -> None:
    """Open a round for the team that a game waits for since a step, and close the others'."""
    moved = int((game.last_turn or {}).get("moved", 0))
    query = select(team_sides).filter_by(game=game.id)
    for side in await connection.execute(query.with_for_update()):
        waits = game.status == "playing" and game.to_move == side.team
        values: Json = {"closes_at": None, "changed_at": None}
        if waits and (side.round != moved or side.closes_at is None):
            values |= {"round": moved, "closes_at": at + timedelta(seconds=side.seconds), "extended": False}
        elif waits or side.closes_at is None:
            continue
        await update_rows(connection, team_sides, values, game=game.id, team=side.team)


async def mark_voted(connection: AsyncConnection, person: int, separate: int) -> None:
    """Note that an account which is a person of its own again has voted: once more in that round would be twice."""
    theirs = team_votes.alias("theirs")
    last = select(func.max(theirs.round)).where(theirs.game == team_votes.game, theirs.person == person)
    query = select(*(team_votes[name] for name in ("game", "team", "round", "at")))
    query = query.join(games, games.id == team_votes.game).where(
        team_votes.person == person, team_votes.round == last.scalar_subquery(), games.status == "playing"
    )
    for row in (await connection.execute(query)).mappings():
        await insert_if_new(connection, team_votes, {**row, "person": separate, "proposal": VOTED_AS_PART})


async def forget_votes(connection: AsyncConnection, everybody: Collection[int], at: datetime) -> None:
    """Take people out of votes and proposals, which stay as a person's.

    A vote in a round that is still open is taken back, unless its browser is noted: who is forgotten could come back as
    a person new and vote again.
    """
    same = {name: team_votes[name] for name in ("game", "team", "round")}
    is_open = select(team_sides.team).where(team_sides.closes_at > at).filter_by(**same).exists()
    theirs = delete(team_votes).where(team_votes.person.in_(everybody), is_open).filter_by(browser=None)
    taken_back = await connection.execute(theirs.returning(team_votes.game, team_votes.team))
    for game, team in sorted({(row.game, row.team) for row in taken_back}):
        shown_again = {"changed_at": func.coalesce(team_sides.changed_at, at)}
        await update_rows(connection, team_sides, shown_again, game=game, team=team)
    for table in (team_proposals, team_votes):
        await update_rows(connection, table, {"person": None}, table.person.in_(everybody))


async def move_teams(connection: AsyncConnection, place: int, into: int) -> None:
    """Have the teams of a place belong to another; one whose name is taken there keeps its games under another one."""
    query = select(teams.person, teams.name).filter_by(place=place)
    taken = set(await connection.scalars(select(teams.name).filter_by(place=into)))
    for person, name in await connection.execute(query):
        remaining = name if name not in taken else f"{name} {person}".strip()
        await update_rows(connection, teams, {"place": into, "name": remaining}, person=person)
        settings: Any = await connection.scalar(select(people.settings).filter_by(id=person))
        changed: Any = {**settings, TEAM_SETTING: into}
        await update_rows(connection, people, {"settings": changed}, id=person)


def sides_met(person: int, other: int) -> Any:
    """Return a query for the running games in which two people have voted on different sides."""
    mine, theirs = team_votes.alias("mine"), team_votes.alias("theirs")
    both = (mine.game == theirs.game, mine.team != theirs.team)
    runs = select(games.id).filter_by(id=mine.game, status="playing").exists()
    return select(mine.game).where(theirs.person == other, *both, runs).filter_by(person=person).limit(1)
