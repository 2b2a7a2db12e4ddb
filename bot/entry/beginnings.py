"""Beginnings of turns: the whole turns that a typed text leads to, or how it goes on."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from bot.interface.requests import Completion
from engine import Action, EngineError, State
from engine.core import IllegalAction, InvalidAction, shorten_value
from engine.notation import normalise

MAX_COMPLETIONS: Final = 25
MAX_COMPLETION_LENGTH: Final = 100
GOES_ON: Final = "…"
"""Ends the label of a completion that is no whole turn."""

_TOKEN_PATTERN: Final = re.compile(r"[^\W\d]+|\d+|[\W_]+")
"""Tokens of an action's text: letters, digits, signs."""


def parse_typed(state: State, text: str) -> tuple[Action, ...]:
    """Return the actions of a typed text; the errors of `State.parse`, with the code `goes-on` for a mere beginning."""
    try:
        return state.parse(text)
    except (IllegalAction, InvalidAction) as error:
        going_on = complete_moves(state, text) if text.strip() else []
        if not going_on:
            raise
        options = [completion.value for completion in going_on]
        raise InvalidAction("goes-on", text=shorten_value(text.strip()), options=options) from error


def complete_moves(state: State, typed: str) -> list[Completion]:
    """Return at most 25 completions of a typed text.

    They are whole turns if these are few, otherwise actions or what several of them begin with, marked as going on.
    """
    done, _, last = typed.strip().rpartition(" ")
    before = state
    if done:
        try:
            for action in before.parse(done):
                before = before.play(action)
        except EngineError:
            done, last, before = "", typed.strip(), state
    if not _is_same_turn(state, before):
        return []
    wanted, lead = normalise(last), f"{done} " if done else ""
    alone: list[Completion] = []
    actions = [action for action in before.legal_actions() if normalise(action.text).startswith(wanted)]
    if len(actions) == 1 and normalise(actions[0].text) == wanted and _is_same_turn(state, before.play(actions[0])):
        # A whole action can be played alone, or goes on with the next.
        alone = [Completion(f"{lead}{actions[0].text}{GOES_ON}", f"{lead}{actions[0].text}")]
        before, lead, wanted = before.play(actions[0]), f"{lead}{actions[0].text} ", ""
        actions = list(before.legal_actions())
    most = MAX_COMPLETIONS - len(alone)
    whole = list(islice(_whole_turns(before, actions), most + 1))
    if len(whole) <= most and all(len(lead + text) <= MAX_COMPLETION_LENGTH for text in whole):
        return [*alone, *(Completion(lead + text, lead + text) for text in whole)]
    texts = {action.text: _is_same_turn(state, before.play(action)) for action in actions}
    shown = list(texts)
    if len(actions) > most:
        shown = complete_prefixes(texts, len(wanted))
    fitting = [text for text in shown if len(lead + text) < MAX_COMPLETION_LENGTH]
    found = [Completion(lead + text + GOES_ON * texts.get(text, True), lead + text) for text in fitting]
    return [*alone, *found[:most]]


def _whole_turns(state: State, actions: Iterable[Action]) -> Iterator[str]:
    """Yield the texts of the turns that begin with some legal actions."""
    for action in actions:
        after = state.play(action)
        if _is_same_turn(state, after):
            yield from (f"{action.text} {rest}" for rest in _whole_turns(after, after.legal_actions()))
        else:
            yield action.text


def _is_same_turn(before: State, after: State) -> bool:
    return after.to_move == before.to_move and after.turn == before.turn


def complete_prefixes(texts: Iterable[str], longer_than: int) -> list[str]:
    """Return at most 25 prefixes of texts, longer than what is typed and long enough to differ.

    Choosing one and asking again comes closer to a whole text each time.
    """
    cuts = [
        (text, [match.end() for match in _TOKEN_PATTERN.finditer(text) if match.end() > longer_than]) for text in texts
    ]
    best: list[str] = []
    for depth in range(max((len(ends) for _, ends in cuts), default=0)):
        found = list(dict.fromkeys(text[: ends[min(depth, len(ends) - 1)]] for text, ends in cuts if ends))
        if best and len(found) > MAX_COMPLETIONS:
            break
        best = found
    return sorted(best[:MAX_COMPLETIONS], key=_natural_sort_key)


def _natural_sort_key(text: str) -> list[tuple[bool, int, str]]:
    """Return a key that sorts d2 before d10."""
    pieces = _TOKEN_PATTERN.findall(text)
    return [(piece.isdecimal(), int(piece) if piece.isdecimal() else len(piece), piece) for piece in pieces]
