"""A program that plans, guesses and plays without end, to be killed.

What somebody was told is written into the log: a line for a plan that
stands, for a plan that was taken back, for players who have all agreed to guesses, and for a guess that was taken.
"""

import random
from pathlib import Path
from typing import Final

from bot.kernel.line import Line, play_line
from bot.kernel.table import last_moved_revision
from engine import State, games
from storage import GameRow, Store
from tests.bot.party import Party, button, words
from tests.support.present import present

PLANNED: Final = tuple(key for key, game in games.items() if 2 in game.seats and not game.has_chance(2, {}))
"""The games in which turns may be planned."""


async def main(path: Path, life: int, log: Path) -> None:
    """Plan, take plans back, and play, in one game after the other."""
    rng = random.Random(life)
    async with await Store.open(path) as store:
        party = Party(store)
        party.numbers = life * 100_000
        print("ready", flush=True)
        while True:
            row = await _game(party, rng)
            seated = [seat.person for seat in row.seats if seat.person is not None]
            people = {person.id: person.name.lower() for person in (await store.people.get_many(seated)).values()}
            mover = people[row.to_move or 0]
            waiter = next(name for name in people.values() if name != mover)
            state = games[row.game].load(row.position or {})
            await _guess(party, log, row, state)
            theirs, after = whole_turn(state, rng)
            if after.outcome is None:
                answer, _ = whole_turn(after, rng)
                said = await party.say(waiter, f"/plan #{row.id} if {theirs} then {answer}")
                if "nobody knows" in words(said):
                    _write(log, f"on {row.id} {row.revision} {theirs}|{answer}")
                    if rng.random() < 0.3:
                        listed = await party.say(waiter, "/games")
                        off = await party.press(waiter, button(listed.card, "unplan")) if listed.card else None
                        if off is not None and "not planned any more" in words(off):
                            _write(log, f"off {row.id} {row.revision} {theirs}|{answer}")
            text = theirs if rng.random() < 0.7 else whole_turn(state, rng)[0]
            await party.say(mover, f"/move #{row.id} {text}")


async def _guess(party: Party, log: Path, row: GameRow, state: State) -> None:
    """Have both agree to guesses and Carla guess, always the same of a position; write down what was told."""
    if not row.progress.guesses:
        for who in ("anna", "bruno"):
            agreed = await party.say(who, f"/guess agree game:{row.id}")
        if "so has everybody else" in words(agreed):
            _write(log, f"agreed {row.id} {row.revision} -")
    text, _ = whole_turn(state, random.Random(0))
    said = await party.say("carla", f"/guess {text} game:{row.id}")
    if "You guess that" in words(said):
        _write(log, f"guess {row.id} {last_moved_revision(row)} {text}")


def whole_turn(state: State, rng: random.Random) -> tuple[str, State]:
    """Return a whole turn of a position as it is typed, forced actions included, and where it leads."""
    line, texts, number = Line(state), list[str](), state.turn
    while line.state.turn == number and line.state.outcome is None:
        before = line.state
        line, steps = play_line(line, [rng.choice(before.legal_actions())], None)
        for step in steps:
            # The last of them may begin the next turn.
            if before.turn == number:
                texts.append(step.action.text)
            before = before.advance(step.action)
    return " ".join(texts), line.state


async def _game(party: Party, rng: random.Random) -> GameRow:
    known = await party.store.people.find("anna")
    mine = await party.store.games.list_for_person(known[0].id) if known else []
    going = [brief.id for brief in mine if brief.status == "playing"]
    if going:
        return present(await party.store.games.get(going[0]))
    await party.started(f"/play {rng.choice(PLANNED)} @bruno")
    return await _game(party, rng)


def _write(log: Path, line: str) -> None:
    with log.open("a") as file:
        file.write(f"{line}\n")
