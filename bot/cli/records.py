"""Records on the command line: the subcommands `replay`, `verify`, `render` and `animate`."""

import os
import re
import sys
from argparse import Namespace
from collections.abc import Mapping
from typing import Any, Final

from bot.cli.console import OK, PROBLEM, CommandFailed, Console, Subcommand, argument
from bot.cli.files import (
    load_position,
    read_text,
    read_typed,
    see_that_there_is_a_seat,
    whole_number,
    write_bytes,
)
from bot.competitions.events import InvalidCompetition
from bot.competitions.file import FILE_TYPES, MAX_FILE_LENGTH, CompetitionFile, CupFile, check_file
from bot.kernel.choices import picture_marks
from bot.kernel.words import PositionTeller
from bot.kernel.words.describe import position_words
from engine import CHANCE, State, Turn
from engine.diagram import EMPTY, draw_diagram
from engine.record import InvalidRecord, Record, verify
from render import THEMES, draw
from render.animation import animate, select_key_positions
from storage.addresses import make_plain


def read_record(name: str, console: Console, text: str | None = None) -> Record:
    """Return the record in a file; CommandFailed with one clear sentence."""
    try:
        return read_typed(read_text(name) if text is None else text, Record.from_text)
    except InvalidRecord as error:
        raise CommandFailed("file.bad-record", file=name, reason=describe_problem(error, console)) from None


def describe_problem(error: InvalidRecord, console: Console) -> str:
    """Return the sentence for a problem of a record, with its line and the rule behind it."""
    cause = None if error.cause is None else console.explain(error.cause, str(error.params.get("game", "")))
    return _problem_words(f"record.{error.code}", error.params, console, cause)


def _problem_words(key: str, params: Mapping[str, object], console: Console, cause: str | None = None) -> str:
    """Return the sentence for a problem, followed by its cause, with the number of its line in the file if known."""
    words = console.line(key, **{name: _display_value(value) for name, value in params.items()})
    problem = words if cause is None else f"{words} {cause}"
    return console.line("record.at-line", line=params["line"], problem=problem) if "line" in params else problem


def format_turn(turn: Turn, names: tuple[str, ...], console: Console) -> str:
    """Return a turn as one line, with departures in words."""
    text = " ".join(action.text for action in turn.actions if not action.is_drop)
    dropped = (action.value for action in turn.actions if action.is_drop)
    left = [console.speaker.line("turn.dropped", who=names[seat]) for seat in dropped]
    if turn.seat == CHANCE or not text:
        return console.line("replay.chance-turn", number=turn.number, text=" ".join([text, *left]).strip())
    return " ".join([console.line("replay.turn", number=turn.number, name=names[turn.seat], text=text), *left])


def format_ending(state: State, names: tuple[str, ...], console: Console) -> list[str]:
    """Return the reason of a game's end and the places, one per line; empty for an unfinished game."""
    outcome = state.outcome
    if outcome is None:
        return []
    words = console.speaker.of(state.game.key)
    lines = [console.line("play.over", reason=words.line(f"reason.{outcome.reason}"))]
    ranking = sorted(range(state.seats), key=outcome.places.__getitem__)
    return lines + [console.line("play.place", place=outcome.places[seat], name=names[seat]) for seat in ranking]


def _display_value(value: object) -> str | int:
    if isinstance(value, int):
        return value
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


_PIECE_PATTERN: Final = re.compile(rf"[^\sa-z0-9{EMPTY}]+")


def board_text(state: State, names: tuple[str, ...], console: Console) -> str:
    """Return the board as text, with a description of every seat below it."""
    words = console.speaker.of(state.game.key)
    board = draw_diagram(state.topology, state.game.symbols(state.to_json()))
    if sys.stdout.isatty() and not os.environ.get("NO_COLOR"):
        # Pieces are bright, empty cells dim.
        bright = _PIECE_PATTERN.sub(lambda piece: f"\x1b[1;7m{piece[0]}\x1b[0m", board)
        board = bright.replace(EMPTY, f"\x1b[2m{EMPTY}\x1b[0m")
    return "\n".join(["", board, "", *position_words(PositionTeller(words, state, names)), ""])


def _replay(options: Namespace, console: Console) -> int:
    """Print the game's turns and how it ended."""
    record = read_record(options.record, console)
    state = record.first_state()
    words = console.speaker.of(record.game)
    console.put(f"{words.game_name()}: {', '.join(record.names)}")
    if options.boards:
        console.put(board_text(state, record.names, console))
    for turn in record.turns():
        console.put(format_turn(turn, record.names, console))
        state = turn.after
        if options.boards:
            console.put(board_text(state, record.names, console))
    for line in format_ending(state, record.names, console):
        console.put(line)
    if state.outcome is None and record.result is not None:
        console.say("replay.table", result=console.line(f"result.{record.result}"))
    elif state.outcome is None:
        console.say("replay.running")
    return OK


