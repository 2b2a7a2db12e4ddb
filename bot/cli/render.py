"""`tavoliere render`: the picture of a recorded game or of a position."""

from argparse import ArgumentParser, Namespace

from bot.cli.console import OK, Console
from bot.cli.files import load_position, parse_json, read_text, see_that_there_is_a_seat, whole_number, write_bytes
from bot.cli.records import Replayed, replay_record
from bot.kernel.choices import next_question
from engine import CHANCE, Action
from render import THEMES, Choices, draw


def add_arguments(parser: ArgumentParser, console: Console) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("source", metavar="FILE", help=console.line("arg.source"))
    parser.add_argument("-o", "--output", required=True, metavar="FILE.png", help=console.line("arg.output"))
    parser.add_argument(
        "--turn", type=whole_number(0, 99_999, console), metavar="N", help=console.line("arg.turn"), default=None
    )
    parser.add_argument("--theme", choices=THEMES, default="light", help=console.line("arg.theme"))
    parser.add_argument(
        "--viewer", type=whole_number(0, 4, console), metavar="SEAT", help=console.line("arg.viewer"), default=None
    )
    parser.add_argument("--choices", action="store_true", help=console.line("arg.choices"))


def run(options: Namespace, console: Console) -> int:
    """Write the picture."""
    shown = _replay_to_turn(options, console)
    see_that_there_is_a_seat(options.source, options.viewer, shown.state.seats)
    drawing = draw(
        shown.state,
        last_turn=shown.turn,
        viewer=options.viewer,
        choices=_choices(shown) if options.choices else None,
        names=shown.names,
        theme=options.theme,
    )
    write_bytes(options.output, drawing.png)
    return OK


def _replay_to_turn(options: Namespace, console: Console) -> Replayed:
    text = read_text(options.source)
    if text.lstrip().startswith("{"):
        state = load_position(options.source, parse_json(options.source, text), console)
        names = tuple(console.line("seat", number=seat + 1) for seat in range(state.seats))
        return Replayed(state, None, names)
    return replay_record(options.source, text, console, options.turn)


def _choices(shown: Replayed) -> Choices | None:
    if shown.state.to_move in (None, CHANCE):
        return None
    asked = next_question(shown.state, shown.state.legal_actions())
    return None if isinstance(asked, Action) else asked.picture_choices
