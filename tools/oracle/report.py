"""Print what is proven about Annuvin: positions by class, the longest wins with their lines, the square's start.

Usage: `python -m tools.oracle.report`. All of it is read from the tables that the program plays by and from
tools/oracle/counts.json; docs/annuvin-solved.md is made of what it prints.
"""

import json
from math import comb
from typing import Any, Final

from engine import State, games
from engine.games.annuvin.codes import Codes, Kind
from engine.games.annuvin.rules import Board
from engine.search.result import list_known_actions
from tools.oracle.make import COUNTS, MAX_PIECES, kind_of

_ANNUVIN: Final = games["annuvin"]
_MAX_LINE_LENGTH: Final = 60


def count_values(counted: dict[str, Any]) -> tuple[int, int, int, int, int]:
    """Return how many positions of a class are won by a capture, won otherwise, drawn and lost, and the most turns."""
    by_code = {int(code): number for code, number in counted["codes"].items()}
    at_once, drawn = by_code.pop(2, 0), by_code.pop(0, 0)
    lost = sum(number for code, number in by_code.items() if code & 1)
    return at_once, sum(by_code.values()) - lost, drawn, lost, max([code // 2 for code in by_code] or [1])


def find_longest(board: str, kind: Kind, code: int) -> State:
    """Return a position of a class that has this code; LookupError if there is none."""
    codes, topology = Codes(board), Board(board).topology
    rows = list(codes.rows[kind[0]])
    oracle = _ANNUVIN.oracle
    columns = comb(len(topology) - kind[0], kind[1])
    for number in range(-(-len(rows) * columns // codes.length(kind))):
        block = codes.block(kind, number)
        at = block.find(code)
        while at >= 0 and oracle is not None:
            row, column = divmod(number * codes.length(kind) + at, columns)
            state = _state(board, rows[row], column, kind)
            verdict = oracle.probe(state)
            if verdict is not None and verdict.turns == code >> 1:
                return state
            at = block.find(code, at + 1) if len(block) > 1 else -1
    raise LookupError(kind)


def _state(board: str, own: int, column: int, kind: Kind) -> State:
    topology = Board(board).topology
    free = [cell for cell in range(len(topology)) if not own >> cell & 1]
    enemy = 0
    for pieces in range(kind[1], 0, -1):
        cell = pieces - 1
        while comb(cell + 1, pieces) <= column:
            cell += 1
        column -= comb(cell, pieces)
        enemy |= 1 << free[cell]
    size = Board(board).size
    pieces_of = [topology.cells(own), topology.cells(enemy)]
    return _ANNUVIN.load(
        {
            "game": "annuvin",
            "options": {"board": board, "setup": "empty" if kind[2] or kind[3] else "classic"},
            "to_move": 0,
            "pieces": pieces_of,
            "reserve": list(kind[2:]),
            "lost": [size - len(each) - reserve for each, reserve in zip(pieces_of, kind[2:], strict=True)],
            "moving": None,
        }
    )


def find_line(state: State) -> str:
    """Return how play goes from a position if one side hurries and the other delays, up to its end."""
    texts: list[str] = []
    turn = -1
    while state.outcome is None and len(texts) < _MAX_LINE_LENGTH:
        best = list_known_actions(state)[0].action
        going_on = state.turn == turn
        turn = state.turn
        if going_on and best.verb == "stop":
            texts[-1] += " stop"
        elif going_on:
            texts[-1] += best.text
        else:
            texts.append(best.text)
        state = state.advance(best)
    return ", ".join(texts)


def main() -> None:
    """Print it."""
    counted = json.loads(COUNTS.read_text(encoding="utf-8"))
    for board in MAX_PIECES:
        print(f"\n{board}: mover and other, positions, won by a capture, won otherwise, drawn, lost, most turns")
        total = 0
        for each in (each for each in counted if each["board"] == board):
            numbers = count_values(each)
            total += sum(numbers[:4])
            if not (each["own_reserve"] or each["other_reserve"]):
                print(f"{each['own']} {each['other']}", sum(numbers[:4]), *numbers)
        print(f"all, reserves included: {total}")
    print("\nThe longest wins")
    for each in counted:
        if each["own_reserve"] or each["other_reserve"] or each["own"] + each["other"] < 4:
            continue
        wins = [int(code) for code in each["codes"] if int(code) % 2 == 0 and int(code) > 2]
        if wins and each["own"] in (each["other"], MAX_PIECES[each["board"]]):
            state = find_longest(each["board"], kind_of(each), max(wins))
            pieces = state.to_json()["pieces"]
            print(f"{each['board']}, {max(wins) // 2} turns: White {' '.join(pieces[0])}, Black {' '.join(pieces[1])}")
            print(f"    {find_line(state)}")
    print("\nThe square")
    start = _ANNUVIN.start(2, {"board": "square"})
    for judged in list_known_actions(start):
        print(judged.action.text, judged.values)
    oracle = _ANNUVIN.oracle
    print("empty:", oracle and oracle.probe(_ANNUVIN.start(2, {"board": "square", "setup": "empty"})))


if __name__ == "__main__":
    main()
