"""The command `tavoliere`."""

import argparse
import asyncio
import inspect
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Final

from bot.cli.console import ENVIRONMENT, INTERRUPTED, OK, USAGE, CommandFailed, Console, adapt_streams, machine_language
from bot.kernel.operations.process import read_version
from bot.kernel.operations.settings import Settings, SettingsError, read_settings
from bot.kernel.texts import Texts
from engine.games import games

COMMANDS: Final = {
    "serve": "serve",
    "health": "operations",
    "check-web": "operations",
    "manager-link": "operations",
    "play": "play",
    "replay": "records",
    "verify": "records",
    "render": "records",
    "animate": "records",
    "import": "imports",
    "puzzles": "database",
    "backup": "database",
    "restore": "database",
    "check": "database",
    "games": "games",
    "perft": "games",
    "oracle": "games",
    "arena": "games",
}
"""The subcommands in the order of the help, each with its module in `bot/cli/`."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with `arguments` (default: the arguments of the process) and return its exit code."""
    adapt_streams()
    if len(games.ours) < len(games):
        # Imported only if needed: it examines every part of a game and so imports nearly everything.
        from bot.cli.installed_games import examine_games

        examine_games()
    texts = Texts()
    language = texts.supported(machine_language()) or "en"
    try:
        settings = read_settings()
    except SettingsError as error:
        print(texts.speaker(language).of("cli").line(error.key, **error.params), file=sys.stderr)
        return ENVIRONMENT
    console = Console(texts, settings.language or language, settings)
    parser = argparse.ArgumentParser(prog="tavoliere", description=console.line("about"))
    parser.add_argument("--version", action="version", version=f"tavoliere {read_version()}")
    commands = parser.add_subparsers(title=console.line("commands"), metavar=console.line("command"), required=True)
    words = list(sys.argv[1:] if arguments is None else arguments)
    for name, module in COMMANDS.items():
        about = console.line(f"{name}.about")
        subparser = commands.add_parser(name, help=about, description=about)
        if name in words:  # only the module of the requested subcommand is imported
            subcommand = import_module(f"bot.cli.{module}").SUBCOMMANDS[name]
            for add_to in subcommand.arguments:
                add_to(subparser, console)
            subparser.set_defaults(run=subcommand.run)
    if not words:
        # Without a subcommand, print the help.
        parser.print_help(sys.stderr)
        return USAGE
    options = parser.parse_args(words)
    given = {name: value for name, value in vars(options).items() if name in Settings.model_fields}
    chosen = {name: value for name, value in given.items() if value is not None}
    console.settings = settings.model_copy(update=chosen)
    try:
        done = options.run(options, console)
        result: int = asyncio.run(done) if inspect.iscoroutine(done) else done
    except CommandFailed as failure:
        console.complain(failure.key, **failure.params)
        return failure.code
    except KeyboardInterrupt:
        console.put()
        return INTERRUPTED
    except BrokenPipeError:
        # The reader closed the pipe early (`tavoliere replay ...
        #  head`): that is no error.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    return result


if __name__ == "__main__":
    sys.exit(main())
