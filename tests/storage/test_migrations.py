"""Migrations: what people have stored survives them, also when they fail."""

import asyncio
import shutil
import signal
import sqlite3
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from alembic import util
from alembic.script import ScriptDirectory
from sqlalchemy import text

from storage import BrokenDatabase, NewerDatabase, NoDatabase, OlderDatabase, ShownPost, Store, Unwritable
from storage.addresses import database_file
from storage.migrate import alembic_config
from storage.schema import metadata
from tests.durability.process import Life
from tests.storage.populated import (
    connected,
    count_rows,
    downgrade,
    fill_store,
    find_differences,
    migrate,
    read_everything,
)
from tests.support.older import back_to
from tests.support.postgres import Postgres
from tests.support.present import present
from tests.support.stores import START, make_place, one_step, some_people, store_game

HEAD = ScriptDirectory.from_config(alembic_config()).get_current_head()

# On SQLite both tables, which many rows refer to, have to be copied.
ALTER = """
    with op.batch_alter_table("games") as table:
        table.add_column(sa.Column("mood", sa.Text(), nullable=False, server_default="good"))
        table.alter_column("seed_hash", new_column_name="seed_digest")
        table.alter_column("deadline", existing_type=sa.DateTime(timezone=True), nullable=True, comment=None)
        table.create_check_constraint("mood", "mood <> ''")
    with op.batch_alter_table("people") as table:
        table.create_check_constraint("name", "name <> 'nobody'")
"""
BACK = """
    with op.batch_alter_table("games") as table:
        table.alter_column("seed_digest", new_column_name="seed_hash")
"""


def a_step(directory: Path, body: str, number: str = "9001", before: str | None = HEAD) -> Path:
    """Return a directory with one more migration."""
    directory.mkdir(exist_ok=True)
    (directory / f"v{number}_test.py").write_text(
        f'"""A step."""\nimport os\nimport signal\nimport sqlalchemy as sa\nfrom alembic import op\n'
        f"revision = {number!r}\ndown_revision = {before!r}\n"
        f"def upgrade() -> None:\n{body}\n"
    )
    return directory


@pytest.fixture
def own_database() -> bool:
    """Each test changes the tables."""
    return True


@dataclass(frozen=True)
class Filled:
    """A database with something in every table, and what its store held when it was filled."""

    address: str
    contents: dict[str, Any]


@pytest.fixture(scope="module")
def whole_file(tmp_path_factory: pytest.TempPathFactory, empty_database: Path) -> Filled:
    """A filled SQLite file that tests copy."""
    address = f"sqlite:///{shutil.copy(empty_database, tmp_path_factory.mktemp('filled'))}"
    return Filled(address, asyncio.run(fill_store(address)))


@pytest.fixture(scope="module")
def whole_on_server(postgres: Postgres) -> tuple[str, dict[str, Any]]:
    """The name of a filled database of the server that tests copy, and what its store held."""
    name = asyncio.run(postgres.new_database())
    return name, asyncio.run(fill_store(postgres.address(name)))


@pytest.fixture
def filled_file(tmp_path: Path, whole_file: Filled) -> Filled:
    """A filled SQLite file of a test's own."""
    shutil.copy(present(database_file(whole_file.address)), tmp_path / "x.db")
    return replace(whole_file, address=f"sqlite:///{tmp_path / 'x.db'}")


@pytest.fixture(params=["sqlite", "postgresql"])
def filled(request: pytest.FixtureRequest) -> Filled:
    """A filled database of each kind."""
    if request.param == "sqlite":
        return request.getfixturevalue("filled_file")  # type: ignore[no-any-return]
    postgres: Postgres = request.getfixturevalue("postgres")
    template, contents = request.getfixturevalue("whole_on_server")
    return Filled(postgres.address(asyncio.run(postgres.new_database(template=template))), contents)


async def test_migrations_build_the_current_schema(address: str) -> None:
    await (await Store.open(address)).close()
    assert await find_differences(address) == []


