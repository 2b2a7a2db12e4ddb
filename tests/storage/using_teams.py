"""All that the store can do with teams, called once."""

from datetime import timedelta

import pytest
from sqlalchemy import update

from storage import Ballot, NewProposal, Person, PlaceRow, ProcessedEvent, RoundClosed, Store
from storage.competition_schema import team_sides
from tests.support.stores import START, time_after


async def use_teams(store: Store, place: PlaceRow, person: Person, game: str) -> None:
    """Call what the store can do with teams."""
    team = await store.teams.get_or_create(place.id, "", "Our channel", START)
    await store.teams.get_or_create(place.id, "", "Another name", START)
    await store.teams.add_side(game, team.id, 3600, known_in=place.id)
    await store.teams.admit(game, team.id, person.id)
    await store.teams.set_called(game, team.id, person.id, ProcessedEvent("web", "team-2"), START, called=True)
    await store.teams.invite(game, team.id, [person.id], START, ProcessedEvent("web", "team-3"))
    await store.teams.invitations(game)
    await store.teams.answer_invitation(game, team.id, person.id, None, START, agrees=True)
    await store.teams.called(game, team.id)
    await store.teams.admitted(game, team.id)
    await store.teams.side_of(game, person.id)
    await store.teams.side_of(game, person.id, by_choice=True)
    await store.teams.running_in(place.id)
    await store.teams.best("", "teams", setting="team_table")
    await store.teams.rated_in(place.id, "teams")
    (side,) = await store.teams.sides(game)
    ballot = Ballot(game, team.id, 1, person.id, 1, "b", listed=True)
    await store.teams.may_vote(ballot)
    for ask in (store.teams.vote(ballot, START), _propose(store, ballot)):
        with pytest.raises(RoundClosed):
            await ask
    await store.teams.proposals(game, 1, with_last=True)
    await store.teams.proposals(game)
    await store.teams.votes(game)
    await store.teams.list_due(START, START, 9)
    await store.teams.next_due_at(timedelta(seconds=1))
    await store.teams.freeze(side, START)
    await store.teams.extend(side, START)
    await store.teams.show_votes(side, START)
    await store.teams.show_again(game, team.id, START)


async def _propose(store: Store, ballot: Ballot) -> None:
    await store.teams.propose(ballot, NewProposal("turn", ("a",)), START, most=9, most_each=3)


async def vote_in_round(store: Store, game: str, team: int, person: int) -> None:
    """Store a proposal, with the vote for it, in the first round of a team."""
    async with store._database.transaction() as connection:
        opened = update(team_sides).values(round=1, closes_at=time_after(days=1))
        await connection.execute(opened)
    proposed = NewProposal("turn", ("a", "b"))
    await store.teams.propose(Ballot(game, team, 1, person, 0), proposed, START, most=9, most_each=3)
