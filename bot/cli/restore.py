"""`tavoliere restore`: replace the games with a copy made by `tavoliere backup`."""

import asyncio
from argparse import ArgumentParser, Namespace
from pathlib import Path

from bot.cli.backup import BACKUP_FOLDER
from bot.cli.check import check_database
from bot.cli.console import Console
from bot.cli.database import explain_storage_errors, hide_password, lock_database, open_store, settings_of
from bot.kernel.operations.settings import Settings


def add_arguments(parser: ArgumentParser, console: Console) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("file", type=Path, metavar="FILE", help=console.line("arg.copy-file"))
    parser.add_argument("--data-dir", type=Path, metavar="FOLDER", help=console.line("arg.data-dir"))


def run(options: Namespace, console: Console) -> int:
    """Restore the copy, keep the previous games aside, and check every game; return 1 if one has a fault."""
    settings = settings_of(options, console)
    with lock_database(settings, "restore.running"):
        return asyncio.run(_restore(settings, options.file, console))


async def _restore(settings: Settings, source: Path, console: Console) -> int:
    from storage.copies import backup_file_name, restore_database

    with explain_storage_errors(hide_password(settings)):
        aside = backup_file_name(settings.data_dir / BACKUP_FOLDER, "before-restore-", settings.database)
        previous = await restore_database(settings.database, source, aside)
    if previous is not None:
        console.say("restore.kept", file=str(previous))
    console.say("restore.done", file=str(source))
    store = await open_store(settings, console)
    try:
        return await check_database(store, settings, console)
    finally:
        await store.close()