async def test_a_populated_database_keeps_everything(filled: Filled, tmp_path: Path) -> None:
    address, before = filled.address, filled.contents
    counts = await count_rows(address)
    assert min(counts.values()) > 0
    steps = [a_step(tmp_path / "steps", ALTER), a_step(tmp_path / "more", BACK, "9002", "9001")]
    async with await Store.open(address, steps=steps) as store:
        assert await store.games.get(next(iter(before["games"]))) in before["games"].values()
        backup = store.backup
    assert await count_rows(address) == counts
    file = database_file(address)
    if file is None:
        assert backup is None
        return
    # The backup is the database as it was, which the older program can open.
    assert backup is not None
    assert backup.parent == file.parent
    assert await read_everything(f"sqlite:///{backup}") == before
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("SELECT DISTINCT mood FROM games").fetchall() == [("good",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


async def test_calls_promised_before_notices_existed_are_migrated(address: str) -> None:
    async with await Store.open(address) as store:
        place, people = await make_place(store), await some_people(store, "Ada", "Bob")
        due, shown, lobby = [await store_game(store, place, people) for _ in range(3)]
        for game in (due, shown):
            step = replace(game, status="playing", to_move=people[1].id)
            await store.posts.add(game.id, place.id, START)
            await store.games.commit(one_step(step))
        (post,) = await store.posts.list_for_game(shown.id)
        await store.posts.record_shown(post, ShownPost("m1", 1, 1), START)
        seats = tuple(replace(seat, state="invited") if seat.person == people[1].id else seat for seat in lobby.seats)
        await store.posts.add(lobby.id, place.id, START)
        await store.games.commit(one_step(replace(lobby, seats=seats)))
    # The database as the version before left it.
    await downgrade(address, "0008")
    async with await Store.open(address) as store:
        notices = {game.id: await store.notices.list_for_game(game.id) for game in (due, shown, lobby)}
        assert [(each.person, each.kind, each.route) for each in notices[due.id]] == [(people[1].id, "turn", None)]
        assert notices[shown.id] == []
        assert [(each.person, each.kind) for each in notices[lobby.id]] == [(people[1].id, "challenge")]
        assert [each.kind for each in await store.posts.list_for_game(due.id)] == ["board"]


async def test_people_met_in_shared_groups_can_get_direct_messages(address: str) -> None:
    met = {
        ("discord", "met"): ("channel", "group", False),
        ("discord", "wrote"): ("dm", "private", False),
        ("discord", "guest"): ("friends", "group", True),
        ("discord", "alone"): ("alone-alone", "private", False),
        ("telegram", "7"): ("7", "private", False),
        ("telegram", "8"): ("-100", "group", False),
    }
    async with await Store.open(address) as store:
        for (platform, user), (channel, kind, guest) in met.items():
            person = await store.people.identify(platform, user, user)
            place = await store.places.get_or_create(
                platform, channel, kind="private" if kind == "private" else "group", guest=guest
            )
            await store.places.record_seen(place.id, person.id, START)
    await downgrade(address, "0017")
    async with await Store.open(address) as store:
        known = [
            each
            for platform in ("discord", "telegram")
            for each in await store.people.identities_with_prefix(platform, "")
        ]
        assert {each.user_id for each in known if each.can_dm} == {"met", "wrote", "7"}
        assert {each.user_id for each in known if each.can_dm is None} == {"guest", "alone", "8"}


async def test_pictures_of_the_room_are_kept_once_each_from_the_newest_on(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    load = util.load_python_file

    def load_small(folder: str, name: str) -> ModuleType:
        """Load a migration; what is megabytes to that of the pictures is bytes here."""
        module = load(folder, name)
        if name.startswith("v0012"):
            monkeypatch.setattr(module, "MAX_BYTES", module.MAX_BYTES // 1024**2)
        return module

    monkeypatch.setattr(util, "load_python_file", load_small)
    large = [bytes([number]) * 15 for number in range(3)]
    async with await Store.open(address) as store:
        said = [await store.room.add_message(START, picture=b"x") for _ in range(5)]
    async with connected(address) as connection:
        for statement in back_to("0011", postgresql=database_file(address) is None):
            await connection.execute(text(statement))
        for message, png in zip(said, (large[0], large[1], b"x", large[2], large[2]), strict=True):
            put = text("INSERT INTO room_pictures (message, png) VALUES (:message, :png)")
            await connection.execute(put, {"message": message.id, "png": png})
    async with await Store.open(address) as store:
        shown = [await store.room.picture(message.id, None) for message in said]
        assert shown == [None, large[1], b"x", large[2], large[2]]
        found = [(each.picture is not None) for each in await store.room.list_messages(None)]
        assert found == [False, *[True] * 4]
    assert (await count_rows(address))["room_drawings"] == 3


async def test_a_database_of_a_newer_program_is_refused_and_left_alone(filled: Filled, tmp_path: Path) -> None:
    address = filled.address
    step = a_step(tmp_path / "steps", '    op.create_table("novelty", sa.Column("id", sa.Integer()))')
    await (await Store.open(address, steps=[step])).close()
    with pytest.raises(NewerDatabase) as caught:
        await Store.open(address)
    assert (caught.value.code, caught.value.params) == ("newer-database", {"found": "9001", "known": HEAD})
    await (await Store.open(address, steps=[step])).close()


async def test_open_current_changes_nothing(filled: Filled) -> None:
    address = filled.address
    async with await Store.open_current(address) as store:
        assert await store.games.list_ids()

    async def marked(version: str | None) -> None:
        async with connected(address) as connection:
            await connection.execute(text("UPDATE alembic_version SET version_num = :version"), {"version": version})

    for version, refusal in (("0006", OlderDatabase), ("9999", NewerDatabase)):
        await marked(version)
        with pytest.raises(refusal) as caught:
            await Store.open_current(address)
        assert caught.value.params == {"found": version, "known": HEAD}
    await marked(HEAD)
    assert await read_everything(address) == filled.contents
    async with connected(address) as connection:
        await connection.run_sync(metadata.drop_all)
        await connection.execute(text("DROP TABLE alembic_version"))
    with pytest.raises(NoDatabase):
        await Store.open_current(address)


def test_open_current_creates_no_file(tmp_path: Path) -> None:
    with pytest.raises(NoDatabase):
        asyncio.run(Store.open_current(tmp_path / "data" / "tavoliere.db"))
    assert list(tmp_path.iterdir()) == []


async def test_a_program_that_is_killed_while_migrating_changes_nothing(filled: Filled, tmp_path: Path) -> None:
    step = a_step(tmp_path / "steps", ALTER + "    os.kill(os.getpid(), signal.SIGKILL)")
    killed = await Life.start(migrate, filled.address, step)
    assert await killed.ended() == -signal.SIGKILL
    assert await read_everything(filled.address) == filled.contents
    await (await Store.open(filled.address, steps=[a_step(tmp_path / "steps", ALTER)])).close()


async def test_migration_that_breaks_references_is_rolled_back(filled_file: Filled, tmp_path: Path) -> None:
    address = filled_file.address
    step = a_step(tmp_path / "steps", "    op.execute('DELETE FROM people')")
    with pytest.raises(BrokenDatabase) as caught:
        await Store.open(address, steps=[step])
    assert caught.value.params["reason"] == "foreign-keys"
    assert "seats" in caught.value.params["tables"]
    assert await read_everything(address) == filled_file.contents
    await (await Store.open(address, steps=[a_step(tmp_path / "steps", ALTER)])).close()


async def test_leftovers_of_an_interrupted_migration_are_no_obstacle(filled_file: Filled, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "x.db")) as connection:
        connection.execute("CREATE TABLE _alembic_tmp_games (id TEXT)")
        connection.commit()
    await (await Store.open(filled_file.address, steps=[a_step(tmp_path / "steps", ALTER)])).close()
    with closing(sqlite3.connect(tmp_path / "x.db")) as connection:
        tables = connection.execute("SELECT name FROM sqlite_master WHERE name LIKE '@_alembic%' ESCAPE '@'").fetchall()
    assert tables == []


async def test_processes_that_start_together_migrate_once(filled: Filled, tmp_path: Path) -> None:
    step = a_step(tmp_path / "steps", ALTER + BACK)
    stores = await asyncio.gather(*(Store.open(filled.address, steps=[step]) for _ in range(4)))
    backups = [store.backup for store in stores if store.backup is not None]
    for store in stores:
        assert len(await store.people.find("Ada")) == 1
        await store.close()
    assert len(backups) == (0 if filled.address.startswith("postgresql") else 1)


async def test_processes_that_start_together_make_one_database(tmp_path: Path) -> None:
    stores = await asyncio.gather(*(Store.open(tmp_path / "new" / "x.db") for _ in range(4)))
    assert len({person.id for person in [(await some_people(store, "Ada"))[0] for store in stores]}) == 1
    for store in stores:
        await store.close()


async def test_opening_a_new_file_waits_for_another_writer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.db"
    # SQLite answers this one at once, however long a connection is ready to wait.
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    monkeypatch.setattr("storage.engines.time.sleep", lambda _: other.rollback())
    store = await Store.open(path)
    other.close()
    assert await some_people(store, "Ada")
    await store.close()


async def test_without_a_backup_nothing_is_migrated(filled_file: Filled, tmp_path: Path) -> None:
    # Something stands where the backup is written to.
    (tmp_path / "x.db.before-migration.part" / "in the way").mkdir(parents=True)
    with pytest.raises(Unwritable):
        await Store.open(filled_file.address, steps=[a_step(tmp_path / "steps", ALTER)])
    assert await read_everything(filled_file.address) == filled_file.contents


async def test_data_under_older_names_is_migrated_to_current_names(filled: Filled) -> None:
    address = filled.address

    async def read(what: str) -> list[tuple[object, ...]]:
        async with connected(address) as connection:
            return [tuple(row) for row in await connection.execute(text(what))]

    counts = await count_rows(address)
    slow = "SELECT person, game_key, pool, mu, sigma, wins, draws, losses FROM ratings WHERE pace = 'slow' ORDER BY 1"
    ratings = await read(slow)
    await downgrade(address, "0022")
    await (await Store.open(address)).close()
    # Ratings and results from before live games are the slow ones.
    assert await read(slow) == ratings != []
    for table in ("ratings", "results"):
        assert await read(f"SELECT DISTINCT pace FROM {table}") == [("slow",)]  # noqa: S608
    # What came later begins empty; of the posts, that of the month is gone, and of the ratings the live one.
    left = {"posts": counts["posts"] - 1, "ratings": counts["ratings"] - 1}
    assert await count_rows(address) == counts | left | dict.fromkeys(
        (
            "guesses",
            "guess_consents",
            "played_puzzles",
            "puzzle_sources",
            "clock_moves",
            "form_drafts",
            "team_invitations",
        ),
        0,
    )

    def roughly(contents: dict[str, Any]) -> dict[str, Any]:
        # When a board was shown last is known only roughly.
        posts = {game: [replace(post, shown_at=None) for post in shown] for game, shown in contents["posts"].items()}
        return {**contents, "posts": posts}

    assert roughly(await read_everything(address)) == roughly(filled.contents)
    assert await find_differences(address) == []


async def test_names_with_typographic_signs_are_found_after_the_migration(address: str) -> None:
    async with await Store.open(address) as store:
        person = await store.people.identify("discord", "17", "Mario D\u2019Rossi", at=START)
        other = await store.people.identify("discord", "18", 'Anna "la Rossa"', at=START)
    await downgrade(address, "0027")
    async with connected(address) as connection:
        await connection.execute(text("UPDATE identities SET name_key = lower(name)"))
    async with await Store.open(address) as store:
        assert await store.people.find("mario d'rossi") == [person]
        assert await store.people.find("Anna la Rossa") == [other]
