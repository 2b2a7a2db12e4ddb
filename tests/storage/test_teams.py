"""Teams: rounds of votes, what is counted and what is not, and what becomes of it all, on both kinds of database."""

from dataclasses import replace
from datetime import timedelta

import pytest

from storage import AlreadyProcessed, GameRow, Person, PlayEachOther, ProcessedEvent, Seat, Store, TeamTerms, Terms
from storage.competition_schema import Side
from storage.team_rounds import Ballot, NewProposal, NotCounted, RoundClosed, TooManyProposals
from tests.support.present import present
from tests.support.stores import START, make_place, one_step, some_people, store_game, time_after

HOUR = 3600


async def voting(store: Store, *names: str) -> tuple[GameRow, Person, list[Person]]:
    """Return a game in which a team is to move, the team, and people who could vote."""
    place, people = await make_place(store), await some_people(store, *(names or ("Ada", "Bob")))
    team = await store.teams.get_or_create(place.id, "", "Our channel", START)
    game = await store_game(store, place, [people[0]])
    await store.teams.add_side(game.id, team.id, HOUR)
    seats = (Seat(0, "joined", 0, team.id), Seat(1, "joined", 1, computer="1"))
    terms = Terms(team=TeamTerms(seconds=HOUR))
    playing = replace(game, status="playing", seats=seats, terms=terms, to_move=team.id, last_turn={"moved": 1})
    row = await store.games.commit(one_step(playing))
    return row, team, people


async def side_of(store: Store, game: str) -> Side:
    (side,) = await store.teams.sides(game)
    return side


def ballot(row: GameRow, team: Person, person: Person, number: int = 0, **more: object) -> Ballot:
    return Ballot(row.id, team.id, 1, person.id, number, **more)  # type: ignore[arg-type]


async def propose(store: Store, row: GameRow, team: Person, person: Person, *actions: str) -> int:
    wanted = NewProposal("turn", actions)
    return await store.teams.propose(ballot(row, team, person), wanted, time_after(minutes=1), most=4, most_each=2)


async def votes(store: Store, row: GameRow) -> dict[int, int]:
    return {each.number: each.votes for each in await store.teams.proposals(row.id)}


async def test_team_takes_the_current_name_of_its_place(store: Store) -> None:
    place = await make_place(store)
    team = await store.teams.get_or_create(place.id, "", "Games", START)
    again = await store.teams.get_or_create(place.id, "", "Board games", START)
    assert (again.id, again.name, again.team_place) == (team.id, "Board games", place.id)


async def test_move_closes_the_round_and_opens_it_for_the_side_to_move(store: Store) -> None:
    row, team, people = await voting(store)
    assert (await side_of(store, row.id)).closes_at == time_after(seconds=HOUR)
    await propose(store, row, team, people[0], "a")
    on = one_step(replace(row, to_move=None, last_turn={"moved": 2}), time_after(hours=1))
    row = await store.games.commit(on)
    assert (await side_of(store, row.id)).closes_at is None
    with pytest.raises(RoundClosed):
        await store.teams.vote(ballot(row, team, people[1], 1), time_after(minutes=2))
    await store.games.commit(one_step(replace(row, to_move=team.id, last_turn={"moved": 3}), time_after(hours=2)))
    side = await side_of(store, row.id)
    assert (side.round, side.closes_at) == (3, time_after(hours=3))


async def test_one_person_has_one_vote_which_may_move_and_so_has_one_browser(store: Store) -> None:
    row, team, (ada, bob) = await voting(store)
    assert [await propose(store, row, team, ada, each) for each in ("a", "b", "a")] == [1, 2, 1]
    assert await votes(store, row) == {1: 1, 2: 0}
    event = ProcessedEvent("web", "1")
    await store.teams.vote(ballot(row, team, bob, 2), time_after(minutes=2), event)
    with pytest.raises(AlreadyProcessed):
        await store.teams.vote(ballot(row, team, bob, 2), time_after(minutes=2), event)
    await store.teams.vote(ballot(row, team, bob, 1), time_after(minutes=3))
    assert await votes(store, row) == {1: 2, 2: 0}
    with pytest.raises(NotCounted):
        await store.teams.vote(ballot(row, team, bob, 3), time_after(minutes=3))
    await store.teams.vote(ballot(row, team, ada, 2, browser="b7"), time_after(minutes=4))
    with pytest.raises(NotCounted):
        await store.teams.vote(ballot(row, team, bob, 2, browser="b7"), time_after(minutes=4))
    await store.teams.vote(ballot(row, team, bob, 2, browser="b8"), time_after(minutes=4))
    assert await votes(store, row) == {1: 0, 2: 2}
    with pytest.raises(RoundClosed):
        await store.teams.vote(ballot(row, team, bob, 1), time_after(hours=2), ProcessedEvent("web", "2"))
    assert await store.processed_events.get("web", "2") is None


