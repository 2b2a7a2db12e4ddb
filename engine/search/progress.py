"""What a person who is to get somewhere leaves alone: taking the last turn back, and waiting again and again.

A search finds a position that a person guards as good before a step to and fro as after it. Who follows such advice
turn by turn never finishes.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from engine.core import Action, State
from engine.search.policy import Policy
from engine.turn import Turn


def list_aimless_actions(state: State, policy: Policy[Any], turns: Sequence[Turn]) -> frozenset[str]:
    """Return the texts of the legal actions that lead nowhere after the given turns, the newest last.

    These are actions that take something back to where the seat's own last turn took it from, unless something was
    captured since; and those that only wait, if the seat's last turn waited as well or the game has lasted long. An
    action that wins is never among them. Where nothing else is legal waiting is not either, and then nothing is.
    """
    own = next((at for at in reversed(range(len(turns))) if turns[at].seat == state.to_move), None)
    last, since = (turns[own], turns[own + 1 :]) if own is not None else (None, ())
    may_not_wait = state.turn >= policy.last_waiting_turn or (last is not None and _waits(last, policy))
    back = set[tuple[str, str | None, str | None]]()
    if last is not None and not any(map(_captures, since)):
        back = {(action.verb, action.target, action.source) for action in last.own if action.source and action.target}
    legal = [action for action in state.legal_actions() if not _wins(state, action)]
    taken_back = {action.text for action in legal if (action.verb, action.source, action.target) in back}
    waits = {action.text for action in legal if may_not_wait and policy.is_waiting(state, action)}
    for found in (taken_back | waits, taken_back):
        if len(found) < len(state.legal_actions()):
            return frozenset(found)
    return frozenset()


def _captures(turn: Turn) -> bool:
    """Return whether pieces of some kind are fewer after a turn, or one was captured where another stands now."""
    game = turn.before.game
    before, after = (Counter(game.symbols(position).values()) for position in (turn.json_before, turn.json_after))
    return any(map(game.facts.is_capture, turn.actions)) or bool(before - after)


def _waits(turn: Turn, policy: Policy[Any]) -> bool:
    """Return whether a turn only waited."""
    state = turn.before
    for action in turn.actions:
        if action in turn.own and not policy.is_waiting(state, action):
            return False
        state = state.advance(action)
    return bool(turn.own)


def _wins(state: State, action: Action) -> bool:
    outcome = state.advance(action).outcome
    return outcome is not None and outcome.winner == state.to_move
