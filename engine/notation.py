"""Reading what players type: forgiving in form, never guessing (docs/rules/README.md, Writing actions)."""

from __future__ import annotations

import re
from functools import lru_cache

from engine.core import CHANCE, Action, AmbiguousAction, EngineError, GameOver, InvalidAction, State, short

LONGEST_TEXT = 400
_PART = re.compile(r"[a-z](?=[a-z]\d)|[a-z]\d+|[a-z]+|\d+|[^\sa-z\d]")
_GAPS = re.compile(r"[\s\-]+|(?<=\d)x(?=[a-z]\d)")
_SPACE = re.compile(r"\s*")
_BETWEEN = re.compile(r"[\s,;:\-x]*")
_BEFORE = re.compile(r"[\s,;:\-]*")
_CELL = re.compile(r"(?<![a-z][a-z])[a-z]\d+")
_NO_DIGIT = re.compile(r"\d|\s*[/!]")
_NO_WORD = re.compile(r"[a-z\d]|\s*/")
_DASHES = re.compile("[\u2010-\u2015\u2192>]+")


def normalise(text: str) -> str:
    """Return the text in lower case with one kind of dash and the letter x for the multiplication sign."""
    return _DASHES.sub("-", text.replace("\u00d7", "x").lower()).strip()


@lru_cache(maxsize=65536)
def _parts(reading: str) -> tuple[bool, tuple[str, ...], re.Pattern[str] | None]:
    """Return whether a reading begins with an x that says "capture", its parts, and what may not follow it."""
    text = normalise(reading)
    lead = text.startswith("x")
    text = text[lead:]
    parts = tuple(part for piece in _GAPS.split(text) for part in _PART.findall(piece))
    return lead, parts, _NO_DIGIT if text[-1:].isdigit() else _NO_WORD if text[-1:].isalpha() else None


def _end(reading: str, typed: str, at: int) -> int | None:
    """Return where a reading ends that the text has from `at` on, None if it has another text there.

    Between the parts of a reading any separator may stand, or none. A reading never fits where a longer word, an
    amount (`/4`) or a mark (`!`) that it does not have follows.
    """
    lead, parts, not_after = _parts(reading)
    if lead:
        if not typed.startswith("x", at):
            return None
        at = _skipped(_SPACE, typed, at + 1)
    for number, part in enumerate(parts):
        if number:
            at = _skipped(_BETWEEN, typed, at)
        if not typed.startswith(part, at):
            return None
        at += len(part)
    return None if not_after is not None and not_after.match(typed, at) else at


def _skipped(gap: re.Pattern[str], typed: str, at: int) -> int:
    match = gap.match(typed, at)
    return match.end() if match else at


def parse(state: State, text: str) -> tuple[Action, ...]:
    """Return the one sequence of legal actions of the seat to move that fits the whole text.

    GameOver, InvalidAction, IllegalAction and AmbiguousAction as `State.parse` says.
    """
    if state.to_move is None:
        raise GameOver
    if state.to_move == CHANCE:
        raise InvalidAction("chance-to-move")
    typed = normalise(text)
    if not typed:
        raise InvalidAction("empty")
    if len(typed) > LONGEST_TEXT:
        raise InvalidAction("too-long", most=LONGEST_TEXT)
    reader = _Reader(state, typed)
    reader.follow(state, 0, ())
    lines = list(reader.lines)
    if len(lines) > 1:
        lines = [line for line in lines if " ".join(map(str, line)) == text.strip()] or lines
    if len(lines) > 1:
        raise AmbiguousAction("ambiguous", options=sorted(" ".join(map(str, line)) for line in lines))
    if not lines:
        raise reader.error()
    return lines[0]


class _Reader:
    """Follows a text along all legal lines of one turn and remembers how far it could be followed."""

    def __init__(self, state: State, typed: str) -> None:
        self.start = state
        self.typed = typed
        self.lines: dict[tuple[Action, ...], None] = {}
        self.farthest: tuple[int, State] = (0, state)
        self.finished: tuple[int, State, Action | None] = (0, state, None)

    def follow(self, state: State, at: int, line: tuple[Action, ...]) -> None:
        """Collect every line that fits the text from `at` on."""
        at = _skipped(_BEFORE, self.typed, at)
        if at > self.farthest[0]:
            self.farthest = (at, state)
        if at == len(self.typed):
            if line:
                self.lines[line] = None
            return
        if not self._same_turn(state):
            return
        for action in state.legal_actions():
            ends = {_end(reading, self.typed, at) for reading in state.readings(action)}
            for end in sorted(end for end in ends if end is not None):
                after = state.advance(action)
                if end > self.finished[0] and not self._same_turn(after):
                    self.finished = (end, state, action)
                self.follow(after, end, (*line, action))

    def error(self) -> EngineError:
        """Return what stands in the way at the farthest place that a legal line reaches."""
        at, state = self.farthest
        rest = self.typed[at:].strip()
        if not rest:
            return InvalidAction("not-understood", text=short(self.typed))
        board = self.start.topology
        if board is not None:
            for name in _CELL.findall(rest):
                if name not in board.index:
                    return InvalidAction("no-such-cell", cell=short(name))
        if not self._same_turn(state):
            _, before, last = self.finished
            if last is not None and next(iter(self.start.well_formed(rest)), None) is not None:
                return before.refusal_after(last, rest)
            return InvalidAction("not-understood", text=short(rest))
        for action in state.well_formed(rest):
            if state.is_legal(action):
                break  # a legal action with something behind it that makes no sense
            return state.refusal(action)
        return InvalidAction("not-understood", text=short(rest))

    def _same_turn(self, state: State) -> bool:
        return state.to_move == self.start.to_move and state.turn == self.start.turn
