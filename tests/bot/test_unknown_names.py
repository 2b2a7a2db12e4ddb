"""Stored names that mean nothing here: others play, look and list on, by a default or without what they name."""

import asyncio
from itertools import groupby, zip_longest
from pathlib import Path
from typing import Any, Final

import pytest
from sqlalchemy import Column, update
from structlog.testing import capture_logs

from bot.kernel.names import log_unknown_name
from storage.columns import PERSON_SETTINGS, PLACE_SETTINGS
from storage.competition_schema import competitions, titles
from storage.message_schema import notice_choices, notices
from storage.puzzle_schema import attempts, puzzle_ratings
from storage.schema import games, identities, lessons, people, places, ratings, results, seats
from tests.bot.cups import a_cup
from tests.bot.party import Party, words
from tests.bot.test_monthly import lose
from tests.support.stores import open_copy

UNKNOWN: Final = "zz-gone"
NAMED: Final = (
    seats.computer, seats.state, games.game, games.status, people.language, identities.language,
    identities.platform, notices.kind, notices.route, notice_choices.route, titles.kind, titles.game_key,
    ratings.game_key, ratings.pool, ratings.pace, results.game_key, results.mark, results.reason, results.pool,
    results.pace,
    lessons.game_key, lessons.step, attempts.puzzle, attempts.game_key,
    attempts.motif, puzzle_ratings.game_key, competitions.kind, competitions.status,
    competitions.game_key,
)  # fmt: skip
TEXT_SETTINGS: Final = {
    "person": [name for name, kind in PERSON_SETTINGS.items() if kind is str],
    "place": [name for name, kind in PLACE_SETTINGS.items() if kind is str],
}


def list_walks() -> list[list[Column[Any]]]:
    """Return the columns, at most one of each table together: what one in a row hides of another is seen elsewhere."""
    tables = [list(columns) for _, columns in groupby(NAMED, key=lambda column: column.table)]
    return [[column for column in columns if column is not None] for columns in zip_longest(*tables)]


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory, empty_database: Path) -> tuple[Path, str]:
    """A database after all by which something is stored of Anna; the code of the game that Bruno plays against her."""
    path = tmp_path_factory.mktemp("everything") / "data" / "tavoliere.db"

    async def make() -> str:
        async with open_copy(empty_database, path) as store, Party(store) as party:
            await lose(party, "bruno")
            await party.say("anna", "/settings language:it notices:channel")
            await party.say("anna", "/learn annuvin")
            await party.say("anna", "/puzzle annuvin")
            await a_cup(party, "/cup annuvin clock:1d players:4", "cora")
            await party.say("anna", "/play annuvin computer:1")
            return await party.started("/play annuvin @bruno clock:1d")

    return path, asyncio.run(make())


async def everybody_goes_on(party: Party, code: str) -> None:
    """Have others move, look and list; the clocks, the notices and the competitions have their turn."""
    for _ in range(3):
        if await party.play_first(code) == "bruno":
            break
    for line in (
        f"/board {code}",
        "/games",
        "/profile @anna",
        "/leaderboard",
        "/leaderboard where:everywhere",
        "/settings",
    ):
        said = words(await party.say("bruno", line))
        assert "went wrong" not in said, (line, said)
    await party.front.delivery.run_until_idle()
    await party.front.alarms.tick()
    for job in party.front.jobs.values():
        await job.run_until_idle()
    assert (await party.load_row(code)).status == "playing"


def check_log(logs: list[Any]) -> None:
    assert [each for each in logs if each.get("log_level") in ("error", "critical")] == []
    unknown = [(each["kind"], each["name"]) for each in logs if each["event"] == "stored-name-unknown"]
    assert len(unknown) == len(set(unknown)), "each is logged once"


@pytest.mark.parametrize("whose", TEXT_SETTINGS)
async def test_settings_that_name_nothing_known_stop_nobody(party: Party, whose: str) -> None:
    log_unknown_name.cache_clear()
    code = await party.started("/play annuvin @bruno clock:1d")
    table, row = (people, await party.id_of("anna")) if whose == "person" else (places, (await party.load_row()).place)
    async with party.store._database.transaction() as connection:
        unknown = dict.fromkeys(TEXT_SETTINGS[whose], UNKNOWN)
        await connection.execute(update(table).where(table.id == row).values(settings=unknown))
    party.store.cache.clear()
    with capture_logs() as logs:
        await everybody_goes_on(party, code)
        assert "went wrong" not in words(await party.say("anna", "/profile"))
    check_log(logs)


@pytest.mark.parametrize("columns", list_walks(), ids=lambda columns: " ".join(map(str, columns)))
async def test_stored_names_that_mean_nothing_here_stop_nobody_else(
    everything: tuple[Path, str], tmp_path: Path, columns: list[Column[Any]]
) -> None:
    log_unknown_name.cache_clear()
    path, code = everything
    mine = [seats.game, games.id, results.game]
    async with open_copy(path, tmp_path / "data" / "tavoliere.db") as store, Party(store) as party:
        party.numbers = 1000  # no event has an id that one had in the database
        async with store._database.transaction() as connection:
            await connection.exec_driver_sql("PRAGMA ignore_check_constraints = ON")
            for column in columns:
                own = next((each for each in mine if each.table is column.table), None)
                change = update(column.table).prefix_with("OR IGNORE").values({column: UNKNOWN})
                await connection.execute(change if own is None else change.where(own != code))
        with capture_logs() as logs:
            await everybody_goes_on(party, code)
    check_log(logs)
