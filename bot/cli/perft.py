"""`tavoliere perft`: count the turns of a game, to compare rules with other programs."""

import time
from argparse import ArgumentParser, Namespace

from bot.cli.console import OK, USAGE, CommandFailed, Console
from bot.cli.files import add_game_arguments, load_position, parse_options, read_json, whole_number
from engine import CHANCE, InvalidOption, State, games
from engine.perft import perft


def add_arguments(parser: ArgumentParser, console: Console) -> None:
    """Declare the subcommand's arguments."""
    add_game_arguments(parser, console)
    parser.add_argument(
        "--depth", type=whole_number(1, 20, console), default=1, metavar="N", help=console.line("arg.depth")
    )
    parser.add_argument("--position", metavar="FILE", help=console.line("arg.position"))


def run(options: Namespace, console: Console) -> int:
    """Print the number of whole turns at every depth up to the requested one."""
    state = _state(options, console)
    if state.to_move == CHANCE:
        console.complain("perft.chance")
        return USAGE
    for depth in range(1, options.depth + 1):
        started = time.perf_counter()
        count = perft(state, depth)
        console.say("perft.row", depth=depth, count=count, seconds=f"{time.perf_counter() - started:.2f}")
    return OK


def _state(options: Namespace, console: Console) -> State:
    game = games[options.game]
    if options.position is not None:
        return load_position(options.position, read_json(options.position), console, game)
    try:
        return game.start(options.seats, parse_options(game, options.option))
    except InvalidOption as error:
        raise CommandFailed("bad-option", USAGE, reason=console.explain(error, game.key)) from None
