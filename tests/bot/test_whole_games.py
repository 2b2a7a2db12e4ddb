"""Every game, with every number of seats, is played to its end by the services that all fronts call."""

import random

import pytest

from engine import games
from engine.record import verify
from tests.bot.party import Party, button, card
from tests.support.present import present
from tests.support.records import record_of

PLAYERS = ("anna", "bruno", "carla", "dario", "elena")
TABLES = [(key, seats) for key, game in games.items() for seats in game.seats]
SHORT_GAME_ACTIONS = 100
A_WHILE = 12
"""After so many actions players resign one by one, in games that random play does not end soon; not in `make full`."""


def ends_soon(key: str, seats: int) -> bool:
    """Say whether a game played at random is over after few actions."""
    chance, state = random.Random(f"{key} {seats}"), games[key].start(seats)
    for _ in range(SHORT_GAME_ACTIONS):
        if state.to_move is None:
            return True
        state = state.play(state.random_action(chance))
    return False


@pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.full)])
@pytest.mark.parametrize(("key", "seats"), TABLES)
async def test_a_game_comes_to_its_end(party: Party, key: str, seats: int, whole: bool) -> None:
    remaining_actions = 5000 if whole or ends_soon(key, seats) else A_WHILE
    code = await party.started(f"/play {key} seats:{seats}", *PLAYERS[1:seats])
    chance = random.Random(f"{key} {seats}")
    table = await party.table(code)
    while table.row.status != "over":
        assert table.row.status == "playing"
        mover = table.people[table.person_at(present(table.mover)) or 0].name.lower()
        action = table.playing.state.random_action(chance)
        if remaining_actions:
            await party.say(mover, f"/move {action} game:{code}")
            remaining_actions -= 1
        else:
            asked = await party.say(mover, f"/resign {code}")
            await party.press(mover, button(card(asked), "resign!"))
        after = await party.table(code)
        assert after.row.revision > table.row.revision, (str(action), table.playing.state)
        table = after
    assert table.playing.state.outcome is not None
    assert verify(await record_of(party.front.context, table)).seats == seats
    results = await party.store.games.results_of(code)
    assert [result.place_number for result in results] == list(table.playing.state.outcome.places)
