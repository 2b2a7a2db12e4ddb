"""La Vedova Nera in words."""

from collections.abc import Iterator
from typing import Final

from bot.kernel.words.teller import GameWords, Losses, PositionTeller, phase_words
from engine import Turn


def _seat(teller: PositionTeller, seat: int) -> Iterator[str]:
    position = teller.position
    colour = position["colours"][seat]
    if colour:
        yield teller.line(f"position.colour.{colour}")
    if position["phase"] != "play":
        return
    goals, pawns = position["marbles"][colour], position["pawns"][seat]
    yield from teller.cells("position.goals", goals)
    yield from teller.cells("position.pawns", pawns)
    if not teller.brief:
        yield from teller.cells("position.stable", stable_goals(goals, pawns))
    yield from teller.count("position.off", position["off"][seat])
    if position["entry_ban"][seat]:
        yield teller.line("position.entry_ban", cell=position["entry_ban"][seat])


def _common(teller: PositionTeller) -> Iterator[str]:
    position = teller.position
    if position["phase"] != "play":
        for colour, cells in position["marbles"].items():
            yield from teller.cells(f"position.marbles.{colour}", cells)
        return
    yield teller.line("position.counsellor", cell=position["counsellor"])
    if position["counsellor_ban"]:
        yield teller.line("position.counsellor_ban", cell=position["counsellor_ban"])
    if position["last_entry"]:
        yield teller.line("position.last_entry", cell=position["last_entry"])


def _cells(teller: PositionTeller) -> dict[str, str]:
    """Return the marbles before play begins; then pawns, covered and open goals, and the Counsellor."""
    position = teller.position
    playing = position["phase"] == "play"
    kind = "cell.goal" if playing else "cell.marble"
    found = {cell: teller.line(f"{kind}.{colour}") for colour, cells in position["marbles"].items() for cell in cells}
    if not playing:
        return found
    standing = {position["counsellor"]: teller.line("cell.counsellor")}
    for colour, pawns in zip(position["colours"], position["pawns"], strict=True):
        standing |= {pawn: teller.line(f"cell.pawn.{colour}") for pawn in pawns}
    return found | {
        cell: ", ".join([what, *([found[cell]] if cell in found else [])]) for cell, what in standing.items()
    }


def _describe_task(teller: PositionTeller) -> str:
    return "" if teller.position["phase"] == "play" else phase_words(teller)


def _find_captures(turn: Turn) -> Losses:
    before, after = turn.json_before, turn.json_after
    left = set(after["dropped"]) - set(before["dropped"])
    return {
        seat: [cell for cell in pawns if cell not in after["pawns"][seat]]
        for seat, pawns in enumerate(before["pawns"])
        if seat != turn.seat and seat not in left
    }


def stable_goals(goals: list[str], pawns: list[str]) -> list[str]:
    """Return the covered goals at least as far in as the innermost open goal of their colour (rules, Stable pawns)."""
    innermost = min((goal[1:] for goal in goals if goal not in pawns), default="9")
    return [pawn for pawn in pawns if pawn in goals and pawn[1:] <= innermost]


WORDS: Final = GameWords(_seat, _find_captures, _common, _describe_task, cells=_cells)
