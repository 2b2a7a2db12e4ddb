"""A channel that votes on its turns in a program that is to be killed, and several processes that do so together."""

import random
import time
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from bot.lobby.teams.rounds import SHOW_PAUSE
from storage import Store
from tests.bot.party import Clock, Party, words

PEOPLE: Final = ("anna", "bruno", "carla", "dora", "elsa", "fido")
SPEED: Final = 20.0
"""So fast the clock of programs of their own goes: the five seconds between two looks at the votes pass in no time."""


class RunningClock(Clock):
    """A clock that several processes share: the time since all of it began, gone by faster."""

    def __init__(self, begun: float) -> None:
        super().__init__()
        self._begun = begun

    def __call__(self) -> datetime:
        return self.now + timedelta(seconds=(time.time() - self._begun) * SPEED)

    def turn(self, **parts: float) -> None:
        """Leave it alone: it goes by itself."""


async def voting_game(party: Party) -> str:
    """Return the game that the room plays; a new one where it plays none."""
    place = await party.store.places.get_or_create("web", Party.room.channel)
    running = await party.store.teams.running_in(place.id)
    if running:
        return running[0]
    await party.meet(*PEOPLE)
    await party.say("anna", "/team annuvin computer 1 time:2d quorum:3")
    return party.code


async def do_one_thing(party: Party, rng: random.Random, code: str, people: Sequence[str] = PEOPLE) -> str:
    """Have somebody propose or vote, or the round end; return what is certain by then, to be written down."""
    row = await party.store.games.get(code)
    if row is None or row.status != "playing":
        return ""
    what, who = rng.random(), rng.choice(people)
    table = await party.table(code)
    state = table.playing.state
    if what < 0.25:
        party.clock.turn(seconds=SHOW_PAUSE.total_seconds())
        await party.front.jobs["teams"].run_until_idle()
        await party.settle()
    elif what < 0.4 and table.voting_team is not None:
        wholes = [each.text for each in state.legal_actions() if state.play(each).turn != state.turn]
        said = words(await party.front.typed_text(party.request(who), f"/move {rng.choice(wholes)} game:{code}"))
        if "roposed as " in said:
            letter = said.partition("roposed as ")[2][0]
            return f"{who} {await round_of(party, code)} {ord(letter) - ord('A') + 1}"
    else:
        number = rng.randint(1, 3)
        reply = await party.front.press(party.request(who), f"vote:{code}:{row.revision}={number}")
        if "Your vote is for" in words(reply):
            return f"{who} {await round_of(party, code)} {number}"
    return ""


async def round_of(party: Party, code: str) -> int:
    (side,) = await party.store.teams.sides(code)
    return side.round


Votes = dict[tuple[str, str, int], int]
"""For which proposal people have voted last, by game, person and round."""


async def check_votes(store: Store, confirmed: Votes) -> Votes:
    """See that all confirmed votes are there, and return those that have moved since.

    Each round that is over must have come to what was counted.
    """
    stored: Votes = {}
    names = {(await store.people.find(who))[0].id: who for who in PEOPLE}
    for code in await store.games.list_ids(limit=1000):
        votes = await store.teams.votes(code)
        assert max(Counter((each.round, each.person) for each in votes).values(), default=1) == 1, "a vote counts twice"
        stored |= {(code, names[each.person or 0], each.round): each.proposal for each in votes}
        proposals = await store.teams.proposals(code)
        played = [event for event in await store.games.events(code) if (event.cause or "").startswith("team:")]
        assert len({event.cause for event in played}) == len(played), "a round was played twice"
        for event in played:
            number, (won, total) = int((event.cause or "").rpartition(":")[2]), event.data["votes"]
            listed = [each for each in proposals if each.round == number]
            assert total == sum(each.votes for each in listed)
            if total:
                best = min(listed, key=lambda each: (-each.votes, each.number))
                assert (best.actions[0], best.votes) == (event.data["action"], won)
    assert not confirmed.keys() - stored.keys(), "a vote is lost"
    return {key: stored[key] for key, vote in confirmed.items() if stored[key] != vote}


async def count_rounds(store: Store) -> int:
    """Return how many rounds have ended with a turn."""
    events = [event for code in await store.games.list_ids(limit=1000) for event in await store.games.events(code)]
    return sum((event.cause or "").startswith("team:") for event in events)


async def main(address: str, life: int, number: int, begun: float) -> None:
    """Vote without end, each process with people of its own."""
    rng = random.Random(life * 10 + number)
    async with await Store.open(address) as store:
        store.start_sharing()
        party = Party(store)
        party.clock = RunningClock(begun)
        party.front = party.restarted()
        party.numbers = life * 1_000_000 + number * 100_000
        print("ready", flush=True)
        while True:
            code = await voting_game(party)
            print(f"done {code} {await do_one_thing(party, rng, code, PEOPLE[number::2])}", flush=True)