async def test_voting_on_both_sides_or_against_oneself_is_refused(store: Store) -> None:
    row, team, people = await voting(store, "Ada", "Bob", "Cleo")
    other = await store.teams.get_or_create((await make_place(store)).id, "Reds", "Reds", START)
    await propose(store, row, team, people[0], "a")
    await store.teams.admit(row.id, other.id, people[1].id)
    with pytest.raises(NotCounted):
        await store.teams.vote(ballot(row, team, people[1], 1), time_after(minutes=2))
    seats = (row.seats[0], replace(row.seats[1], computer=None, person=people[2].id))
    await store.games.commit(one_step(replace(row, seats=seats)))
    with pytest.raises(NotCounted):
        await store.teams.vote(ballot(row, team, people[2], 1), time_after(minutes=2))


async def test_where_only_those_listed_vote_others_may_be_let_in(store: Store) -> None:
    row, team, people = await voting(store)
    await store.teams.admit(row.id, team.id, people[0].id)
    one, other = (ballot(row, team, person, listed=True) for person in people)
    await store.teams.propose(one, NewProposal("turn", ("a",)), time_after(minutes=1), most=4, most_each=2)
    assert [await store.teams.may_vote(each) for each in (one, other)] == [True, False]
    with pytest.raises(NotCounted):
        await store.teams.vote(replace(other, proposal=1), time_after(minutes=2))
    await store.teams.admit(row.id, team.id, people[1].id)
    await store.teams.vote(replace(other, proposal=1), time_after(minutes=2))


async def test_number_of_proposals_is_limited(store: Store) -> None:
    row, team, people = await voting(store, "Ada", "Bob", "Cleo")
    for person, actions in ((0, "ab"), (1, "cd")):
        for action in actions:
            await propose(store, row, team, people[person], action)
    with pytest.raises(TooManyProposals) as refused:
        await propose(store, row, team, people[2], "e")
    assert (refused.value.code, refused.value.params) == ("team-many", {"most": 4})
    await propose(store, row, team, people[2], "a")
    assert (await votes(store, row))[1] == 1


async def test_a_round_that_is_frozen_takes_no_votes_and_can_be_prolonged_once(store: Store) -> None:
    row, team, people = await voting(store)
    await propose(store, row, team, people[0], "a")
    side = await side_of(store, row.id)
    assert await store.teams.list_due(time_after(minutes=5), time_after(minutes=1), 9) == [side]
    assert await store.teams.freeze(side, time_after(minutes=5))
    with pytest.raises(RoundClosed):
        await store.teams.vote(ballot(row, team, people[1], 1), time_after(minutes=2))
    await store.teams.extend(side, time_after(hours=1))
    await store.teams.extend(side, time_after(hours=8))
    side = await side_of(store, row.id)
    assert (side.closes_at, side.extended) == (time_after(hours=2), True)
    assert await store.teams.next_due_at(timedelta(seconds=5)) == time_after(hours=2)


async def test_rounds_are_put_off_with_alarms(store: Store) -> None:
    row, _, _ = await voting(store)
    await store.clock.move(7200, START, time_after(hours=2))
    assert (await side_of(store, row.id)).closes_at == time_after(hours=3)


async def test_merging_people_keeps_the_newer_vote(store: Store) -> None:
    row, team, people = await voting(store)
    for action in "ab":
        await propose(store, row, team, people[0], action)
    await store.teams.vote(ballot(row, team, people[1], 1), time_after(minutes=5))
    await store.links.merge_people(people[0].id, people[1].id)
    assert await votes(store, row) == {1: 1, 2: 0}
    (vote,) = await store.teams.votes(row.id)
    assert vote.person == people[0].id


async def test_two_who_have_voted_against_each_other_do_not_become_one(store: Store) -> None:
    row, team, people = await voting(store)
    other = await store.teams.get_or_create((await make_place(store)).id, "Reds", "Reds", START)
    await store.teams.add_side(row.id, other.id, HOUR)
    await propose(store, row, team, people[0], "a")
    await store.games.commit(one_step(replace(row, to_move=other.id, last_turn={"moved": 2})))
    against = Ballot(row.id, other.id, 2, people[1].id, 0)
    await store.teams.propose(against, NewProposal("turn", ("b",)), time_after(minutes=1), most=4, most_each=2)
    with pytest.raises(PlayEachOther):
        await store.links.merge_people(people[0].id, people[1].id)


