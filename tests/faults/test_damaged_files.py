"""A file in which bytes have changed: what cannot be read is left out, `check` says it, and nothing ends a program."""

import asyncio
import json
import random
import shutil
import sqlite3
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import pytest
from sqlalchemy import Integer
from structlog.processors import format_exc_info
from structlog.testing import capture_logs
from yarl import URL

from bot.cli.installed_games import DamageWatch
from bot.kernel.operations.clock import Clock
from bot.platforms.app import Tavoliere
from bot.platforms.web.room import ChatRoom
from storage import StorageError, Store
from storage.columns import JsonText
from storage.copies import find_damage
from storage.schema import metadata
from storage.shapes import Options
from tests.bot.party import Clock as ManualClock, Quick, load_texts
from tests.cli.conftest import Run, run
from tests.storage.populated import fill_store
from tests.support.fronts import make_front
from tests.support.stores import time_after
from tests.support.tiny import draw_tiny
from tests.web.browser import Browser, Tab, list_buttons
from tests.web.front import serve_page

__all__ = ["run"]

CHANGED_BYTES: Final = 16
BEFORE: Final = time_after(days=1)
FIRST_USE: Final = time_after(days=1, hours=1)
SECOND_USE: Final = time_after(days=40)
"""When puzzles of the day, months, clocks and whatever else has a time are due."""
SHAPED: Final = [
    (table.name, column.name)
    for table in metadata.sorted_tables
    for column in table.columns
    if isinstance(column.type, JsonText) and column.type.shape not in (None, dict, list, Options)
]


@dataclass(frozen=True)
class Populated:
    """A file with rows in every table, the cookies of a browser that was there, its name, and a game of it."""

    path: Path
    cookies: dict[str, str]
    me: dict[str, Any]
    game: str


@pytest.fixture(autouse=True)
def eager_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the page read again at once where the database cannot be read, not after a second each time."""
    monkeypatch.setattr("bot.platforms.web.live._DATABASE_RETRY_SECONDS", 0.01)


@asynccontextmanager
async def served(path: Path, cookies: dict[str, str], at: datetime) -> AsyncIterator[tuple[Tavoliere, Browser]]:
    """Serve a file to one browser, as `serve` does at that time."""
    time = ManualClock()
    time.now = at
    async with AsyncExitStack() as stack:
        store = await stack.enter_async_context(await Store.open(path))
        texts, room = load_texts(()), ChatRoom(store, Clock(time))
        front = make_front(store, texts=texts, thinkers=Quick(), adapters=[room], draw=draw_tiny, clock=time)
        stack.push_async_callback(front.close)
        await front.alarms.beat()
        server = await stack.enter_async_context(serve_page(front, store, texts, room))
        await front.start()
        browser = await stack.enter_async_context(Browser(server.address))
        browser.session.cookie_jar.update_cookies(cookies, URL(server.address))
        yield front, browser
        cookies.update({cookie.key: cookie.value for cookie in browser.session.cookie_jar})


def see_no_traceback(logs: Sequence[Mapping[str, Any]]) -> None:
    found = [f"{entry['event']}\n{entry['exception']}" for entry in logs if "exception" in entry]
    found += [str(entry) for entry in logs if entry["event"] == "job-does-not-rest"]
    if found:
        pytest.fail("\n".join(found), pytrace=False)


async def make_populated(path: Path) -> Populated:
    await fill_store(f"sqlite:///{path}")
    with closing(sqlite3.connect(path)) as connection, connection:
        # Nothing is sent to anybody.
        connection.execute("UPDATE webhooks SET stopped = 'gone'")
    cookies = dict[str, str]()
    async with served(path, cookies, BEFORE) as (front, browser):
        anna, bruno = await browser.name("Anna"), await browser.name("Bruno")
        await anna.say("/play annuvin @Bruno clock:1d")
        await front.delivery.run_until_idle()
        message, press = newest_button(await bruno.sees(), "join:")
        await bruno.press(message, press)
        game = press.split(":")[1]
        await anna.begin(game)
        await front.delivery.run_until_idle()
        await bruno.say("/learn annuvin")
        await anna.say("/puzzle annuvin")
        table = await front.context.table(game)
        mover = anna if table.person_at(table.mover) == anna.person else bruno
        await mover.say("/move b1-b2")
        await front.delivery.run_until_idle()
    with closing(sqlite3.connect(path)) as connection:
        # Those of `fill_store` have expired by now.
        token = "INSERT INTO interaction_tokens (place, secret, sent, made_at) VALUES (1, 's', '[\"m\"]', '2026-11-21')"
        connection.execute(token)
        connection.commit()
        connection.execute("PRAGMA journal_mode = DELETE").fetchall()
    return Populated(path, cookies, anna.me, game)


@pytest.fixture(scope="module")
def populated(tmp_path_factory: pytest.TempPathFactory) -> Populated:
    """A file with something in every table."""
    return asyncio.run(make_populated(tmp_path_factory.mktemp("populated") / "whole.db"))


def newest_button(messages: list[Any], deed: str) -> tuple[int, str]:
    found: list[tuple[int, str]] = [(each["id"], button["press"]) for each in messages for button in list_buttons(each)]
    return next(each for each in reversed(found) if each[1].startswith(deed))


def test_every_table_has_rows(populated: Populated) -> None:
    with closing(sqlite3.connect(populated.path)) as connection:
        empty = [name for name in metadata.tables if not connection.execute(f"SELECT 1 FROM {name}").fetchone()]  # noqa: S608
    assert empty == []


def changed_keys(value: Any) -> Iterator[Any]:
    """Yield a stored value with one letter of one key changed, for each key of a closed object in it."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if name in (
                "position",
                "before",
                "earlier",
                "extra",
                "spots",
                "cells",
                "presses",
                "options",
                "heads",
                "values",
            ):
                continue  # their keys are data of the game
            yield {(f"{key[:-1]}~" if key == name else key): each for key, each in value.items()}
            yield from ({**value, name: each} for each in changed_keys(inner))
    if isinstance(value, list):
        for at, inner in enumerate(value):
            yield from ([*value[:at], each, *value[at + 1 :]] for each in changed_keys(inner))


