"""Teams that vote on their turns: members, rounds, proposals and votes."""

from collections.abc import Collection
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import and_, func, insert, literal, or_, select

from storage.columns import Json, Utc
from storage.competition_schema import (
    Proposal,
    Side,
    TeamStanding,
    Vote,
    team_invitations,
    team_proposals,
    team_sides,
    team_voters,
    team_votes,
    teams,
)
from storage.database import pick
from storage.events import AnsweringRepository
from storage.message_schema import BOARD, posts
from storage.people import to_person
from storage.posts import Posts
from storage.ratings import select_best
from storage.schema import (
    SLOW,
    Pace,
    Person,
    ProcessedEvent,
    Rating,
    columns_of,
    games,
    members,
    people,
    places,
    ratings,
    seats,
)
from storage.team_rounds import (
    MANY_OWN,
    NO_PROPOSAL,
    NOT_LISTED,
    OTHER_SIDE,
    SAME_BROWSER,
    TEAM_NAME_SETTING,
    TEAM_SETTING,
    VOTED_AS_PART,
    VOTED_BEFORE,
    Ballot,
    NewProposal,
    NotCounted,
    RoundClosed,
    TooManyProposals,
)

_ROUND: Final = ("game", "team", "round")
"""The columns that identify a side and its round."""
CLOCK_TOLERANCE: Final = timedelta(minutes=5)
"""Maximum difference between the clocks of processes."""


