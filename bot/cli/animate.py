"""`tavoliere animate`: a recorded game as an animation, and as a sheet of its key positions."""

from argparse import ArgumentParser, Namespace

from bot.cli.console import OK, Console
from bot.cli.files import see_that_there_is_a_seat, whole_number, write_bytes
from bot.cli.records import read_record
from render import THEMES
from render.animation import animate, select_key_positions


def add_arguments(parser: ArgumentParser, console: Console) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("record", metavar="FILE", help=console.line("arg.record-file"))
    parser.add_argument("-o", "--output", required=True, metavar="FILE.gif", help=console.line("arg.film"))
    parser.add_argument("--sheet", metavar="FILE.png", help=console.line("arg.sheet"))
    parser.add_argument("--theme", choices=THEMES, default="light", help=console.line("arg.theme"))
    parser.add_argument(
        "--viewer", type=whole_number(0, 4, console), metavar="SEAT", help=console.line("arg.viewer"), default=None
    )


def run(options: Namespace, console: Console) -> int:
    """Write the animation, and the sheet if requested."""
    record = read_record(options.record, console)
    start, turns = record.first_state(), list(record.turns())
    see_that_there_is_a_seat(options.record, options.viewer, record.seats)
    viewer = options.viewer
    film = animate(start, turns, names=record.names, theme=options.theme, viewer=viewer)
    write_bytes(options.output, film.gif)
    if options.sheet:
        write_bytes(
            options.sheet,
            select_key_positions(start, turns, names=record.names, theme=options.theme, viewer=viewer).png,
        )
    return OK
