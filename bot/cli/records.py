"""Records on the command line: reading, replaying and explaining them."""

import os
import re
import sys
from dataclasses import dataclass
from typing import Final

from bot.cli.console import CommandFailed, Console
from bot.cli.files import read_text, read_typed
from bot.kernel.texts import strip_styles
from bot.kernel.words.describe import position_words
from engine import CHANCE, State, Turn
from engine.diagram import EMPTY, draw_diagram
from engine.record import InvalidRecord, Record


@dataclass(frozen=True)
class Replayed:
    """A position to show, the turn that led to it, and the players' names."""

    state: State
    turn: Turn | None
    names: tuple[str, ...]


def read_record(name: str, console: Console, text: str | None = None) -> Record:
    """Return the record in a file; CommandFailed with one clear sentence."""
    try:
        return read_typed(read_text(name) if text is None else text, Record.from_text)
    except InvalidRecord as error:
        raise CommandFailed("file.bad-record", file=name, reason=describe_problem(error, console)) from None


def replay_record(name: str, text: str, console: Console, number: int | None = None) -> Replayed:
    """Return the position after a turn of a record (by default the last one); CommandFailed if there is none."""
    record = read_record(name, console, text)
    first = record.first_state()
    turns = list(record.turns())
    if number is None:
        number = len(turns)
    if number > len(turns):
        raise CommandFailed("render.no-turn", file=name, turn=number, turns=len(turns))
    turn = turns[number - 1] if number else None
    return Replayed(turn.after if turn else first, turn, record.names)


def describe_problem(error: InvalidRecord, console: Console) -> str:
    """Return the sentence for what is wrong with a record, with its line and the rule behind it."""
    params = {name: value for name, value in error.params.items() if name != "line"}
    words = console.line(f"record.{error.code}", **{name: _display_value(value) for name, value in params.items()})
    if error.cause is not None:
        words = f"{words} {console.explain(error.cause, str(error.params.get('game', '')))}"
    if "line" in error.params:
        words = console.line("record.at-line", line=error.params["line"], problem=words)
    return words


def format_turn(turn: Turn, names: tuple[str, ...], console: Console) -> str:
    """Return a turn as one line, with departures in words."""
    text = " ".join(action.text for action in turn.actions if not action.is_drop)
    words = console.texts.speaker(console.language)
    left = [
        strip_styles(words.say("turn.dropped", who=names[action.value])) for action in turn.actions if action.is_drop
    ]
    if turn.seat == CHANCE or not text:
        return console.line("replay.chance-turn", number=turn.number, text=" ".join([text, *left]).strip())
    return " ".join([console.line("replay.turn", number=turn.number, name=names[turn.seat], text=text), *left])


def format_ending(state: State, names: tuple[str, ...], game: str, console: Console) -> list[str]:
    """Return why a finished game is over and who has which place."""
    outcome = state.outcome
    if outcome is None:
        return []
    words = console.texts.speaker(console.language).of(game)
    lines = [console.line("play.over", reason=words.line(f"reason.{outcome.reason}"))]
    ranking = sorted(range(state.seats), key=lambda seat: (outcome.places[seat], seat))
    return lines + [console.line("play.place", place=outcome.places[seat], name=names[seat]) for seat in ranking]


def _display_value(value: object) -> str | int:
    if isinstance(value, int):
        return value
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


_PIECE_PATTERN: Final = re.compile(rf"[^\sa-z0-9{EMPTY}]+")


def board_text(state: State, names: tuple[str, ...], console: Console) -> str:
    """Return the board as text, with a description of every seat below it."""
    words = console.texts.speaker(console.language).of(state.game.key)
    board = draw_diagram(state.topology, state.game.symbols(state.to_json()))
    if sys.stdout.isatty() and not os.environ.get("NO_COLOR"):
        board = shade_board(board)
    return "\n".join(["", board, "", *position_words(words, state, names), ""])


def shade_board(board: str) -> str:
    """Return a board for a terminal, with its pieces bright and its empty cells dim."""
    bright = _PIECE_PATTERN.sub(lambda piece: f"\x1b[1;7m{piece[0]}\x1b[0m", board)
    return bright.replace(EMPTY, f"\x1b[2m{EMPTY}\x1b[0m")
