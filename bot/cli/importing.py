"""`tavoliere import`: import finished games from their records into this database."""

from __future__ import annotations

import asyncio
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from bot.cli.console import OK, PROBLEM, CommandFailed, Console
from bot.cli.database import hide_password, open_store, settings_of
from bot.cli.records import describe_problem, read_record
from bot.kernel.operations.settings import Settings
from engine.record import InvalidRecord, Record

if TYPE_CHECKING:
    from storage import Store


def add_arguments(parser: ArgumentParser, console: Console) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("records", nargs="+", metavar="FILE", help=console.line("arg.record-file"))
    parser.add_argument("--data-dir", type=Path, metavar="FOLDER", help=console.line("arg.data-dir"))


def run(options: Namespace, console: Console) -> int:
    """Import every record, or say why not; return 1 if one was refused."""
    return asyncio.run(_import(options.records, settings_of(options, console), console))


async def _import(names: list[str], settings: Settings, console: Console) -> int:
    refused = False
    store = None
    try:
        for name in names:
            try:
                record = read_record(name, console)
                store = store or await open_store(settings, console)
                await _import_record(store, name, record, console)
            except CommandFailed as failure:
                if failure.code != PROBLEM:
                    raise
                console.complain(failure.key, **failure.params)
                refused = True
    finally:
        if store is not None:
            await store.close()
    if not refused:
        console.say("import.done", place=hide_password(settings))
    return PROBLEM if refused else OK


async def _import_record(store: Store, name: str, record: Record, console: Console) -> None:
    from bot.cli.imports import NotImportable, import_record
    from storage import CodeTaken, utc_now

    try:
        row = await import_record(store, record, utc_now())
    except NotImportable as error:
        raise CommandFailed(f"import.{error.reason}", file=name) from None
    except CodeTaken:
        raise CommandFailed("import.taken", file=name, id=record.game_id) from None
    except InvalidRecord as error:
        raise CommandFailed("file.bad-record", file=name, reason=describe_problem(error, console)) from None
    console.say("import.one", file=name, id=row.id)
