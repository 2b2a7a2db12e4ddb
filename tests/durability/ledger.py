"""The database as a witness sees it from outside: read only, while the program runs and after it was killed."""

import asyncio
import json
import sqlite3
import time
from collections import defaultdict
from collections.abc import Callable, Coroutine
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.kernel.line import replay_line
from bot.table.replaying import line_of_play
from engine import CHANCE, State, fair, games
from storage import Event, utc_now
from tests.durability.process import TIMEOUT_SECONDS, Life


@dataclass(frozen=True)
class Written:
    """An event of a game, as it is stored."""

    game: str
    number: int
    kind: str
    data: dict[str, Any]
    cause: str | None


class Ledger:
    """What is stored; `check` compares all of it with itself and with what was stored before."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._read_at = -1
        self.games: dict[str, list[Written]] = defaultdict(list)
        self.causes: dict[str, list[Written]] = defaultdict(list)

    def close(self) -> None:
        """Let go of the database."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def rows(self, query: str, *values: Any) -> list[Any]:
        """Return what a query finds; nothing while there is no database, or none of ours."""
        if self._connection is None:
            if not self._path.exists():
                return []
            self._connection = sqlite3.connect(f"file:{self._path}?mode=ro", uri=True, timeout=30)
        try:
            return self._connection.execute(query, values).fetchall()
        except sqlite3.OperationalError as error:
            if "no such table" in str(error) or "unable to open" in str(error):
                return []
            raise

    @property
    def version(self) -> int:
        """A number that is another one after every change, 0 while there is nothing."""
        found = self.rows("PRAGMA data_version")
        return int(found[0][0]) if found else 0

    async def written(self, times: int) -> None:
        """Return as soon as the database has been written to so often."""
        await asyncio.to_thread(self._wait, times)

    async def live(self, times: int, main: Callable[..., Coroutine[Any, Any, None]], *arguments: Any) -> None:
        """Have a program live until it has written so often once it was "ready": it dies in the middle of what it does.

        Then all is checked.
        """
        process = await Life.start(main, *arguments)
        async with asyncio.timeout(TIMEOUT_SECONDS):
            while await process.stdout.readline() != b"ready\n":
                continue
        await self.written(times)
        await process.killed()
        self.check()

    def _wait(self, times: int) -> None:
        other = Ledger(self._path)
        known, until = other.version, time.monotonic() + TIMEOUT_SECONDS
        while times:
            time.sleep(0.0005)
            assert time.monotonic() < until, "nothing was written"
            if (version := other.version) != known:
                known, times = version, times - 1
        other.close()

    def refresh(self) -> None:
        """Read the events that are new."""
        version = self.version
        if version == self._read_at:
            return
        self._read_at = version
        for game, known in self.rows("SELECT id, revision FROM games"):
            written = self.games[game]
            for event in self._events(game, len(written)) if len(written) < known else ():
                written.append(event)
                if event.cause is not None:
                    self.causes[event.cause].append(event)

    def revision(self, game: str) -> int:
        """Return how many events a game has."""
        self.refresh()
        return len(self.games[game])

    def state(self, game: str) -> tuple[int, State | None]:
        """Return the revision and the position of a game, None while it has not started."""
        (revision, key, position), *_ = self.rows("SELECT revision, game, position FROM games WHERE id = ?", game)
        return revision, None if position is None else games[key].load(json.loads(position))

    def seats(self, game: str) -> dict[int, str]:
        """Return the name at every seat of a game that has started."""
        query = "SELECT seat, people.name FROM seats JOIN people ON people.id = person WHERE game = ? AND seat >= 0"
        return dict(self.rows(query, game))

    def computers(self, game: str) -> set[int]:
        """Return the seats of computers in a game that has started."""
        query = "SELECT seat FROM seats WHERE game = ? AND seat >= 0 AND computer IS NOT NULL"
        return {seat for (seat,) in self.rows(query, game)}

    def behind(self) -> int:
        """Return how many boards do not show the newest revision of their game."""
        query = "SELECT count(*) FROM posts JOIN games ON games.id = posts.game WHERE NOT posts.gone"
        (count,), *_ = self.rows(f"{query} AND (shown_revision IS NULL OR shown_revision <> games.revision)") or [(1,)]
        return int(count)

    def undelivered(self) -> int:
        """Return how many boards are not up to date, or have old ones before them to be retired."""
        (count,), *_ = self.rows("SELECT count(*) FROM posts WHERE due_at IS NOT NULL") or [(1,)]
        return int(count)

    def check(self) -> None:
        """Check that the database is whole, that nothing stored was changed, and that games are what their events say.

        For when the program does not run.
        """
        self.refresh()
        if not self.whole():
            return
        query = "SELECT id, game, status, revision, seat_count, options, position, outcome, seed, chance FROM games"
        for code, key, status, revision, count, options, position, outcome, seed, chance in self.rows(query):
            written = self._events(code)
            assert [event.number for event in written] == list(range(1, revision + 1)), code
            assert written[: len(self.games[code])] == self.games[code], f"the past of {code} was changed"
            if position is None:
                assert status != "playing"
                continue
            joined = "SELECT joined_by FROM seats WHERE game = ? ORDER BY number"
            public = fair.public_text(code, [by or "" for (by,) in self.rows(joined, code)])
            state = _replayed(key, count, json.loads(options), written, seed, public, takes=chance is not None)
            assert state.to_json() == json.loads(position), f"{code} is not what its events say"
            if status == "over" and state.outcome is not None:
                assert json.loads(outcome)["places"] == list(state.outcome.places)

    def whole(self) -> bool:
        """Check that the file is whole; say whether there is anything of ours in it."""
        if not self.rows("SELECT name FROM sqlite_master WHERE name = 'games'"):
            return False
        with closing(sqlite3.connect(f"file:{self._path}?mode=ro", uri=True)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        return True

    def _events(self, game: str, after: int = 0) -> list[Written]:
        query = "SELECT number, kind, data, cause FROM events WHERE game = ? AND number > ? ORDER BY number"
        found = self.rows(query, game, after)
        return [Written(game, number, kind, json.loads(data), cause) for number, kind, data, cause in found]


def _replayed(
    key: str, count: int, options: dict[str, Any], written: list[Written], seed: str, public: str, *, takes: bool
) -> State:
    """Return the position that events lead to, having checked every draw."""
    start = games[key].start(count, options)
    events = [Event(each.game, each.number, each.kind, each.data, None, utc_now(), each.cause) for each in written]
    line = line_of_play(events)
    state = start
    draws = 0
    first: dict[int, list[str]] = {}
    for event in events:
        if event.data.get("draw") is not None:
            first.setdefault(event.data["draw"], [each for _, each in event.data.get("ids", ())])
    for event in line:
        action = state.read(event.data["action"])
        if state.to_move == CHANCE and not action.is_drop:
            draws += 1
            assert event.data["draw"] == draws
            assert state.sample_chance(fair.Draw(seed, public, draws, first[draws] if takes else None)) == action
        state = state.play(action)
    assert replay_line(start, [event.data["action"] for event in line]).state == state
    return state