async def test_forgetting_keeps_counted_votes_without_a_name(store: Store) -> None:
    row, team, people = await voting(store)
    await propose(store, row, team, people[0], "a")
    await store.teams.set_called(row.id, team.id, people[0].id, ProcessedEvent("web", "c"), START, called=True)
    exported = await store.privacy.export_person(people[0].id)
    assert [len(exported[name]) for name in ("team_proposals", "team_votes", "team_voters")] == [1, 1, 1]
    assert await store.teams.called(row.id, team.id) == [people[0].id]
    await store.privacy.forget_person(people[0].id, time_after(hours=2))
    assert await votes(store, row) == {1: 1}
    assert [each.person for each in await store.teams.proposals(row.id)] == [None]
    assert [each.person for each in await store.teams.votes(row.id)] == [None]
    assert await store.teams.called(row.id, team.id) == []


async def test_forgetting_removes_votes_of_an_open_round(store: Store) -> None:
    row, team, people = await voting(store, "Ada", "Bob", "Cleo")
    await propose(store, row, team, people[0], "a")
    await store.teams.vote(ballot(row, team, people[1], 1), time_after(minutes=1))
    await store.teams.vote(ballot(row, team, people[2], 1, browser="b7"), time_after(minutes=1))
    await store.teams.show_votes(await side_of(store, row.id), time_after(minutes=1))
    for person in people[1:]:
        await store.privacy.forget_person(person.id, time_after(minutes=2))
    # They may be back as somebody new; a browser is known again.
    assert await votes(store, row) == {1: 2}
    assert (await side_of(store, row.id)).changed_at == time_after(minutes=2)
    again, other = await some_people(store, "Bob", "Cleo")
    await store.teams.vote(ballot(row, team, again, 1), time_after(minutes=3))
    with pytest.raises(NotCounted):
        await store.teams.vote(ballot(row, team, other, 1, browser="b7"), time_after(minutes=3))
    assert await votes(store, row) == {1: 3}


async def test_split_account_votes_neither_twice_nor_on_both_sides(store: Store) -> None:
    row, team, people = await voting(store)
    other = await store.teams.get_or_create((await make_place(store)).id, "Reds", "Reds", START)
    await store.teams.add_side(row.id, other.id, HOUR)
    await store.links.merge_people(people[0].id, people[1].id)
    await propose(store, row, team, people[0], "a")
    assert await store.links.split_identity("web", "bob")
    mine = ballot(row, team, people[1], 1)
    for _ in range(2):
        with pytest.raises(NotCounted, match="team-voted"):
            await store.teams.vote(mine, time_after(minutes=2))
    assert await votes(store, row) == {1: 1}
    assert [each.person for each in await store.teams.votes(row.id)] == [people[0].id]
    # One person again, with the vote; apart again, they vote in the next round, but not for the others.
    await store.links.merge_people(people[0].id, people[1].id)
    assert await votes(store, row) == {1: 1}
    assert await store.links.split_identity("web", "bob")
    for moved, side in ((2, other), (3, team)):
        row = await store.games.commit(one_step(replace(row, to_move=side.id, last_turn={"moved": moved})))
        wanted = Ballot(row.id, side.id, moved, people[1].id, 0)
        proposed = NewProposal("turn", ("b",))
        if side is other:
            with pytest.raises(NotCounted):
                await store.teams.propose(wanted, proposed, time_after(minutes=3), most=4, most_each=2)
        else:
            await store.teams.propose(wanted, proposed, time_after(minutes=3), most=4, most_each=2)
    assert [each.round for each in await store.teams.votes(row.id)].count(3) == 1


async def test_a_team_moves_with_its_channel(store: Store) -> None:
    row, team, _ = await voting(store)
    old, new = present(await store.places.get(row.place)), await store.places.get_or_create("web", "new", title="New")
    assert await store.teams.running_in(old.id) == [row.id]
    await store.places.move_channel("web", old.channel, "new", START)
    moved = present(await store.people.get(team.id))
    assert moved.team_place == new.id or await store.teams.running_in(moved.team_place or 0) == [row.id]


async def test_an_invitation_goes_along_when_two_are_linked_and_is_answered_once(store: Store) -> None:
    game, team, (_, bob, cleo, other) = await voting(store, "Ada", "Bob", "Cleo", "Cleo too")
    await store.teams.invite(game.id, team.id, [bob.id, cleo.id, other.id], START)
    await store.links.merge_people(cleo.id, other.id)
    assert await store.teams.invitations(game.id) == [(team.id, bob.id), (team.id, cleo.id)]
    for person, agrees in ((cleo, True), (bob, False)):
        assert await store.teams.answer_invitation(game.id, team.id, person.id, None, START, agrees=agrees)
        assert not await store.teams.answer_invitation(game.id, team.id, person.id, None, START, agrees=True)
    assert await store.teams.admitted(game.id, team.id) == [cleo.id]
    await store.teams.invite(game.id, team.id, [cleo.id], START)
    assert await store.teams.invitations(game.id) == [], "who votes with it is not asked again"
