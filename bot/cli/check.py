"""`tavoliere check`: replay every game and compare it with what is stored."""

from __future__ import annotations

import asyncio
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from bot.cli.console import OK, PROBLEM, Console
from bot.cli.database import explained_storage, open_store, settings_of, shown_place
from bot.settings import Settings

if TYPE_CHECKING:
    from storage import Store


def add_arguments(parser: ArgumentParser, console: Console) -> None:
    """Declare what the subcommand takes."""
    parser.add_argument("--data-dir", type=Path, metavar="FOLDER", help=console.line("arg.data-dir"))


def run(options: Namespace, console: Console) -> int:
    """Return 0 if the database is whole and every game's events lead to what is stored of it, else 1."""
    return asyncio.run(_check(settings_of(options, console), console))


async def _check(settings: Settings, console: Console) -> int:
    store = await open_store(settings, console)
    try:
        return await examined(store, settings, console)
    finally:
        await store.close()


async def examined(store: Store, settings: Settings, console: Console) -> int:
    """Print what is wrong with a database, or that all is well, and return the exit code."""
    from bot.services.checking import check_games
    from storage.copies import faults

    with explained_storage(shown_place(settings)):
        broken = await faults(settings.database)
        for fault in broken:
            console.complain("check.database", fault=fault)
        games = wrong = 0
        async for _, findings in check_games(store):
            games += 1
            wrong += bool(findings)
            for finding in findings:
                what = console.line(f"check.{finding.what}", detail=finding.detail)
                console.complain("check.game", id=finding.game, what=what)
    if broken or wrong:
        console.complain("check.wrong", wrong=wrong, n=games)
        return PROBLEM
    console.say("check.well", n=games)
    return OK