def _verify(options: Namespace, console: Console) -> int:
    """Print the checks and their results; return 1 if one failed."""
    text = read_text(options.record, most=MAX_FILE_LENGTH)
    form = next((each for each in FILE_TYPES.values() if each.matches(text) or each.matches(make_plain(text))), None)
    if form is not None:
        try:
            return _verify_competition(read_typed(text, form.read), console)
        except InvalidCompetition as error:
            console.complain("verify.cup-wrong", reason=_describe_competition_problem(error, console))
        except InvalidRecord as error:
            game = str(error.params.pop("record", ""))
            console.complain("verify.cup-game", game=game, reason=describe_problem(error, console))
        return PROBLEM
    record = read_record(options.record, console, text)
    console.say("verify.rules", n=len(record.actions))
    try:
        checked = verify(record)
    except InvalidRecord as error:
        if error.code == "no-seed":
            console.complain("verify.no-seed")
        else:
            console.complain("verify.unfair", reason=describe_problem(error, console))
        return PROBLEM
    console.say("verify.lot", n=checked.seats)
    console.say("verify.draws", n=checked.draws)
    if record.version == 1:
        console.say("verify.without-ids")
        return OK
    console.say("verify.ids", n=checked.with_ids, all=checked.draws + (checked.seats > 0))
    if checked.nothing_new:
        console.say("verify.nothing-new", seats=", ".join(map(str, checked.nothing_new)))
    for what, n in (("verify.unnamed", checked.unnamed), ("verify.chains", checked.chains)):
        if n:
            console.say(what, n=n)
    return OK


def _verify_competition(file: CompetitionFile[Any], console: Console) -> int:
    """Print what was checked."""
    checked, cup = check_file(file), file if isinstance(file, CupFile) else None
    if cup is None:
        console.say("verify.season", n=checked.events)
    else:
        console.say("verify.cup", entrants=len(cup.replay.lots), n=len(cup.replay.rounds))
    console.say("verify.cup-games", n=checked.games)
    if checked.unseen:
        console.say("verify.cup-unseen", n=checked.unseen)
    if cup is not None and cup.seed is not None:
        console.say("verify.cup-lots", n=checked.lots)
    elif cup is not None:
        console.say("verify.cup-goes-on")
    return OK


def _describe_competition_problem(error: InvalidCompetition, console: Console) -> str:
    key = f"cup-file.{error.code}"
    known = key if console.words.has(key) else "cup-file.impossible"
    return _problem_words(known, {"code": error.code, **error.params}, console)


def _render(options: Namespace, console: Console) -> int:
    """Write the picture of a position, given as such or by a record."""
    text = read_text(options.source)
    if text.lstrip().startswith("{"):
        state, turn = load_position(options.source, text, console), None
        names = tuple(console.line("seat", number=seat + 1) for seat in range(state.seats))
    else:
        record = read_record(options.source, console, text)
        turns = list(record.turns())
        number = len(turns) if options.turn is None else options.turn
        if number > len(turns):
            raise CommandFailed("render.no-turn", file=options.source, turn=number, turns=len(turns))
        turn, names = turns[number - 1] if number else None, record.names
        state = turn.after if turn else record.first_state()
    see_that_there_is_a_seat(options.source, options.viewer, state.seats)
    drawing = draw(
        state,
        last_turn=turn,
        viewer=options.viewer,
        choices=picture_marks(state) if options.choices else None,
        names=names,
        theme=options.theme,
    )
    write_bytes(options.output, drawing.png)
    return OK


def _animate(options: Namespace, console: Console) -> int:
    """Write the animation, and the sheet of its key positions if requested."""
    record = read_record(options.record, console)
    start, turns = record.first_state(), list(record.turns())
    see_that_there_is_a_seat(options.record, options.viewer, record.seats)
    view = {"names": record.names, "theme": options.theme, "viewer": options.viewer}
    write_bytes(options.output, animate(start, turns, **view).gif)
    if options.sheet:
        write_bytes(options.sheet, select_key_positions(start, turns, **view).png)
    return OK


_RECORD: Final = argument("record", about="record-file", metavar="FILE")
_VIEW: Final = (
    argument("--theme", choices=THEMES, default="light"),
    argument("--viewer", whole_number(0, 4), metavar="SEAT"),
)
SUBCOMMANDS: Final = {
    "replay": Subcommand(_replay, (_RECORD, argument("--boards", action="store_true"))),
    "verify": Subcommand(_verify, (argument("record", about="verify-file", metavar="FILE"),)),
    "render": Subcommand(
        _render,
        (
            argument("source", metavar="FILE"),
            argument("-o --output", required=True, metavar="FILE.png"),
            argument("--turn", whole_number(0, 99_999), metavar="N"),
            *_VIEW,
            argument("--choices", action="store_true"),
        ),
    ),
    "animate": Subcommand(
        _animate,
        (
            _RECORD,
            argument("-o --output", about="film", required=True, metavar="FILE.gif"),
            argument("--sheet", metavar="FILE.png"),
            *_VIEW,
        ),
    ),
}
