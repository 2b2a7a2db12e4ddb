"""`tavoliere import`: a finished game goes into another database, once."""

import asyncio
from pathlib import Path

import pytest

from bot.kernel.requests import Place, Request, User
from engine import games
from engine.record import Record
from storage import Store
from tests.cli.conftest import Run
from tests.support.fronts import make_front

pytestmark = pytest.mark.usefixtures("new_database")


def record(run: Run, key: str, typed: str, *arguments: str) -> Record:
    run("play", key, "--names", "Anna,Bruno", "--record", "game.txt", *arguments, typed=typed)
    return Record.from_text(Path("game.txt").read_text(encoding="utf-8"))


async def asked(command: str, code: str) -> str:
    """Return what the bot answers about a game in the database of this folder."""
    async with await Store.open(Path("data/tavoliere.db")) as store:
        bot = make_front(store)
        request = Request("1", User("web", "carla", "Carla"), Place("web", "room"))
        reply = await bot.command(request, command, {"code": code})
        assert reply.card is not None
        return "".join(span.text for span in reply.card.text)


PLAYED = [("annuvin", "b1-b2\nb5-b4\n"), ("uomo-nero", "d13\n"), ("vedova-nera", "red\nblue\n")]


@pytest.mark.parametrize(("key", "moves"), [*((key, "") for key in games), *PLAYED])
def test_an_imported_game_can_be_looked_at(run: Run, key: str, moves: str) -> None:
    seats = games[key].seats[0]
    names = ",".join(("Anna", "Bruno", "Carla", "Dario", "Elena")[:seats])
    game = record(run, key, moves + "resign\n" * (seats - 1), "--names", names)
    assert game.game_id in run("import", "game.txt").success()
    answer = asyncio.run(asked("replay", game.game_id))
    assert str(len(list(game.turns()))) in answer


def test_imported_game_is_exported_unchanged(run: Run) -> None:
    game = record(run, "uomo-nero", "d13\nresign\n")
    run("import", "game.txt")

    async def exported() -> Record:
        from tests.support.records import record_of

        async with await Store.open(Path("data/tavoliere.db")) as store:
            return await record_of((bot := make_front(store)).context, await bot.context.table(game.game_id))

    assert asyncio.run(exported()) == game


def test_imported_game_is_not_rated(run: Run) -> None:
    game = record(run, "annuvin", "resign\n")
    run("import", "game.txt")

    async def rated() -> list[bool]:
        async with await Store.open(Path("data/tavoliere.db")) as store:
            return [result.rated for result in await store.games.results_of(game.game_id)]

    assert asyncio.run(rated()) == [False, False]


def test_a_second_time_is_refused_and_changes_nothing(run: Run) -> None:
    record(run, "annuvin", "resign\n")
    assert run("import", "game.txt").code == 0
    assert "already" in run("import", "game.txt").refusal(1)


def test_one_bad_record_does_not_keep_the_others_out(run: Run) -> None:
    record(run, "annuvin", "resign\n")
    Path("bad.txt").write_text("no record")
    ran = run("import", "bad.txt", "game.txt")
    assert ran.code == 1
    assert "bad.txt" in ran.err
    assert "is in" in ran.out


def test_an_unfinished_game_is_refused(run: Run) -> None:
    record(run, "annuvin", "b1-b2\nquit\n")
    assert "goes on" in run("import", "game.txt").refusal(1)


def test_import_refuses_a_record_with_a_wrong_seed(run: Run) -> None:
    record(run, "annuvin", "resign\n")
    text = Path("game.txt").read_text(encoding="utf-8")
    seed = next(line for line in text.splitlines() if line.startswith("Seed:"))
    Path("game.txt").write_text(text.replace(seed, "Seed: " + "0" * 64), encoding="utf-8")
    assert "seed" in run("import", "game.txt").refusal(1)


def test_a_foreign_id_is_refused(run: Run) -> None:
    record(run, "annuvin", "resign\n")
    text = Path("game.txt").read_text(encoding="utf-8")
    line = next(line for line in text.splitlines() if line.startswith("Id:"))
    Path("game.txt").write_text(text.replace(line, "Id: something"), encoding="utf-8")
    assert "no game code" in run("import", "game.txt").err


def test_a_game_of_computers_alone_is_refused_by_its_file(run: Run) -> None:
    record(run, "annuvin", "resign\n")
    run("play", "annuvin", "--computer", "1", "--computers", "2", "--record", "alone.txt", typed="")
    ran = run("import", "alone.txt", "game.txt")
    assert ran.code == 1
    assert "alone.txt: only computers play" in ran.err
    assert "game.txt: the game" in ran.out
