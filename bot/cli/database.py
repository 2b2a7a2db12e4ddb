"""Access to the database, and the subcommands `backup`, `restore`, `check` and `puzzles`."""

from argparse import Namespace
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Final

from bot.boards.puzzles.goals import puzzle_goals
from bot.boards.puzzles.making import append_puzzles, make_puzzles
from bot.cli.console import ENVIRONMENT, OK, PROBLEM, USAGE, CommandFailed, Console, Subcommand, argument
from bot.cli.files import DATA_FOLDER, explain_os_errors, whole_number
from bot.competitions.kinds import check_competitions
from bot.kernel.operations.process import AlreadyRunning, DatabaseLock, lock_file
from bot.kernel.operations.settings import Settings
from bot.table.checking import NOT_INSTALLED, Finding, check_game, check_games, plan_repair
from storage import GameChange, PlayedPuzzle, StorageError, Store, utc_now
from storage.addresses import database_file, refuse_special_database
from storage.copies import (
    FOREIGN_KEY_FAULT,
    Damage,
    Repair,
    backup_file_name,
    copy_database,
    find_damage,
    find_faults,
    repair_damage,
    restore_database,
)

BACKUP_FOLDER: Final = "backups"
"""The folder, in the data folder, for copies without a given name."""
MAX_GAMES: Final = 100
"""Default maximum number of games that are searched for puzzles: each takes seconds or minutes."""


def hide_password(settings: Settings) -> str:
    """Return the name of the database for messages, without a password."""
    return str(settings.data_dir) if settings.database_url is None else "DATABASE_URL"


@contextmanager
def explain_storage_errors(console: Console) -> Iterator[None]:
    """Translate storage errors into CommandFailed, with one clear sentence."""
    try:
        yield
    except StorageError as error:
        params = {name: str(value) for name, value in error.params.items()}
        place = {"place": hide_password(console.settings)}
        raise CommandFailed(f"storage.{error.code}", ENVIRONMENT, **place | params) from None


@asynccontextmanager
async def migrated_store(console: Console) -> AsyncIterator[Store]:
    """Yield the store of the settings, migrated to the current version; CommandFailed with one clear sentence."""
    with explain_storage_errors(console):
        store = await Store.open(console.settings.database)
    if store.backup is not None:
        console.say("serve.backup", path=str(store.backup))
    try:
        yield store
    finally:
        await store.close()


@asynccontextmanager
async def unchanged_store(console: Console) -> AsyncIterator[Store]:
    """Yield the store of the settings, opened without creating or changing anything; CommandFailed for its errors."""
    with explain_storage_errors(console):
        store = await Store.open_current(console.settings.database)
        try:
            yield store
        finally:
            await store.close()


@contextmanager
def lock_database(console: Console, refusal: str) -> Iterator[Callable[[], None]]:
    """Lock an SQLite file for this process; a database server may have several processes.

    Yields a function to call once a new database has been created, because until then there is no file to lock. Raises
    CommandFailed, with `refusal` as the key of the sentence, if another program holds the lock.
    """
    settings = console.settings
    folder, is_elsewhere = settings.data_dir, settings.database_url is not None
    with explain_storage_errors(console):
        file = database_file(settings.database)
        if file is not None:
            refuse_special_database(file)
    with explain_os_errors("serve.folder", ENVIRONMENT, folder=str(folder)):
        folder.mkdir(parents=True, exist_ok=True)
    if file is None:
        yield lambda: None
        return
    lock, key = DatabaseLock(file), "serve.database-folder" if is_elsewhere else "serve.folder"
    try:
        with ExitStack() as stack:
            with explain_os_errors(key, ENVIRONMENT, folder=str(file.parent if is_elsewhere else folder)):
                file.parent.mkdir(parents=True, exist_ok=True)
                stack.enter_context(lock)
            yield lock.hold_file
    except AlreadyRunning:
        key = f"{refusal}-file" if is_elsewhere else refusal
        raise CommandFailed(key, ENVIRONMENT, folder=str(folder), file=str(file)) from None


async def back_up(options: Namespace, console: Console) -> int:
    """Make the copy and print its path; with `--keep`, delete the oldest copies in the folder."""
    settings = console.settings
    folder = settings.data_dir / BACKUP_FOLDER
    with explain_storage_errors(console):
        target = options.file or backup_file_name(folder, "", settings.database)
        file = database_file(settings.database)
        spared = [] if file is None else [lock_file(file)]
        await copy_database(settings.database, target, spared=spared)
    console.say("backup.done", file=str(target), size=f"{target.stat().st_size / 1e6:.1f}")
    if options.keep is not None and options.file is None:
        for old in sorted(folder.glob(f"tavoliere-2*{target.suffix}"))[: -options.keep]:
            old.unlink()
            console.say("backup.removed", file=str(old))
    return OK


async def restore(options: Namespace, console: Console) -> int:
    """Restore the copy, keep the previous database, and check every game; return 1 if one has a fault."""
    settings = console.settings
    with lock_database(console, "restore.running"):
        with explain_storage_errors(console):
            aside = backup_file_name(settings.data_dir / BACKUP_FOLDER, "before-restore-", settings.database)
            previous = await restore_database(settings.database, options.file, aside)
        if previous is not None:
            console.say("restore.kept", file=str(previous))
        console.say("restore.done", file=str(options.file))
        async with migrated_store(console) as store:
            return await _check_all(store, console)


async def check(options: Namespace, console: Console) -> int:
    """Return 0 if the database is intact and every game's events lead to its stored row, otherwise 1."""
    with ExitStack() as stack:
        async with unchanged_store(console) as store:
            # Locked only now, because locking a database creates its folder.
            if options.repair:
                stack.enter_context(lock_database(console, "restore.running"))
            return await _check_all(store, console, repair=options.repair)


