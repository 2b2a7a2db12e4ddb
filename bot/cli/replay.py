"""`tavoliere replay`: a recorded game, move by move, as text."""

from argparse import ArgumentParser, Namespace

from bot.cli.console import OK, Console
from bot.cli.records import board_text, format_ending, format_turn, read_record


def add_arguments(parser: ArgumentParser, console: Console) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("record", metavar="FILE", help=console.line("arg.record-file"))
    parser.add_argument("--boards", action="store_true", help=console.line("arg.boards"))


def run(options: Namespace, console: Console) -> int:
    """Print the game's turns and how it ended."""
    record = read_record(options.record, console)
    state = record.first_state()
    words = console.texts.speaker(console.language).of(record.game)
    console.put(f"{words.line('name')}: {', '.join(record.names)}")
    if options.boards:
        console.put(board_text(state, record.names, console))
    for turn in record.turns():
        console.put(format_turn(turn, record.names, console))
        state = turn.after
        if options.boards:
            console.put(board_text(state, record.names, console))
    if state.outcome is not None:
        for line in format_ending(state, record.names, record.game, console):
            console.put(line)
    elif record.result is not None:
        console.say("replay.table", result=console.line(f"result.{record.result}"))
    else:
        console.say("replay.running")
    return OK