# The keys of a draft are those of its form, which reads them: none is known to the storage.
@pytest.mark.parametrize(("table", "column"), [each for each in SHAPED if each != ("form_drafts", "chosen")])
async def test_one_changed_letter_of_a_key_is_found(
    populated: Populated, tmp_path: Path, table: str, column: str
) -> None:
    copy = Path(shutil.copy(populated.path, tmp_path))
    assert await find_damage(copy) == []
    with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
        rows = connection.execute(f"SELECT rowid, {column} FROM {table} WHERE {column} IS NOT NULL").fetchall()  # noqa: S608
        kind = metadata.tables[table].columns[column].type
        assert isinstance(kind, JsonText)
        for row, stored in rows:
            every = list(changed_keys(json.loads(stored)))
            assert not [each for each in every if kind.is_readable(json.dumps(each))]
            for each in every[:1]:
                changed = f"UPDATE {table} SET {column} = ? WHERE rowid = ?"  # noqa: S608
                connection.execute(changed, (json.dumps(each), row))
                assert (table, column) in {(found.table, found.column) for found in await find_damage(copy)}
                connection.execute(changed, (stored, row))


def test_a_whole_file_is_used_without_a_fault(populated: Populated, tmp_path: Path) -> None:
    with capture_logs([format_exc_info]) as logs:
        for at in (FIRST_USE, SECOND_USE):
            asyncio.run(use(Path(shutil.copy(populated.path, tmp_path)), populated, at))
    see_no_traceback(logs)


