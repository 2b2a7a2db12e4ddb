"""All that the store can do with guesses at the next turn, called once."""

import pytest
from sqlalchemy import insert

from storage import GuessRefused, NewGuess, ProcessedEvent, Store
from storage.puzzle_schema import guesses
from tests.support.stores import START


async def fill_guesses(store: Store, game: str, person: int) -> None:
    """Store a guess at a turn of a game, and that somebody agreed to it, whatever the game stands like."""
    await store.guesses.agree(game, person, START)
    async with store._database.transaction() as connection:
        row = {"game": game, "revision": 1, "person": person, "actions": ["a1-a2"], "made_at": START, "checked": 1}
        await connection.execute(insert(guesses).values(**row))


async def use_guesses(store: Store, place: int, person: int, game: str) -> None:
    """Call what the store can do with guesses."""
    await store.guesses.agree(game, person, START, ProcessedEvent("web", "guess-1"))
    await store.guesses.consents(game)
    with pytest.raises(GuessRefused):
        await store.guesses.guess(NewGuess(game, 1, person, ("a1-a2",), "b"), 1, START)
    await fill_guesses(store, game, person)
    (guess,) = await store.guesses.list_in_game(game)
    await store.guesses.settle(game, 2, {guess.id: True})
    await store.guesses.judge(guess.id, good=True)
    await store.guesses.list_unsettled(9, place)
    await store.guesses.list_to_judge(9)
    await store.guesses.counts_in_game(game)
    await store.guesses.counts_in_place(place, START)
    await store.guesses.counts_of_person(person)
    await store.guesses.withdraw(game, person, 1, START, ProcessedEvent("web", "guess-2"))
