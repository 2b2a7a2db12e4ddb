"""`tavoliere backup`: a copy of all games for safekeeping, also while the program runs."""

import asyncio
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Final

from bot.cli.console import OK, Console
from bot.cli.database import explain_storage_errors, hide_password, settings_of
from bot.cli.files import whole_number
from bot.kernel.operations.process import lock_file

BACKUP_FOLDER: Final = "backups"
"""Folder, in the data folder, for copies without a given name."""


def add_arguments(parser: ArgumentParser, console: Console) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("file", nargs="?", type=Path, metavar="FILE", help=console.line("arg.backup-file"))
    parser.add_argument("--keep", type=whole_number(1, 10_000, console), metavar="N", help=console.line("arg.keep"))
    parser.add_argument("--data-dir", type=Path, metavar="FOLDER", help=console.line("arg.data-dir"))


def run(options: Namespace, console: Console) -> int:
    """Make the copy and print its path; with `--keep`, delete the oldest copies in the folder."""
    from storage.addresses import database_file
    from storage.copies import backup_file_name, copy_database

    settings = settings_of(options, console)
    folder = settings.data_dir / BACKUP_FOLDER
    with explain_storage_errors(hide_password(settings)):
        target = options.file or backup_file_name(folder, "", settings.database)
        file = database_file(settings.database)
        spared = [] if file is None else [lock_file(file)]
        asyncio.run(copy_database(settings.database, target, spared=spared))
    console.say("backup.done", file=str(target), size=f"{target.stat().st_size / 1e6:.1f}")
    if options.keep is not None and options.file is None:
        for old in sorted(folder.glob(f"tavoliere-2*{target.suffix}"))[: -options.keep]:
            old.unlink()
            console.say("backup.removed", file=str(old))
    return OK
