"""Rounds of votes, opened and closed by the steps of games; teams when people and places are merged or forgotten."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import delete, func, select

from storage.columns import Json
from storage.competition_schema import team_sides, team_votes, teams
from storage.database import Repository
from storage.errors import StorageError
from storage.schema import GameRow, games, people

TEAM_SETTING: Final = "team"
"""The setting of a team's row in `people` with the id of its place."""
TEAM_NAME_SETTING: Final = "team_name"
"""The setting with the name of a team of some people of the place."""
VOTED_AS_PART: Final = 0
"""Instead of a vote's proposal number: this account has voted in the round as part of another person."""


class RoundClosed(StorageError):
    """A vote or a proposal came for a round that is over."""

    default = "team-closed"


class NotCounted(StorageError):
    """A vote may not be counted; its code is one of those below."""


OTHER_SIDE: Final = "team-other-side"
"""The person has voted for the other side, or entered it."""
NOT_LISTED: Final = "team-not-listed"
"""The person is not among the voters of the side."""
VOTED_BEFORE: Final = "team-voted"
"""The account has voted in the round as part of another person."""
NO_PROPOSAL: Final = "stale"
"""There is no such proposal in the round."""
SAME_BROWSER: Final = "team-browser"
"""The browser has voted with another person, or the person plays in the game."""


class TooManyProposals(StorageError):
    """A round has the maximum number (`most`) of proposals, by one person if the code is MANY_OWN."""

    default = "team-many"


MANY_OWN: Final = "team-many-own"


@dataclass(frozen=True, slots=True)
class Ballot:
    """A vote to be counted, with its browser; `listed`: only admitted voters may vote."""

    game: str
    team: int
    round: int
    person: int
    proposal: int
    browser: str | None = None
    listed: bool = False


@dataclass(frozen=True, slots=True)
class NewProposal:
    """A turn, or something else, to be proposed; its proposer votes for it."""

    kind: str
    actions: tuple[str, ...] = ()


class StoredRounds(Repository):
    """Commands for the rounds of games, called within a transaction."""

    async def turn_rounds(self, game: GameRow, at: datetime) -> None:
        """After a step, open a round for the team that a game waits for, and close those of other teams."""
        moved = int((game.last_turn or {}).get("moved", 0))
        for side in await self._read(select(team_sides).filter_by(game=game.id).with_for_update()):
            waits = game.is_playing and game.to_move == side.team
            values: Json = {"closes_at": None, "changed_at": None}
            if waits and (side.round != moved or side.closes_at is None):
                values |= {"round": moved, "closes_at": at + timedelta(seconds=side.seconds), "extended": False}
            elif waits or side.closes_at is None:
                continue
            await self._update(team_sides, values, game=game.id, team=side.team)

    async def mark_voted(self, person: int, separate: int) -> None:
        """Record that a separated account has voted in the current round, so that it cannot vote twice."""
        theirs = team_votes.alias("theirs")
        last = select(func.max(theirs.round)).where(theirs.game == team_votes.game, theirs.person == person)
        query = (
            select(*(team_votes[name] for name in ("game", "team", "round", "at")))
            .join(games, games.id == team_votes.game)
            .where(team_votes.person == person, team_votes.round == last.scalar_subquery(), games.status == "playing")
        )
        for row in await self._read_all(query, dict):
            await self._insert_if_new(team_votes, {**row, "person": separate, "proposal": VOTED_AS_PART})

    async def forget_votes(self, everybody: Collection[int], at: datetime) -> None:
        """Delete the votes of people who are forgotten that have no browser and are in an open round.

        Such a person could come back as a new one and vote again. Other votes and all proposals stay without an author.
        """
        same = {name: team_votes[name] for name in ("game", "team", "round")}
        is_open = select(team_sides.team).where(team_sides.closes_at > at).filter_by(**same).exists()
        theirs = delete(team_votes).where(team_votes.person.in_(everybody), is_open).filter_by(browser=None)
        taken_back = await self._read(theirs.returning(team_votes.game, team_votes.team))
        for game, team in sorted({(row.game, row.team) for row in taken_back}):
            shown_again = {"changed_at": func.coalesce(team_sides.changed_at, at)}
            await self._update(team_sides, shown_again, game=game, team=team)

    async def move_teams(self, place: int, into: int) -> None:
        """Move the teams of a place to another; a team whose name is taken there gets another name."""
        query = select(teams.person, teams.name).filter_by(place=place)
        taken = set(await self._read_column(select(teams.name).filter_by(place=into)))
        for person, name in await self._read(query):
            remaining = name if name not in taken else f"{name} {person}".strip()
            await self._update(teams, {"place": into, "name": remaining}, person=person)
            settings: Any = await self._read_value(select(people.settings).filter_by(id=person))
            changed: Any = {**settings, TEAM_SETTING: into}
            await self._update(people, {"settings": changed}, id=person)


def sides_met(person: int, other: int) -> Any:
    """Return a query for the running games in which two people have voted on different sides."""
    mine, theirs = team_votes.alias("mine"), team_votes.alias("theirs")
    both = (mine.game == theirs.game, mine.team != theirs.team)
    runs = select(games.id).filter_by(id=mine.game, status="playing").exists()
    return select(mine.game).where(theirs.person == other, *both, runs).filter_by(person=person).limit(1)
