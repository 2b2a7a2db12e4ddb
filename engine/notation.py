"""Reading what players type: tolerant in form, but never guessing (docs/rules/README.md, Writing actions)."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from engine.core import (
    CHANCE,
    Action,
    Actions,
    AmbiguousAction,
    EngineError,
    GameOver,
    IllegalAction,
    InvalidAction,
    State,
    shorten_value,
)


def list_marks(mark: str, words: str) -> dict[str, str]:
    """Return the words, divided by spaces, each with the mark that it stands for ("" for none)."""
    return dict.fromkeys(words.split(), mark)


PASSING: Final = "pass skip passo passa salto"
"""Words for a pass."""
STAYING: Final = "stay stand still hold wait fermo ferma fermi fermati resto resta restare aspetto aspetta"
"""Words for staying where one is."""
STOPPING: Final = "stop halt alt basta"
"""Words for going no farther."""
CAPTURING: Final = "capture captures take takes cattura catturo prende prendo prendi mangia mangio"
"""Words for the mark of a capture."""
COMMON: Final[Mapping[str, str]] = {
    **list_marks("pass", f"{PASSING} {STAYING} {STOPPING}"),
    **list_marks("x", CAPTURING),
    **list_marks("", "here mi sto qui piece pedina place metto move muovo muovi"),
}
"""What stands for the same in every game that does not know better: doing nothing more is a pass."""


ITALIAN_COLOURS: Final[Mapping[str, str]] = {
    "red": "rosso",
    "green": "verde",
    "yellow": "giallo",
    "blue": "blu",
    "white": "bianco",
    "black": "nero",
}
"""The Italian names of colours that may be typed as well; the English ones are always written."""

MAX_TEXT_LENGTH = 400
_PART = re.compile(r"[a-z](?=[a-z]\d)|[a-z]\d+|[a-z]+|\d+|[^\sa-z\d]")
_GAPS = re.compile(r"[\s\-]+|(?<=\d)x(?=[a-z]\d)")
_SPACE = re.compile(r"\s*")
_BETWEEN = re.compile(r"[\s,;:\-]*")
_TAKING = re.compile(r"[\s,;:\-x]*")
_CELL = re.compile(r"(?<![a-z][a-z])[a-z]\d+")
_NO_DIGIT = re.compile(r"\d|\s*[/!]")
_NO_WORD = re.compile(r"[a-z\d]|\s*/|\s+\d")
_DASHES = re.compile("[\u2010-\u2015\u2192>]+")
_WHOLE_WORD = re.compile(r"(?<![^\W_])[^\W\d_]{2,}(?![^\W_])")
_NAMED_STEP = re.compile(r"\bpass\s+(?=[a-z]{1,2}\d)")
_TWICE = re.compile(r"\b([a-z]+)(?:\s+\1\b)+")
_FULL_STOP = re.compile(r"(?<=\w)\.+(?=\s|$)")
_UNREADABLE = re.compile(r"[^\w\s\-/!+,;:]|_|(?<![^\W_])[^\W\d_a-z]{1,2}(?=\d)")
_ONE_MOVE = re.compile(r"[a-z]*\d+(?:\s*-[\s\-]*|x)[a-z]\d")


def normalise(text: str) -> str:
    """Return the text in lower case with one kind of dash and the letter x for the multiplication sign."""
    return _DASHES.sub("-", text.replace("\u00d7", "x").lower()).strip()


@lru_cache(maxsize=65536)
def _parts(reading: str) -> tuple[bool, tuple[tuple[str, re.Pattern[str]], ...], re.Pattern[str] | None]:
    """Return whether a reading begins with a capturing x, its parts, and what may not follow it.

    Each part comes with what may precede it: an x only where the reading has one, because it claims a capture.
    """
    text = normalise(reading)
    lead = text.startswith("x")
    text = text[lead:]
    parts: list[tuple[str, re.Pattern[str]]] = []
    at = 0
    for gap in [*_GAPS.finditer(text), None]:
        before = _TAKING if text[at - 1 : at] == "x" and at else _BETWEEN
        for part in _PART.findall(text[at : gap.start() if gap else len(text)]):
            parts.append((part, before))
            before = _BETWEEN
        at = gap.end() if gap else at
    return lead, tuple(parts), _NO_DIGIT if text[-1:].isdigit() else _NO_WORD if text[-1:].isalpha() else None


def _end(reading: str, typed: str, at: int) -> int | None:
    """Return the end of a reading in the text from `at` on, None if it does not match.

    Any separator, or none, may stand between the parts of a reading. A reading never matches if a longer word, an
    amount (`/4`) or a mark (`!`) that it does not have follows.
    """
    lead, parts, not_after = _parts(reading)
    if lead:
        if not typed.startswith("x", at):
            return None
        at = _skipped(_SPACE, typed, at + 1)
    for number, (part, before) in enumerate(parts):
        if number:
            at = _skipped(before, typed, at)
        if not typed.startswith(part, at):
            return None
        at += len(part)
    return None if not_after is not None and not_after.match(typed, at) else at


def _skipped(gap: re.Pattern[str], typed: str, at: int) -> int:
    match = gap.match(typed, at)
    return match.end() if match else at


def replace_spoken_words(state: State, typed: str) -> str:
    """Return a normalised text with people's words replaced by the notation's marks (`Game.words`)."""
    words = {**COMMON, **state.game.words}
    meant = _WHOLE_WORD.sub(lambda word: words.get(word[0], word[0]), typed)
    if meant == typed:
        return typed
    # Italian "passo" is a step, too, where cells follow.
    return _NAMED_STEP.sub("", _TWICE.sub(r"\1", " ".join(meant.split())))


def parse(state: State, text: str) -> Actions:
    """Return the unique sequence of legal actions of the seat to move that matches the whole text.

    GameOver, InvalidAction, IllegalAction and AmbiguousAction as for `State.parse`.
    """
    if state.to_move is None:
        raise GameOver
    if state.to_move == CHANCE:
        raise InvalidAction("chance-to-move")
    # Phones end a word with a full stop where two spaces are typed.
    typed = _FULL_STOP.sub("", normalise(text))
    if not typed:
        raise InvalidAction("empty")
    if len(typed) > MAX_TEXT_LENGTH:
        raise InvalidAction("too-long", most=MAX_TEXT_LENGTH)
    try:
        return _read_words(state, typed, text)
    except (InvalidAction, IllegalAction):
        unreadable = _UNREADABLE.search(typed)
        if unreadable is None:
            raise
        # A rule that what can be read of the text would break has nothing to do with it.
        raise InvalidAction("unreadable-sign", sign=unreadable[0][0], text=shorten_value(text.strip())) from None


def _read_words(state: State, typed: str, text: str) -> Actions:
    """Return the actions of a normalised text, as it stands or with its words replaced by marks."""
    meant = replace_spoken_words(state, typed)
    try:
        return _read(state, typed, text)
    except (InvalidAction, IllegalAction) as error:
        if meant in (typed, ""):
            raise
        first = error
    try:
        return _read(state, meant, text)
    except InvalidAction as error:
        # Quote what was not understood as it was typed.
        raise (first if error.code == "not-understood" else error) from None


def _read(state: State, typed: str, text: str) -> Actions:
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
    """Follows a text along all legal lines of one turn and remembers the farthest position reached."""

    def __init__(self, state: State, typed: str) -> None:
        self.start = state
        self.typed = typed
        self.lines: dict[Actions, None] = {}
        self.farthest: tuple[int, State] = (0, state)
        self.finished: tuple[int, State, Action | None, int] = (0, state, None, 0)

    def follow(self, state: State, at: int, line: Actions) -> None:
        """Collect every line that matches the text from `at` on."""
        at = _skipped(_BETWEEN, self.typed, at)
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
                    self.finished = (end, state, action, at)
                self.follow(after, end, (*line, action))

    def error(self) -> EngineError:
        """Return the error at the farthest position that a legal line reaches."""
        at, state = self.farthest
        rest = self.typed[at:].strip()
        if not rest:
            return InvalidAction("not-understood", text=shorten_value(self.typed))
        for name in _CELL.findall(rest):
            if name not in self.start.topology.index:
                return InvalidAction("no-such-cell", cell=shorten_value(name))
        if not self._same_turn(state):
            _, before, last, began = self.finished
            if last is not None and next(iter(self.start.well_formed(rest)), None) is not None:
                return self._one_move(before, last, began) or before.refusal_after(last, rest)
            return InvalidAction("not-understood", text=shorten_value(rest))
        for action in state.well_formed(rest):
            if state.is_legal(action):
                break  # a legal action with something behind it that makes no sense
            return state.refusal(action)
        return InvalidAction("not-understood", text=shorten_value(rest))

    def _one_move(self, before: State, last: Action, began: int) -> EngineError | None:
        """Return the error if two cells with a dash or an x are no move, and the first alone is an action already."""
        text = self.typed[began:]
        meant = next(iter(before.well_formed(text)), None) if _ONE_MOVE.match(text) else None
        if meant is None or meant.target == last.target or before.is_legal(meant):
            return None
        if meant.source is None and meant.verb != last.verb:
            return None
        return before.refusal(meant)

    def _same_turn(self, state: State) -> bool:
        return state.to_move == self.start.to_move and state.turn == self.start.turn