class Teams(AnsweringRepository):
    """Queries and commands for teams."""

    async def get_or_create(self, place: int, name: str, title: str, at: datetime) -> Person:
        """Return the team of a place, or its team with a name, creating it if necessary; `title` is its new title."""
        async with self._transaction():
            known = await self._read_one(
                select(people).join(teams).where(teams.name == name).filter_by(place=place).with_for_update(), to_person
            )
            if known is None:
                own = {TEAM_SETTING: place} | ({TEAM_NAME_SETTING: name} if name else {})
                made = insert(people).values(name=title, settings=own, created_at=at).returning(people)
                known = (await self._read_all(made, to_person))[0]
                await self._insert(teams, [{"person": known.id, "place": place, "name": name}])
            elif known.name != title:
                await self._update(people, {"name": title}, id=known.id)
                self._emit("person", known.id)
            return replace(known, name=title)

    async def add_side(self, game: str, team: int, seconds: int, *, known_in: int | None = None) -> None:
        """Add a team to a game; people who were seen in the place `known_in` before may vote in it."""
        async with self._transaction():
            await self._insert(team_sides, [{"game": game, "team": team, "seconds": seconds, "round": -1}])
            if known_in is not None:
                inside = select(team_voters.person).filter_by(game=game)
                seen = (
                    select(members.person, *map(literal, (game, team, True, False)))
                    .filter_by(place=known_in)
                    .where(members.person.not_in(inside))
                )
                await self._write(
                    insert(team_voters).from_select(["person", "game", "team", "admitted", "called"], seen)
                )

    async def admit(self, game: str, team: int, person: int) -> None:
        """Admit a voter to a side."""
        await self._upsert(team_voters, {"game": game, "person": person, "team": team, "admitted": True})

    async def invite(
        self, game: str, team: int, invited: Collection[int], at: datetime, processed: ProcessedEvent | None = None
    ) -> None:
        """Ask people whether they vote with a side, except its voters; AlreadyProcessed."""
        async with self._answering(processed, at):
            for person in sorted(set(invited) - set(await self.admitted(game, team))):
                await self._insert_if_new(
                    team_invitations, {"game": game, "team": team, "person": person, "asked_at": at}
                )

    async def invitations(self, game: str) -> list[tuple[int, int]]:
        """Return the unanswered invitations to sides of a game, as pairs of team and person."""
        columns = (team_invitations.team, team_invitations.person)
        return [tuple(row) for row in await self._read(select(*columns).filter_by(game=game).order_by(*columns))]

    async def answer_invitation(
        self, game: str, team: int, person: int, processed: ProcessedEvent | None, at: datetime, *, agrees: bool
    ) -> bool:
        """Store a person's answer to a side's invitation, and show it; False if there is none, or they have answered.

        Raises AlreadyProcessed; NotCounted if they have voted for the other side.
        """
        async with self._answering(processed, at):
            if not await self._delete(team_invitations, game=game, team=team, person=person):
                return False
            self._emit("teams", game)
            if agrees:
                if await self._find(Vote, team_votes.team != team, game=game, person=person):
                    raise NotCounted(OTHER_SIDE)
                await self.admit(game, team, person)
            await self.show_again(game, team, at)
        return True

    async def set_called(
        self, game: str, team: int, person: int, processed: ProcessedEvent, at: datetime, *, called: bool
    ) -> None:
        """Store whether a person wants a private notice of each turn of a side; AlreadyProcessed, NotCounted."""
        entry = {"game": game, "person": person}
        async with self._answering(processed, at):
            values = {**entry, "team": team, "called": called, "admitted": False}
            if await self._insert_if_new(team_voters, values):
                return
            if not await self._update(team_voters, {"called": called}, team=team, **entry):
                raise NotCounted(OTHER_SIDE)

    async def called(self, game: str, team: int) -> list[int]:
        """Return the people who want a private notice of each turn of a side."""
        return await self._list_voters(game=game, team=team, called=True)

    async def admitted(self, game: str, team: int) -> list[int]:
        """Return the admitted voters of a side."""
        return await self._list_voters(game=game, team=team, admitted=True)

    async def _list_voters(self, **equal: Any) -> list[int]:
        return await self._read_column(select(team_voters.person).filter_by(**equal).order_by("person"))

    async def side_of(self, game: str, person: int, *, by_choice: bool = False) -> int | None:
        """Return the team for which a person has voted, or whose side they have entered; None if there is none.

        `by_choice`: entering counts only for teams with a name, not for the team of a whole channel.
        """
        theirs = {"game": game, "person": person}
        entered = select(team_voters.team).filter_by(**theirs)
        if by_choice:
            named = select(teams.person).where(teams.name != "").filter_by(person=team_voters.team)
            entered = entered.where(named.exists())
        voted = select(team_votes.team).filter_by(**theirs).limit(1)
        return await self._read_value(voted) or await self._read_value(entered)

    async def may_vote(self, ballot: Ballot) -> bool:
        """Return True if a person may vote with a side."""
        entry = select(team_voters.team, team_voters.admitted).filter_by(game=ballot.game, person=ballot.person)
        for team, admitted in await self._read(entry):
            return bool(team == ballot.team and (admitted or not ballot.listed))
        return not ballot.listed

    async def sides(self, game: str) -> list[Side]:
        """Return the teams that play in a game."""
        return await self._list(Side, game=game, order=["team"])

    async def list_due(self, now: datetime, changed_before: datetime, limit: int) -> list[Side]:
        """Return the sides whose round is over, or whose votes have not been shown since `changed_before`."""
        due = or_(team_sides.closes_at <= now, team_sides.changed_at <= changed_before)
        return await self._list(Side, due, order=["game", "team"], limit=limit)

    async def next_due_at(self, pause: timedelta) -> datetime | None:
        """Return when the next round closes, or new votes are to be shown, a `pause` after they were given."""
        waits = {team_sides.closes_at: timedelta(), team_sides.changed_at: pause}
        first = [(await self._read_earliest(column), wait) for column, wait in waits.items()]
        return min((at + wait for at, wait in first if at is not None), default=None)

    async def proposals(
        self,
        game: str,
        round: int | None = None,  # noqa: A002
        *,
        with_last: bool = False,
    ) -> list[Proposal]:
        """Return the proposals of a round, or of all rounds of a game, with their votes, oldest first.

        `with_last`: also those of the last earlier round with proposals.
        """
        proposed = team_proposals
        counted = select(func.count(team_votes.id)).filter_by(
            game=proposed.game, round=proposed.round, proposal=proposed.number
        )
        query = select(*columns_of(Proposal), counted.scalar_subquery().label("votes")).filter_by(game=game)
        if round is not None:
            last = select(func.max(proposed.round)).where(proposed.game == game, proposed.round < round)
            mine = proposed.round == round
            query = query.where(or_(mine, proposed.round == last.scalar_subquery()) if with_last else mine)
        return await self._read_rows(query.order_by("round", "number"), Proposal)

    async def votes(self, game: str) -> list[Vote]:
        """Return the votes of all rounds of a game."""
        counted = team_votes.proposal != VOTED_AS_PART
        return await self._list(Vote, counted, order=("round", "proposal", team_votes.id), game=game)

    async def vote(self, ballot: Ballot, at: datetime, processed: ProcessedEvent | None = None) -> None:
        """Count a vote, replacing the person's earlier one; AlreadyProcessed, RoundClosed, NotCounted."""
        async with self._answering(processed, at):
            await self._touch(ballot, at)
            await self._cast(ballot, at)

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
        """Add a proposal, with its proposer's vote, and return its number; an equal earlier proposal is reused.

        Raises AlreadyProcessed, RoundClosed, NotCounted, TooManyProposals. The proposal of `ballot` is ignored.
        """
        of_round = {"game": ballot.game, "round": ballot.round}
        async with self._answering(processed, at):
            await self._touch(ballot, at)
            rows = await self._read(select(team_proposals).filter_by(**of_round))
            wanted = (proposed.kind, proposed.actions)
            number = next((int(row.number) for row in rows if (row.kind, row.actions) == wanted), None)
            if number is None:
                if len(rows) >= most:
                    raise TooManyProposals(most=most)
                if sum(row.person == ballot.person for row in rows) >= most_each:
                    raise TooManyProposals(MANY_OWN, most=most_each)
                number = len(rows) + 1
                values = {**of_round, "team": ballot.team, "number": number, "person": ballot.person, "made_at": at}
                await self._insert(team_proposals, [asdict(proposed) | values])
            await self._cast(replace(ballot, proposal=number), at)
        return number

    async def _touch(self, ballot: Ballot, at: datetime) -> None:
        changed = {"changed_at": func.coalesce(team_sides.changed_at, literal(at, Utc))}
        if not await self._update(team_sides, changed, team_sides.closes_at > at, **pick(ballot, _ROUND)):
            raise RoundClosed

    async def _cast(self, ballot: Ballot, at: datetime) -> None:
        """Count a vote, replacing an earlier one; NotCounted without such a proposal or the right to vote."""
        of_round: Json = {"game": ballot.game, "round": ballot.round}
        if await self.side_of(ballot.game, ballot.person) not in (None, ballot.team):
            raise NotCounted(OTHER_SIDE)
        if not await self.may_vote(ballot):
            raise NotCounted(NOT_LISTED)
        if await self._find(Vote, proposal=VOTED_AS_PART, person=ballot.person, **of_round):
            raise NotCounted(VOTED_BEFORE)
        proposed = select(team_proposals.id).filter_by(**of_round, team=ballot.team, number=ballot.proposal)
        if not await self._read_value(proposed):
            raise NotCounted(NO_PROPOSAL)
        elsewhere = and_(team_votes.person == ballot.person, team_votes.team != ballot.team)
        # The same browser with another person; an unknown browser matches no vote.
        other_name = and_(
            team_votes.browser == literal(ballot.browser, team_votes.browser.type),
            team_votes.person.is_distinct_from(ballot.person),
            or_(team_votes.round == ballot.round, team_votes.team != ballot.team),
        )
        voted = select(team_votes.id).where(or_(elsewhere, other_name)).filter_by(game=ballot.game)
        seated = select(seats.number).filter_by(game=ballot.game, person=ballot.person)
        if await self._read_value(select(or_(voted.exists(), seated.exists()))):
            raise NotCounted(SAME_BROWSER)
        values: Json = {"team": ballot.team, "proposal": ballot.proposal, "browser": ballot.browser, "at": at}
        if not await self._update(team_votes, values, **of_round, person=ballot.person):
            await self._insert(team_votes, [{**of_round, **values, "person": ballot.person}])
        self._emit("teams", ballot.game)

    async def freeze(self, side: Side, at: datetime) -> bool:
        """Accept no more votes in a round, so that they can be counted; False if it is over already."""
        # Other processes' clocks may be behind: closed early enough that they accept no more votes either.
        closed = {"closes_at": at - CLOCK_TOLERANCE, "changed_at": None}
        return await self._update(team_sides, closed, team_sides.closes_at.is_not(None), **pick(side, _ROUND)) == 1

    async def extend(self, side: Side, at: datetime) -> None:
        """Extend a round by its length, once, and show that."""
        longer = {"closes_at": at + timedelta(seconds=side.seconds), "extended": True}
        async with self._transaction():
            await self._update(team_sides, longer, **pick(side, _ROUND), extended=False)
            await self.show_again(side.game, side.team, at)

    async def show_votes(self, side: Side, at: datetime) -> None:
        """Show the new votes of a side."""
        async with self._transaction():
            await self._update(team_sides, {"changed_at": None}, game=side.game, team=side.team)
            await self.show_again(side.game, side.team, at)

    async def show_again(self, game: str, team: int, at: datetime) -> None:
        """Schedule an edit of a game's boards in a team's channel, although the game has not moved on."""
        home = select(places).join(teams).filter_by(person=team).subquery()
        here = select(places.id).filter_by(platform=home.c.platform, channel=home.c.channel)
        async with self._transaction():
            self._emit("votes", game)
            shown = (posts.place.in_(here), posts.message.is_not(None))
            await Posts(self._database).mark_due(at, *shown, game=game, kind=BOARD)

    async def best(
        self, game_key: str, pool: str, *, setting: str, least: int = 1, limit: int = 100, pace: Pace = SLOW
    ) -> list[TeamStanding]:
        """Return the best rated teams with at least `least` games, of the places that have switched a setting on."""
        columns = columns_of(Rating)
        query = (
            select_best(*columns, people.name, places.platform, places.settings, least=least)
            .join(teams, teams.person == ratings.person)
            .join(places)
            .filter_by(game_key=game_key, pool=pool, pace=pace)
        )
        rows = [row for row in await self._read(query) if row.settings.get(setting) is True]
        return [TeamStanding(Rating(*row[: len(columns)]), row.name, row.platform) for row in rows[:limit]]

    async def rated_in(self, place: int, pool: str) -> list[Rating]:
        """Return the ratings of all teams of a place, ordered by team and game, slow before live."""
        own = ratings.person.in_(select(teams.person).filter_by(place=place))
        return await self._list(Rating, own, pool=pool, order=[ratings.person, ratings.game_key, ratings.pace.desc()])

    async def running_in(self, place: int) -> list[str]:
        """Return the codes of the unfinished games of a place's teams, newest first."""
        own = select(team_sides.game).where(team_sides.team.in_(select(teams.person).filter_by(place=place)))
        return await self._read_column(
            select(games.id).where(games.id.in_(own), games.status != "over").order_by(games.created_at.desc())
        )
