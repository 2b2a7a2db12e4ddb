"""`tavoliere check`: replay every game and compare it with its stored row; with `--repair`, repair positions."""

from __future__ import annotations

import asyncio
from argparse import ArgumentParser, Namespace
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from bot.cli.backup import BACKUP_FOLDER
from bot.cli.console import OK, PROBLEM, Console
from bot.cli.database import explain_storage_errors, hide_password, lock_database, open_as_it_is, settings_of
from bot.kernel.operations.settings import Settings

if TYPE_CHECKING:
    from bot.table.checking import Finding
    from storage import GameChange, Store
    from storage.copies import Damage, Repair


def add_arguments(parser: ArgumentParser, console: Console) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("--data-dir", type=Path, metavar="FOLDER", help=console.line("arg.data-dir"))
    parser.add_argument("--repair", action="store_true", help=console.line("arg.repair"))


def run(options: Namespace, console: Console) -> int:
    """Return 0 if the database is intact and every game's events lead to its stored row, otherwise 1."""
    settings = settings_of(options, console)
    if not options.repair:
        return asyncio.run(_check(settings, console, repair=False))
    # Open it first: locking a database creates its folder.
    asyncio.run(_check_is_current(settings))
    with lock_database(settings, "restore.running"):
        return asyncio.run(_check(settings, console, repair=True))


async def _check_is_current(settings: Settings) -> None:
    """Check that there is a database of the current version."""
    await (await open_as_it_is(settings)).close()


async def _check(settings: Settings, console: Console, *, repair: bool) -> int:
    store = await open_as_it_is(settings)
    try:
        return await check_database(store, settings, console, repair=repair)
    finally:
        await store.close()


async def check_database(store: Store, settings: Settings, console: Console, *, repair: bool = False) -> int:
    """Print what is wrong with a database, or that all is well; repair what is possible; return the exit code."""
    from bot.competitions.kinds import check_competitions
    from bot.table.checking import NOT_INSTALLED, check_game, check_games, plan_repair
    from storage import utc_now
    from storage.copies import FOREIGN_KEY_FAULT, find_damage, find_faults, repair_damage

    games, wrong, waiting, has_backup = 0, 0, Counter[str](), False
    changes: list[GameChange] = []
    with explain_storage_errors(hide_password(settings)):
        broken = await find_faults(settings.database)
        for fault in broken:
            console.complain("check.database", fault=fault)
        damaged = await find_damage(settings.database)
        # As soon as a name is unreadable, the rows that refer to it look like faults.
        whole = all(fault.startswith(FOREIGN_KEY_FAULT) for fault in broken)
        mendable = whole and not all(damage.is_game_data for damage in damaged)
        if repair and mendable:
            await _back_up_before_repair(settings, console)
            has_backup = True
            damaged = _report_repairs(await repair_damage(settings.database, damaged, utc_now()), console)
            broken = await find_faults(settings.database)
        for damage in damaged:
            console.complain("check.row", table=damage.table, key=damage.key, column=damage.column)
        async for game, every in check_games(store):
            findings = tuple(finding for finding in every if finding.what != NOT_INSTALLED)
            gone = [finding.detail for finding in every if finding.what == NOT_INSTALLED]
            waiting.update(gone)
            games += not gone or bool(findings)
            wrong += bool(findings)
            _print_findings(findings, console)
            change = await plan_repair(store, game, utc_now()) if findings and not broken else None
            if change is not None:
                changes.append(change)
        async for code, every in check_competitions(store):
            wrong += bool(every)
            for finding in every:
                what = console.line(f"check.{finding.what}", detail=finding.detail)
                console.complain("check.competition", id=code, what=what)
        if repair and changes:
            if not has_backup:
                await _back_up_before_repair(settings, console)
            for change in changes:
                await store.games.commit(change)
                console.say("check.repaired", id=change.game.id)
                left = await check_game(store, change.game.id)
                _print_findings(left, console)
                wrong -= not left
            damaged = [damage for damage in await find_damage(settings.database) if repair]
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


def _report_repairs(mended: list[Repair], console: Console) -> list[Damage]:
    """Print what happened to damaged rows, and return those that are left as they are."""
    for each in mended:
        if each.outcome != "left":
            damage = each.damage
            console.say(f"check.row-{each.outcome}", table=damage.table, key=damage.key, column=damage.column)
    return [each.damage for each in mended if each.outcome == "left"]


def _print_findings(findings: tuple[Finding, ...], console: Console) -> None:
    for finding in findings:
        what = console.line(f"check.{finding.what}", detail=finding.detail)
        console.complain("check.game", id=finding.game, what=what)


async def _back_up_before_repair(settings: Settings, console: Console) -> None:
    """Copy an SQLite file before any repair; with PostgreSQL a copy is the operator's task."""
    from storage.addresses import database_file
    from storage.copies import backup_file_name, copy_database

    if database_file(settings.database) is not None:
        aside = backup_file_name(settings.data_dir / BACKUP_FOLDER, "before-repair-", settings.database)
        console.say("restore.kept", file=str(await copy_database(settings.database, aside)))
