"""What a released version has stored, shown and taught people goes on: names that they use, databases, buttons."""

import asyncio
import shutil
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest

from bot.__main__ import COMMANDS as SUBCOMMANDS
from bot.kernel.cards import Card
from bot.kernel.features import load_presses
from bot.kernel.operations.metrics import REGISTRY
from bot.kernel.operations.settings import Settings
from bot.kernel.requests import Place
from bot.platforms.app import PARAMETERS
from engine.record import Record, verify
from storage import Store
from tests.bot.party import Party, Shown, card, words
from tests.support.present import present
from tests.support.stores import list_posts_in

RELEASED = Path(__file__).parent / "released"
GAMES = {
    "annuvin": ("3CRC4W", ["c:3CRC4W:6=a4", "more:3CRC4W:6"]),
    "real-queen": ("QWTVJK", ["c:QWTVJK:6=a", "more:QWTVJK:6"]),
    "fagocitare": ("NTYQXR", ["c:NTYQXR:6=b5", "more:NTYQXR:6"]),
    "uomo-nero": ("4MRK7V", ["c:4MRK7V:10=green", "more:4MRK7V:10"]),
    "vedova-nera": ("W3TPCN", ["c:W3TPCN:8=step", "more:W3TPCN:8"]),
}
"""The games under way that 0.1.0 left behind, and buttons that their boards had."""
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


@pytest.fixture(scope="module")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """What each release has left behind, in the tables of today: the first that asks has it migrated."""
    folder, found = tmp_path_factory.mktemp("released"), dict[str, Path]()

    async def migrate(path: Path) -> None:
        await (await Store.open(path)).close()

    for script in RELEASED.glob("*.sql"):
        path = found[script.stem] = folder / f"{script.stem}.db"
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript(script.read_text(encoding="utf-8"))
        asyncio.run(migrate(path))
    return found


@asynccontextmanager
async def open_copy(migrated: Path, path: Path) -> AsyncIterator[Party]:
    """The program of today on a copy of the database of a release."""
    shutil.copy(migrated, path)
    async with await Store.open(path) as store, Party(store) as party:
        party.numbers = 1000  # no event has an id that one had in the database
        yield party


@pytest.fixture
async def old(tmp_path: Path, migrated: dict[str, Path]) -> AsyncIterator[Party]:
    async with open_copy(migrated["0.1.0"], tmp_path / "tavoliere.db") as party:
        yield party


@pytest.mark.parametrize("key", GAMES)
async def test_a_game_of_a_release_goes_on_from_its_old_board(old: Party, key: str) -> None:
    code, presses = GAMES[key]
    table = await old.table(code)
    assert table.row.game == key
    mover, before = table.names[present(table.mover)].lower(), table.row.revision
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


async def test_an_event_that_a_release_has_handled_gets_its_answer_again(old: Party) -> None:
    again = await old.say("anna", "/play annuvin @bruno", event="event-1")
    assert words(again).startswith("New to Annuvin? Learn it in three minutes")
    assert (len(card(again).rows), again.update, again.secret) == (1, True, False)
    assert await old.store.games.revision(OVER) == 6


async def test_a_game_that_ended_in_a_release_is_kept_whole(old: Party) -> None:
    file = present(card(await old.say("anna", f"/export {OVER}")).file)
    assert verify(Record.from_text(file.content.decode())).seats == 2
    # The settings and the rating of then, too.
    profile = words(await old.say("anna", "/profile"))
    assert "Annuvin" in profile
    assert "partita" in profile, "Anna speaks Italian"


SHOWN = {
    "m2": ("room", "board", "bruno", "c:QM9NF7:4=b1", "Where to from b1?"),
    "m3": ("room", "offer", "anna", "agree:QM9NF7:4=draw", ""),
    "m4": ("hall", "board", "anna", "join:FRV9TJ:1", "New to Fagocitare?"),
    "m5": ("hall", "cup", "bruno", "cup=join.NT7J4W", "You are in"),
    "m6": ("yard", "daily", "bruno", "puzzle:PUZZLES:0=fagocitare-73954a0bf5", "Fagocitare"),
    "m7": ("yard", "board", "dario", "join:PFHQNP:1", "New to Annuvin?"),
}
"""What stood where in 0.2.0: a board, its offer, a lobby, a competition, a puzzle, a challenge; and a press of each."""


@pytest.fixture
async def newer(tmp_path: Path, migrated: dict[str, Path]) -> AsyncIterator[Party]:
    """The program of today on what 0.2.0 left behind in the middle of telling Dario that he is challenged."""
    async with open_copy(migrated["0.2.0"], tmp_path / "tavoliere.db") as party:
        for message, (channel, *_) in SHOWN.items():
            party.adapter.messages[message] = Shown(Place("web", channel), Card(()), message)
        party.adapter.sent = 100
        yield party


async def test_what_a_release_showed_stands_after_the_migration_and_its_notice_comes(newer: Party) -> None:
    await newer.settle()
    for message, (channel, kind, *_) in SHOWN.items():
        place = await newer.store.places.get_or_create("web", channel)
        standing = await list_posts_in(newer.store, place.id, kind)
        assert message in [each.message for each in standing if not each.gone]
    await newer.wait(minutes=1)
    (sent,) = [each for message, each in newer.adapter.messages.items() if message not in SHOWN]
    assert (sent.place.channel, "challenges" in sent.text) == ("@dario", True)
    assert not [each for message, each in newer.adapter.messages.items() if each.retired]


@pytest.mark.parametrize("message", SHOWN)
async def test_what_a_release_showed_goes_on_from_its_buttons(newer: Party, message: str) -> None:
    channel, _, who, press, said = SHOWN[message]
    reply = words(await newer.press(who, press, message=message, place=Place("web", channel)))
    assert said in reply
    assert "moved on" not in reply
    statuses = {"m3": ("QM9NF7", "over"), "m4": ("FRV9TJ", "playing"), "m7": ("PFHQNP", "playing")}
    code, status = statuses.get(message, ("QM9NF7", "playing"))
    assert (await newer.table(code)).row.status == status
