"""A crowd votes on one turn: what a vote asks of the database, and how often the board is edited meanwhile.

People vote one after the other, a few of them twice, spread over some minutes of the game's own clock. The statements
of a vote and the edits a minute do not depend on the machine.
"""

import argparse
import asyncio
import tempfile
import time
from pathlib import Path
from typing import Final

from storage import Store
from tests.bot.party import Party
from tests.support.counting import BEGIN, listed_statements

PROPOSALS: Final = 4
SPREAD_SECONDS: Final = 300.0
"""Over how long the crowd votes, by the game's clock."""
VOTES_PER_DOUBLE: Final = 10
"""One of so many votes twice."""


async def vote(people: int, folder: Path, listed: list[str]) -> None:
    """Have so many people vote on one turn, and print what that came to; `listed` are the statements so far."""
    party = Party(await Store.open(folder / f"{people}.db"))
    try:
        names = [f"p{number}" for number in range(people)]
        for name in names[:PROPOSALS]:
            await party.say(name, "/help")
        await party.say("anna", "/team annuvin computer 1 time:1h voters:everyone")
        code = party.code
        table = await party.front.context.table(code)
        for name, action in zip(names, table.playing.state.legal_actions()[:PROPOSALS], strict=False):
            await party.front.typed_text(party.request(name), f"/move {action.text} game:{code}")
        row = table.row
        shown = party.board.edits
        votes = [*range(people), *range(0, people, VOTES_PER_DOUBLE)]
        for number in range(people):
            # All who vote were seen in the channel before.
            await party.front.typed_text(party.request(names[number]), "/help")
        spent, counted = 0.0, 0
        for at, number in enumerate(votes):
            party.clock.turn(seconds=SPREAD_SECONDS / len(votes))
            request = party.request(names[number])
            began = time.perf_counter()
            before = len(listed)
            await party.front.press(request, f"vote:{code}:{row.revision}={1 + at % min(PROPOSALS, people)}")
            spent += time.perf_counter() - began
            counted += sum(each != BEGIN for each in listed[before:])
            await party.front.jobs["teams"].run_until_idle()
            await party.front.delivery.run_until_idle()
        edits = (party.board.edits - shown) / (SPREAD_SECONDS / 60)
        known = sum(each.votes for each in await party.store.teams.proposals(code))
        print(f"{people} people, {len(votes)} votes in {SPREAD_SECONDS / 60:.0f} minutes, {known} count:")
        print(f"  statements   {counted / len(votes):5.1f} a vote")
        print(f"  edits        {edits:5.1f} a minute")
        print(f"  votes       {len(votes) / spent:6.1f} a second")
    finally:
        await party.front.close()
        await party.store.close()


def main() -> None:
    """Print the figures for a few people and for many."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, nargs="*", default=[3, 3000])
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for people in arguments.people:
            with listed_statements() as listed:
                asyncio.run(vote(people, Path(folder), listed))


if __name__ == "__main__":
    main()
