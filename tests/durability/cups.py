"""Competitions of people who come, go and fall silent, one after the other; also as a program that is to be killed."""

import random
from datetime import timedelta
from pathlib import Path
from typing import Final

from bot.competitions.competition import Competition
from bot.competitions.events import CUP_CODEC
from bot.competitions.kinds import check_competitions
from storage import Store
from storage.competition_schema import COMPETITION_KINDS
from tests.bot.cups import HALL, YARD, time_passes
from tests.bot.party import Party
from tests.support.present import present

PEOPLE: Final = ("anna", "bruno", "cora", "dino", "elsa", "fido")
FORMATS: Final = ("all", "swiss", "knockout", "twice", "tables")
MAX_STEPS: Final = 400
"""A competition takes a few dozen hours here: a competition that still runs by then never ends."""


async def begin_cup(party: Party, rng: random.Random, kind: str) -> str:
    """Have Anna make a competition that some people enter, and return its code."""
    game = "vedova-nera" if kind == "tables" else "annuvin"
    seats = "seats:3 " if kind == "tables" else ""
    clock = rng.choice(("1h", "15+10"))
    await party.say("anna", f"/cup {game} format:{kind} {seats}clock:{clock} players:6 starts:5h rounds:2 entry:code")
    row, *_ = await party.store.competitions.list_made_by(await party.id_of("anna"))
    for who in rng.sample(PEOPLE, rng.randrange(1, len(PEOPLE))):
        await party.say(who, f"/cup join:{row.id}", place=rng.choice((Party.room, HALL)))
    return row.id


async def one_thing(party: Party, rng: random.Random, code: str) -> None:
    """Have one person do something about a competition, or some hours go by."""
    what, who = rng.random(), rng.choice(PEOPLE)
    if what < 0.4:
        await time_passes(party, rng.choice((1, 1, 2)))
    elif what < 0.75:
        await _resign(party, rng, code)
    elif what < 0.78:
        await party.say(who, f"/cup join:{code}", place=rng.choice((HALL, YARD)))
    elif what < 0.9:
        await party.press(who, f"cup={rng.choice(('join', 'stay', 'stay', 'here', 'here', 'leave'))}.{code}")
    elif what < 0.96:
        await party.press("anna", f"cup={rng.choice(('pause', 'resume', 'resume', 'start'))}.{code}")
    else:
        await party.press("anna", f"cup=out!.{code}.{rng.randrange(len(PEOPLE))}")


async def to_the_end(party: Party, rng: random.Random, code: str) -> int:
    """Have a competition lived through to its end, and return how many things happened."""
    for step in range(MAX_STEPS):
        row = present(await party.store.competitions.get(code))
        if row.status == "over":
            await party.front.jobs["cups"].run_until_idle()
            await party.front.delivery.run_until_idle()
            places = await party.store.posts.list_of_competition(code)
            assert all(each.shown_revision == row.revision for each in places), "a place shows what was"
            return step
        state = await state_of(party.store, code)
        if state.paused and step > MAX_STEPS // 2:
            party.clock.now += timedelta(days=15)  # the person who paused it is gone
        if row.status == "open" and step > MAX_STEPS // 2:
            party.clock.now += timedelta(days=31)  # nobody came any more
        await one_thing(party, rng, code)
    raise AssertionError(f"competition {code} does not end")


async def state_of(store: Store, code: str) -> Competition:
    """Return how a competition stands after its events."""
    stored = await store.competitions.events(code)
    return Competition.replay((each.at, CUP_CODEC.from_json(each.kind, each.data)) for each in stored)


async def see_that_all_is_whole(store: Store) -> int:
    """See that competitions are what their events say, and every game of one is paired once; return how many games."""
    assert [found async for found in check_competitions(store) if found[1]] == []
    paired: set[str] = set()
    for kind in COMPETITION_KINDS:
        for code in await store.competitions.list_ids(kind=kind):
            for game in (await store.competitions.paired_games(code)).values():
                assert game not in paired, f"{game} belongs to two pairings"
                paired.add(game)
    for code in await store.games.list_ids(limit=100_000):
        row = present(await store.games.get(code))
        assert row.terms.cup is None or code in paired, f"{code} was opened and not noted"
    return len(paired)


async def _resign(party: Party, rng: random.Random, code: str) -> None:
    games = [game.id for *_, game in (await state_of(party.store, code)).games() if game.id and not game.places]
    row = await party.store.games.get(rng.choice(games)) if games else None
    if row is not None and row.status == "playing" and row.to_move is not None:
        (who,) = (await party.store.people.get_many([row.to_move])).values()
        await party.press(who.name.lower(), f"resign!:{row.id}:{row.revision}")


async def main(path: Path, life: int) -> None:
    """Hold competitions without end."""
    rng = random.Random(life)
    async with await Store.open(path) as store:
        party = Party(store)
        party.numbers = life * 100_000
        party.clock.turn(days=life * 40)
        await party.front.jobs["cups"].run_until_idle()
        print("ready", flush=True)
        while True:
            known = await store.people.find("anna")
            made = await store.competitions.list_made_by(known[0].id) if known else []
            going = [row.id for row in made if row.status != "over"]
            if going:
                await one_thing(party, rng, going[0])
            else:
                code = await begin_cup(party, rng, rng.choice(FORMATS))
                for who in PEOPLE[:4]:
                    await party.press(who, f"cup=join.{code}")
                await party.press("anna", f"cup=start.{code}")
