"""A turn as the marks of a hint in the picture."""

from collections.abc import Sequence

from engine import Action, State
from render.marks import Hint, HintStep


def hint_marks(state: State, actions: Sequence[Action]) -> Hint | None:
    """Return the marks of a turn, or the rest of one, from a state; None if it names no cell.

    If one piece captures repeatedly, each capture starts from the one before.
    """
    steps: list[HintStep] = []
    facts = state.game.facts
    last: tuple[str, str | None] = ("", None)
    for action in actions:
        source = action.source
        if source is None and last == (action.verb, last[1]) and facts.is_capture(action):
            source = last[1]
        last = (action.verb, action.target if source is not None else None)
        if action.target is not None:
            steps.append(HintStep(action.target, source, action in state.find_captures((action,))))
        state = state.advance(action)
    if not steps:
        return None
    numbered = [HintStep(step.target, step.source, step.capture, str(number)) for number, step in enumerate(steps, 1)]
    return Hint(tuple(numbered if len(steps) > 1 else steps), actions[0].verb)
