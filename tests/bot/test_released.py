"""What a released version has stored, shown and taught people goes on: names that they use, databases, buttons."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from bot.__main__ import COMMANDS as SUBCOMMANDS
from bot.kernel.features import load_presses
from bot.kernel.operations.metrics import REGISTRY
from bot.kernel.operations.settings import Settings
from bot.platforms.app import PARAMETERS
from engine.record import Record, verify
from storage import Store
from tests.bot.party import Party, card, words
from tests.support.present import present

DATABASE = Path(__file__).parent / "released" / "0.1.0.sql"
"""What 0.1.0 left behind: each game under way, one that is over and one open, made by the program of that time."""
GAMES = {
    "annuvin": ("3CRC4W", ["c:3CRC4W:6=a4", "more:3CRC4W:6"]),
    "real-queen": ("QWTVJK", ["c:QWTVJK:6=a", "more:QWTVJK:6"]),
    "fagocitare": ("NTYQXR", ["c:NTYQXR:6=b5", "more:NTYQXR:6"]),
    "uomo-nero": ("4MRK7V", ["c:4MRK7V:10=green", "more:4MRK7V:10"]),
    "vedova-nera": ("W3TPCN", ["c:W3TPCN:8=step", "more:W3TPCN:8"]),
}
"""The games under way, and buttons that their boards had."""
OVER, OPEN = "YCDGTK", "THFDDW"

TYPED = {
    "play": "game opponents seats computer computers board setup size clock rated hints join",
    "join": "code",
    "move": "move game",
    "board": "game text",
    "games": "",
    "hint": "game",
    "rematch": "game",
    "resign": "game",
    "undo": "game",
    "draw": "game",
    "pause": "game",
    "close": "game",
    "leaderboard": "game where least",
    "profile": "who",
    "history": "game",
    "replay": "code",
    "analyse": "code",
    "export": "code",
    "rules": "game",
    "learn": "game",
    "settings": "language theme boards threads challenges reminders playing text timezone quiet holiday for",
    "block": "people",
    "link": "code",
    "privacy": "",
    "help": "",
}
"""The commands of 0.1.0 with their parameters."""
PRESSED = """
c p text board show words resign resign! keep more undo hint hinted offer agree refuse off close join leave withdraw
start choose new post solo robot seat rematch rules learn lesson l example leaders profile history replay film sheet
export analyse analysed better privacy forget forget! keepme set
"""
"""What the buttons of 0.1.0 do."""
RUN = "serve health manager-link play replay verify render animate import backup restore check perft arena"
SET = """
DATABASE_URL DISCORD_SHARDS DISCORD_TOKEN TAVOLIERE_DATA_DIR TAVOLIERE_ERRORS_TO TAVOLIERE_LANGUAGE
TAVOLIERE_LOG_FORMAT TAVOLIERE_LOG_LEVEL TAVOLIERE_OPERATIONS_HOST TAVOLIERE_OPERATIONS_PORT TAVOLIERE_THINKERS
TAVOLIERE_WEB_HOST TAVOLIERE_WEB_NAMES TAVOLIERE_WEB_PORT TELEGRAM_API TELEGRAM_TOKEN TELEGRAM_WEBHOOK_HOST
TELEGRAM_WEBHOOK_PORT TELEGRAM_WEBHOOK_SECRET TELEGRAM_WEBHOOK_URL
"""
MEASURED = """
boards_due connected deliveries delivery_seconds discord_shards errors event_loop_busy_seconds
event_loop_stall_seconds games request_seconds requests searches_waiting unreadable_events
"""


def test_names_that_a_release_had_are_still_understood() -> None:
    parameters = {name: {each.name for each in parameters} for name, parameters in PARAMETERS.items()}
    assert {name: set(TYPED[name].split()) - parameters.get(name, set()) for name in TYPED} == {
        name: set() for name in TYPED
    }
    assert set(PRESSED.split()) <= set(load_presses())
    assert set(RUN.split()) <= set(SUBCOMMANDS)
    assert set(SET.split()) <= {str(field.validation_alias) for field in Settings.model_fields.values()}
    assert {f"tavoliere_{name}" for name in MEASURED.split()} <= {metric.name for metric in REGISTRY.collect()}


@pytest.fixture
async def old(tmp_path: Path) -> AsyncIterator[Party]:
    """The program of today on the database of a release."""
    path = tmp_path / "tavoliere.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(DATABASE.read_text(encoding="utf-8"))
    async with await Store.open(path) as store:
        party = Party(store)
        party.numbers = 1000  # no event has an id that one had in the database
        yield party
        await party.front.close()


@pytest.mark.parametrize("key", GAMES)
async def test_a_game_of_a_release_goes_on_from_its_old_board(old: Party, key: str) -> None:
    code, presses = GAMES[key]
    table = await old.table(code)
    assert table.row.game == key
    mover, before = table.name(present(table.mover)).lower(), table.row.revision
    out_of_date = words(await old.press(mover, "unknown"))
    assert out_of_date
    for press in presses:
        assert words(await old.press(mover, press)) != out_of_date
    table = await old.table(code)
    if table.row.revision == before:
        await old.play_first(code)
        table = await old.table(code)
    assert table.row.revision > before


async def test_an_invitation_of_a_release_can_be_accepted(old: Party) -> None:
    await old.press("anna", f"join:{OPEN}:1")
    assert (await old.table(OPEN)).row.status == "playing"


async def test_a_game_that_ended_in_a_release_is_kept_whole(old: Party) -> None:
    file = present(card(await old.say("anna", f"/export {OVER}")).file)
    assert verify(Record.from_text(file.content.decode())).seats == 2
    # The settings and the rating of then, too.
    profile = words(await old.say("anna", "/profile"))
    assert "Annuvin" in profile
    assert "partita" in profile, "Anna speaks Italian"
