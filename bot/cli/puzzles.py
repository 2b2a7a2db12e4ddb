"""`tavoliere puzzles`: make puzzles from games played here, of which all who played agree to that."""

from __future__ import annotations

import asyncio
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bot.cli.console import OK, USAGE, CommandFailed, Console
from bot.cli.database import explain_storage_errors, hide_password, open_as_it_is, settings_of
from bot.cli.files import whole_number
from bot.kernel.operations.settings import Settings

if TYPE_CHECKING:
    from storage import Store

MAX_GAMES: Final = 100
"""How many games are looked through where it is not said: each takes seconds up to minutes."""


def add_arguments(parser: ArgumentParser, console: Console) -> None:
    """Declare what the subcommand takes."""
    parser.add_argument("games", nargs="*", metavar="GAME", help=console.line("arg.puzzle-game"))
    count = whole_number(1, 1_000_000, console)
    parser.add_argument("--most", type=count, default=MAX_GAMES, metavar="N", help=console.line("arg.puzzle-most"))
    parser.add_argument("--into", type=Path, metavar="FOLDER", help=console.line("arg.puzzle-into"))
    parser.add_argument("--data-dir", type=Path, metavar="FOLDER", help=console.line("arg.data-dir"))


def run(options: Namespace, console: Console) -> int:
    """Look the games through, one after the other; the program may run meanwhile."""
    from bot.boards.puzzles.goals import puzzle_goals

    keys = options.games or list(puzzle_goals)
    for key in keys:
        if key not in puzzle_goals:
            raise CommandFailed("puzzles.no-goals", USAGE, game=key)
    if options.into is not None and not options.into.is_dir():
        raise CommandFailed("puzzles.no-folder", USAGE, folder=str(options.into))
    return asyncio.run(_make(keys, options.most, options.into, settings_of(options, console), console))


async def _make(keys: list[str], most: int, into: Path | None, settings: Settings, console: Console) -> int:
    store = await open_as_it_is(settings)
    try:
        with explain_storage_errors(hide_password(settings)):
            codes = await store.played_puzzles.list_sources(keys, most)
            count = 0
            for code in codes:
                count += await _look_through(store, code, into, console)
    finally:
        await store.close()
    console.say("puzzles.done", games=len(codes), n=count)
    return OK


async def _look_through(store: Store, code: str, into: Path | None, console: Console) -> int:
    """Make and store the puzzles of one game, and say how many these are."""
    from bot.boards.puzzles.making import append_puzzles, make_puzzles, to_stored
    from storage import utc_now

    found = await make_puzzles(store, code)
    if not await store.played_puzzles.add(code, [to_stored(each, code) for each in found], utc_now()):
        console.say("puzzles.withdrawn", code=code)
        return 0
    if into is not None:
        append_puzzles(into, found)
    console.say("puzzles.one", code=code, n=len(found))
    return len(found)
