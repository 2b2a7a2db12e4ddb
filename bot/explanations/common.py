"""Reasons that apply to any game: what the search has proven; wins and captures made, prevented or threatened."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from bot.explanations.candidate import (
    OF_CAPTURE,
    OF_LAST,
    OF_PLAN,
    OF_RESCUE,
    OF_SAFETY,
    OF_STEP,
    OF_THREAT,
    OF_WIN,
    Candidate,
    Reason,
)
from bot.language.texts import Parameter
from engine import Action
from engine.search import Judged

_DRAW_VALUE = 0.5
MAX_WINNING_MOVES_LISTED = 5
"""Maximum number of winning moves written out."""


def explain_ending(case: Candidate) -> Iterator[Reason]:
    """Yield the outcome if the turn ends the game."""
    outcome = case.after.outcome
    if outcome is None:
        return
    if outcome.winner == case.seat:
        key = f"why.wins.{outcome.reason}"
        yield case.reason(key if case.speaker.has(key) else "why.wins", OF_WIN, who=case.who(case.rivals))
    elif outcome.places[case.seat] == 1:
        yield case.reason("why.draws", OF_PLAN)


def explain_judgement(case: Candidate) -> Iterator[Reason]:
    """Yield what the search has found, with a comparison to the next best action."""
    if len(case.before.legal_actions()) == 1:
        yield case.reason("why.forced", OF_STEP)
        return
    mine = next((each for each in case.judged if each.action == case.actions[0]), None)
    others = [each for each in case.judged if each is not mine]
    if mine is None or not others:
        return
    seat = case.seat
    value = mine.values[seat]
    if mine.known and (value > 0.0 or mine.within is None or _is_whole(case)):
        yield _proven_reason(case, mine, others)
        return
    if mine.expected:
        yield make_late_reason(case.reason("why.expected", OF_STEP + 1, mine=_percent(value)))
        return
    if mine.proven and value == 1.0:
        yield make_late_reason(case.reason("why.wins-by-force", OF_RESCUE))
    elif mine.proven and value == 0.0:
        yield make_late_reason(case.reason("why.loses-late", OF_STEP))
    elif _is_whole(case) and all(each.proven and each.values[seat] == 0.0 for each in others):
        yield make_late_reason(case.reason("why.only", OF_THREAT))
    mine_rated, other_rated = _percent(value), _percent(others[0].values[seat])
    move = case.move((others[0].action,))
    if mine_rated > other_rated:
        yield case.reason("why.values", OF_LAST, mine=mine_rated, other=other_rated, move=move)
    else:
        yield case.reason("why.close", OF_LAST, mine=mine_rated, move=move)


def _proven_reason(case: Candidate, mine: Judged, others: Sequence[Judged]) -> Reason:
    """Return what the game's oracle or prover knows of the turn."""
    value = mine.values[case.seat]
    if mine.within is not None:
        key = "why.proven-win-own" if value > _DRAW_VALUE else "why.proven-loss-own"
        return make_late_reason(case.reason(key, OF_RESCUE, n=mine.within))
    if value > _DRAW_VALUE:
        return make_late_reason(case.reason("why.proven-win", OF_RESCUE, n=mine.turns or 1))
    if value < _DRAW_VALUE:
        return make_late_reason(case.reason("why.proven-loss", OF_RESCUE, n=mine.turns or 1))
    only = all(each.values[case.seat] < _DRAW_VALUE for each in others)
    return make_late_reason(case.reason("why.proven-only-draw" if only else "why.proven-draw", OF_RESCUE))


def make_late_reason(reason: Reason) -> Reason:
    """Return a reason that comes after the others."""
    return replace(reason, late=True)


def _is_whole(case: Candidate) -> bool:
    """Return True if the search has judged every legal action."""
    return len(case.judged) == len(case.before.legal_actions())


def _percent(value: float) -> int:
    return round(100 * value)


def wins(case: Candidate) -> Iterator[Reason]:
    """Yield wins that the turn prevents or prepares, one turn ahead."""
    for rival, feared in case.feared.items():
        left = case.left.get(rival)
        if feared.wins and left is not None and not left.wins:
            move = case.move(_shortest_line(feared.wins))
            yield case.reason("why.stops-win", OF_WIN - 5, who=case.names[rival], move=move)
    if case.next is not None and case.next.wins and not any(left.wins for left in case.left.values()):
        moves = {line[0].text: line for line in sorted(case.next.wins, key=len, reverse=True)}
        ways = sorted(moves.values(), key=len)[:MAX_WINNING_MOVES_LISTED]
        listed_ways: list[Parameter] = [case.move(line) for line in ways]
        if len(moves) > len(ways):
            listed_ways.append(case.speaker.say("why.more-ways", n=len(moves) - len(ways)))
        listed = case.speaker.listing(listed_ways, "or")
        yield case.reason("why.threatens-win", OF_THREAT + min(len(moves), 2), n=len(moves), moves=listed)


def explain_captures(case: Candidate) -> Iterator[Reason]:
    """Yield what the turn captures, saves, threatens to capture, and whether nothing is left to capture."""
    taken = [cell for owner, cells in case.taken.items() if owner != case.seat for cell in cells]
    if taken:
        yield case.of_cells("why.captures", OF_CAPTURE + min(len(taken), 4), taken)
    lost = {cell for left in case.left.values() for cell in left.from_seat(case.seat)}
    saved = _saved_cells(case, lost)
    if saved:
        yield case.of_cells("why.saves", OF_RESCUE + min(len(saved), 3), saved, who=case.who(_threatening_rivals(case)))
    if case.next is not None and case.now is not None:
        fresh = {cell for _, cell in case.next.takes} - {cell for _, cell in case.now.takes}
        if fresh:
            yield case.of_cells("why.threatens", OF_SAFETY if lost else OF_PLAN, fresh)
    if case.rivals and len(case.left) == len(case.rivals) and not lost:
        anybody = case.speaker.listing([case.names[seat] for seat in case.rivals], "or")
        yield case.reason("why.safe", OF_PLAN - 5 if taken else OF_STEP, who=anybody)


def let_win(case: Candidate, other: Candidate) -> Iterator[Reason]:
    """Yield the wins that a turn leaves to a rival and another turn would not."""
    for rival, left in case.left.items():
        there = other.left.get(rival)
        if left.wins and (there is None or not there.wins):
            yield case.reason("why.let-win", OF_WIN, who=case.names[rival], move=case.move(_shortest_line(left.wins)))


def let_take(case: Candidate, other: Candidate) -> Iterator[Reason]:
    """Yield what a turn leaves to be captured by a rival and another turn would not."""
    remaining = {cell for left in other.left.values() for cell in left.from_seat(case.seat)}
    for rival, left in case.left.items():
        lost = left.from_seat(case.seat) - remaining
        if lost:
            yield case.of_cells("why.let-take", OF_CAPTURE, lost, who=case.names[rival])


def _saved_cells(case: Candidate, lost: set[str]) -> set[str]:
    """Return the cells whose pieces were in danger before the turn and are not after it."""
    source, target = case.path
    moved = {source} if target in lost else set()
    gone = set(case.taken.get(case.seat, ()))
    danger = {cell for feared in case.feared.values() for cell in feared.from_seat(case.seat)}
    return danger - lost - moved - gone if len(case.left) == len(case.rivals) else set()


def _threatening_rivals(case: Candidate) -> list[int]:
    return [rival for rival, feared in case.feared.items() if feared.from_seat(case.seat)]


def _shortest_line(ways: tuple[tuple[Action, ...], ...]) -> tuple[Action, ...]:
    return min(ways, key=len)
