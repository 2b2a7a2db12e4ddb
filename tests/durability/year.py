"""A year of use in fast motion: finished games, their events, results and ratings, as the services store them."""

import random
from datetime import datetime, timedelta
from typing import Final

from bot.kernel.line import draws_for, play_line
from bot.kernel.table import Table, final_results, moved_row, step_events
from bot.lobby.service import start_row
from bot.platforms.app import Tavoliere
from bot.table.service import store_step
from engine import Action, fair, games
from storage import NewEvent, NewGame, Person, PlaceRow, Seat, ShownPost, Store, Terms
from tests.bot.party import Clock
from tests.durability.matches import FOR_TWO
from tests.support.fronts import make_front
from tests.support.stores import START, add_post

PEOPLE: Final = 60
PLACES: Final = 12
MAX_TURNS: Final = 24
"""After so many actions somebody has had enough."""


async def live_through(store: Store, count: int, seed: int = 1, longest: int = MAX_TURNS) -> list[Person]:
    """Have people play so many games, each of so many actions at most, in the year before START; return the people."""
    clock = Clock()
    rng = random.Random(seed)
    tavoliere = make_front(store, clock=clock)
    people = [await store.people.identify("web", f"p{n}", f"Player {n}", "en", at=START) for n in range(PEOPLE)]
    places = [
        await store.places.get_or_create("web", "room" if number == 0 else f"room{number}", group="room")
        for number in range(PLACES)
    ]
    for begin in range(0, count, 50):
        async with store.transaction():
            for number in range(begin, min(begin + 50, count)):
                clock.now = START - timedelta(days=365) + timedelta(days=365) * number / count
                await _game(tavoliere, places[number % PLACES], rng.sample(people, 2), rng, clock.now, longest)
    return people


async def _game(
    tavoliere: Tavoliere, place: PlaceRow, players: list[Person], rng: random.Random, now: datetime, longest: int
) -> None:
    context, store = tavoliere.context, tavoliere.context.store
    game = games[rng.choice(FOR_TWO)]
    seed = rng.randbytes(32).hex()
    seats = tuple(Seat(at, person=each.id, joined_by=f"web:{rng.random()}") for at, each in enumerate(players))
    new = NewGame(
        game=game.key,
        place=place.id,
        starter=players[0].id,
        rules_version=game.rules_version,
        seat_count=2,
        seats=seats,
        options=dict(game.checked_options(2, None)),
        seed=seed,
        seed_hash=fair.hash_seed(seed),
        terms=Terms(rated=True),
    )
    row = await store.games.create(new, now, happened=[NewEvent("opened", {}, players[0].id)])
    post = await add_post(store, row.id, place.id, now)
    changed, events, line = start_row(context, row, 0, set())
    while line.state.outcome is None:
        enough = len(events) > longest and isinstance(line.state.to_move, int)
        action = Action.drop(line.state.to_move or 0) if enough else line.state.random_action(rng)
        draws = draws_for(changed)
        line, steps = play_line(line, [action], draws)
        events += step_events(steps, changed, draws)
    changed = moved_row(changed, line, now, len(events))
    table = Table(brief=row, row=row, people={each.id: each for each in players}, line=None)
    stored = await store_step(context, table, changed, events, line=line, results=final_results(changed, line))
    await store.posts.record_shown(post, ShownPost(f"m{stored.id}", stored.revision, 1), now)
