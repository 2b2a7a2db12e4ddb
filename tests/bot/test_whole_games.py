"""Every game, with every number of seats, is played to its end by the services that all fronts call."""

import random

import pytest

from bot.services.records import record_of
from engine import games
from engine.record import verify
from tests.bot.party import Party, button, card

PLAYERS = ("anna", "bruno", "carla", "dario", "elena")
TABLES = [(key, seats) for key, game in games.items() for seats in game.seats]
QUICK = {"annuvin", "real-queen", "fagocitare"}
"""Random play ends these soon; in the others players resign after a while, but in `make full`."""
A_WHILE = 60


@pytest.mark.parametrize(
    ("key", "seats", "patience"),
    [pytest.param(*table, 5000, marks=[] if table[0] in QUICK else [pytest.mark.full]) for table in TABLES]
    + [(*table, A_WHILE) for table in TABLES if table[0] not in QUICK],
)
async def test_a_game_comes_to_its_end(party: Party, key: str, seats: int, patience: int) -> None:
    code = await party.started(f"/play {key} seats:{seats}", *PLAYERS[1:seats])
    chance = random.Random(f"{key} {seats}")
    table = await party.front.house.table(code)
    while table.row.status != "over":
        assert table.row.status == "playing"
        assert table.mover is not None
        mover = table.people[table.person_at(table.mover) or 0].name.lower()
        action = table.playing.state.random_action(chance)
        if patience:
            await party.say(mover, f"/move {action} game:{code}")
            patience -= 1
        else:
            asked = await party.say(mover, f"/resign {code}")
            await party.press(mover, button(card(asked), "resign!"))
        after = await party.front.house.table(code)
        assert after.row.revision > table.row.revision, (str(action), table.playing.state)
        table = after
    assert table.playing.state.outcome is not None
    assert verify(await record_of(party.front.house, table)).seats == seats
    results = await party.store.results_of(code)
    assert [result.place_number for result in results] == list(table.playing.state.outcome.places)