def damage(path: Path, seed: int) -> None:
    """Change bytes: of the whole file, of one value in every table, or what kind of value is stored."""
    rng = random.Random(seed)
    if seed % 4 == 0:
        data = bytearray(path.read_bytes())
        for _ in range(CHANGED_BYTES):
            data[rng.randrange(len(data))] = rng.randrange(256)
        path.write_bytes(data)
        return
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.text_factory = bytes
        for table in metadata.sorted_tables:
            # A key that numbers the rows can hold nothing else.
            names = [each.name for each in table.columns if not (each.primary_key and isinstance(each.type, Integer))]
            if seed % 4 == 1:
                names = [name for name in names if isinstance(table.columns[name].type, JsonText)]
            rows = [each for (each,) in connection.execute(f"SELECT rowid FROM {table.name} ORDER BY rowid")]  # noqa: S608
            if not names or not rows:
                continue
            at, name = rng.choice(rows), rng.choice(names)
            changed = f"UPDATE OR IGNORE {table.name} SET {name} = {{}} WHERE rowid = ?"  # noqa: S608
            (value,) = connection.execute(f"SELECT {name} FROM {table.name} WHERE rowid = ?", (at,)).fetchone()  # noqa: S608
            if isinstance(value, bytes) and value and seed % 4 < 3:
                raw = bytearray(value)
                raw[rng.randrange(len(raw))] = rng.randrange(256)
                connection.execute(changed.format(f"CAST(x'{raw.hex()}' AS TEXT)"), (at,))
            else:
                other = rng.choice(["'x'", "-7", "1.5", "x'ff00'", "99999999999", "''", "'{}'", "'[]'", "'null'"])
                connection.execute(changed.format(other), (at,))


async def use(path: Path, populated: Populated, at: datetime) -> None:
    """Start the program with a file at that time; look at the page, press a button, and do all that is due."""
    try:
        async with served(path, dict(populated.cookies), at) as (front, browser):
            tab = Tab(browser, populated.me)
            answers = [await browser.get("/"), await browser.get(f"/api/live?as={tab.me['user']}")]
            shown = answers[1].data[0].get("messages", []) if answers[1].status == 200 else []
            buttons = [(each["id"], button["press"]) for each in shown for button in list_buttons(each)]
            for message, press in buttons[-1:] + buttons[:1]:
                answers.append(await tab.press(message, press))
            answers.append(await tab.say(f"/board game:{populated.game}"))
            answers.append(await tab.say("/games"))
            await front.alarms.tick()
            await front.delivery.run_until_idle()
            for job in front.jobs.values():
                await job.run_until_idle()
            await DamageWatch(front.context.store, lambda: 0.0).scan()
            assert [(answer.status, answer.data) for answer in answers if answer.status == 500] == []
    except StorageError:
        pass  # a clean refusal: the file as a whole cannot be read


# Two of each kind of damage; the long run has many in one case, since each case costs every run while it is collected.
SEEDS: Final = [pytest.param(range(seed, seed + 1), id=str(seed)) for seed in range(8)]
MANY_SEEDS: Final = [
    pytest.param(range(first, first + 31), marks=pytest.mark.full, id=f"{first}-{first + 30}")
    for first in range(8, 1000, 31)
]


@pytest.mark.parametrize("seeds", [*SEEDS, *MANY_SEEDS])
def test_damaged_bytes_end_nothing(populated: Populated, run: Run, tmp_path: Path, seeds: range) -> None:
    for seed in seeds:
        folder = tmp_path / "data"
        folder.mkdir()
        path = Path(shutil.copy(populated.path, folder / "tavoliere.db"))
        damage(path, seed)
        see_a_damaged_file_end_nothing(path, populated, run)
        shutil.rmtree(folder)


def see_a_damaged_file_end_nothing(path: Path, populated: Populated, run: Run) -> None:
    """Look at it as `check` and the program do, before and after it was repaired."""
    with capture_logs([format_exc_info]) as logs:
        for arguments in (("check",), FIRST_USE, ("check", "--repair"), SECOND_USE):
            if isinstance(arguments, datetime):
                asyncio.run(use(path, populated, arguments))
            else:
                ran = run(*arguments)
                assert ran.code in (0, 1, 3), ran
                assert "Traceback" not in ran.out + ran.err
    see_no_traceback(logs)