async def _check_all(store: Store, console: Console, *, repair: bool = False) -> int:
    """Print the faults of a database, or that it has none, and repair them if wanted; return the exit code."""
    games, wrong, waiting, has_backup = 0, 0, Counter[str](), False
    changes, database = list[GameChange](), console.settings.database
    with explain_storage_errors(console):
        broken, damaged = await find_faults(database), await find_damage(database)
        for fault in broken:
            console.complain("check.database", fault=fault)
        # An unreadable key makes the rows that refer to it look like faults.
        whole = all(fault.startswith(FOREIGN_KEY_FAULT) for fault in broken)
        mendable = whole and not all(damage.is_game_data for damage in damaged)
        if repair and mendable:
            await _back_up_before_repair(console)
            has_backup = True
            damaged = _report_repairs(await repair_damage(database, damaged, utc_now()), console)
            broken = await find_faults(database)
        for damage in damaged:
            console.complain("check.row", table=damage.table, key=damage.key, column=damage.column)
        async for game, every in check_games(store):
            findings = [finding for finding in every if finding.what != NOT_INSTALLED]
            gone = [finding.detail for finding in every if finding.what == NOT_INSTALLED]
            waiting.update(gone)
            games += not gone or bool(findings)
            wrong += bool(findings)
            _print_findings("game", game, findings, console)
            change = await plan_repair(store, game, utc_now()) if findings and not broken else None
            if change is not None:
                changes.append(change)
        async for code, faults in check_competitions(store):
            wrong += bool(faults)
            _print_findings("competition", code, faults, console)
        if repair and changes:
            if not has_backup:
                await _back_up_before_repair(console)
            for change in changes:
                await store.games.commit(change)
                console.say("check.repaired", id=change.game.id)
                left = await check_game(store, change.game.id)
                _print_findings("game", change.game.id, left, console)
                wrong -= not left
            damaged = await find_damage(database)
    for kind, number in sorted(waiting.items()):
        console.say("check.not-installed", kind=kind, n=number)
    if damaged:
        console.complain("check.damaged", n=len(damaged))
        if mendable and not repair:
            console.complain("check.damaged-repairable")
    if broken or wrong:
        console.complain("check.wrong", wrong=wrong, n=games)
        if changes and not repair:
            console.complain("check.repairable", n=len(changes))
    if broken or wrong or damaged:
        return PROBLEM
    console.say("check.well", n=games)
    return OK


def _report_repairs(mended: Sequence[Repair], console: Console) -> list[Damage]:
    """Print the repairs of damaged rows, and return the damage that is left."""
    for each in mended:
        if each.outcome != "left":
            damage = each.damage
            console.say(f"check.row-{each.outcome}", table=damage.table, key=damage.key, column=damage.column)
    return [each.damage for each in mended if each.outcome == "left"]


def _print_findings(subject: str, code: str, findings: Sequence[Finding], console: Console) -> None:
    """Print the findings for a `game` or a `competition` with a code."""
    for finding in findings:
        what = console.line(f"check.{finding.what}", detail=finding.detail)
        console.complain(f"check.{subject}", id=code, what=what)


async def _back_up_before_repair(console: Console) -> None:
    """Copy an SQLite file before a repair; with PostgreSQL the operator has to make a copy."""
    settings = console.settings
    if database_file(settings.database) is not None:
        aside = backup_file_name(settings.data_dir / BACKUP_FOLDER, "before-repair-", settings.database)
        console.say("restore.kept", file=str(await copy_database(settings.database, aside)))


async def make_all_puzzles(options: Namespace, console: Console) -> int:
    """Make puzzles from games played here whose players all agree; the program may run meanwhile."""
    for key in options.games:
        if key not in puzzle_goals:
            raise CommandFailed("puzzles.no-goals", USAGE, game=key)
    if options.into is not None and not options.into.is_dir():
        raise CommandFailed("puzzles.no-folder", USAGE, folder=str(options.into))
    count = 0
    async with unchanged_store(console) as store:
        codes = await store.played_puzzles.list_sources(options.games or list(puzzle_goals), options.most)
        for code in codes:
            found = await make_puzzles(store, code)
            stored = [PlayedPuzzle(each.id, code, each.game, each.to_json()) for each in found]
            if not await store.played_puzzles.add(code, stored, utc_now()):
                console.say("puzzles.withdrawn", code=code)
                continue
            if options.into is not None:
                append_puzzles(options.into, found)
            console.say("puzzles.one", code=code, n=len(found))
            count += len(found)
    console.say("puzzles.done", games=len(codes), n=count)
    return OK


SUBCOMMANDS: Final = {
    "backup": Subcommand(
        back_up,
        (
            argument("file", Path, about="backup-file", nargs="?", metavar="FILE"),
            argument("--keep", whole_number(1, 10_000), metavar="N"),
            DATA_FOLDER,
        ),
    ),
    "restore": Subcommand(restore, (argument("file", Path, about="copy-file", metavar="FILE"), DATA_FOLDER)),
    "check": Subcommand(check, (DATA_FOLDER, argument("--repair", action="store_true"))),
    "puzzles": Subcommand(
        make_all_puzzles,
        (
            argument("games", about="puzzle-game", nargs="*", metavar="GAME"),
            argument("--most", whole_number(1, 1_000_000), about="puzzle-most", default=MAX_GAMES, metavar="N"),
            argument("--into", Path, about="puzzle-into", metavar="FOLDER"),
            DATA_FOLDER,
        ),
    ),
}
