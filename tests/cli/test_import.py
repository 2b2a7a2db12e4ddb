"""`tavoliere import`: a finished game goes into another database, once."""

import asyncio
import re
from pathlib import Path

import pytest

from bot.kernel.requests import Place, Request, User
from engine import games
from engine.record import Record
from storage import Store
from tests.bot.party import words
from tests.cli.conftest import Run
from tests.support.fronts import make_front
from tests.support.records import record_of

pytestmark = pytest.mark.usefixtures("new_database")


def record(run: Run, key: str, typed: str, *arguments: str) -> Record:
    run("play", key, "--names", "Anna,Bruno", "--record", "game.txt", *arguments, typed=typed)
    return Record.from_text(Path("game.txt").read_text(encoding="utf-8"))


async def asked(command: str, code: str) -> str:
    """Return what the bot answers about a game in the database of this folder."""
    async with await Store.open(Path("data/tavoliere.db")) as store:
        request = Request("1", User("web", "carla", "Carla"), Place("web", "room"))
        return words(await make_front(store).command(request, command, {"code": code}))


PLAYED = [("annuvin", "b1-b2\nb5-b4\n"), ("uomo-nero", "d13\n"), ("vedova-nera", "red\nblue\n")]


@pytest.mark.parametrize(("key", "moves"), [*((key, "") for key in games), *PLAYED])
def test_an_imported_game_can_be_looked_at(run: Run, key: str, moves: str) -> None:
    seats = games[key].seats[0]
    names = ",".join(("Anna", "Bruno", "Carla", "Dario", "Elena")[:seats])
    game = record(run, key, moves + "resign\n" * (seats - 1), "--names", names)
    assert game.game_id in run("import", "game.txt").success()
    answer = asyncio.run(asked("replay", game.game_id))
    assert str(len(list(game.turns()))) in answer


def test_imported_game_is_exported_unchanged_not_rated_and_imported_only_once(run: Run) -> None:
    game = record(run, "uomo-nero", "d13\nresign\n")
    run("import", "game.txt").success()

    async def stored() -> tuple[Record, list[bool]]:
        async with await Store.open(Path("data/tavoliere.db")) as store:
            context = make_front(store).context
            rated = [result.rated for result in await store.games.results_of(game.game_id)]
            return await record_of(context, await context.table(game.game_id)), rated

    assert asyncio.run(stored()) == (game, [False, False])
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


@pytest.mark.parametrize(("line", "value", "said"), [("Seed", "0" * 64, "seed"), ("Id", "something", "no game code")])
def test_import_refuses_a_record_with_a_wrong_seed_or_a_foreign_id(run: Run, line: str, value: str, said: str) -> None:
    text = record(run, "annuvin", "resign\n").to_text()
    Path("game.txt").write_text(re.sub(rf"(?m)^{line}: .*$", f"{line}: {value}", text), encoding="utf-8")
    assert said in run("import", "game.txt").refusal(1)


def test_a_game_of_computers_alone_is_refused_by_its_file(run: Run) -> None:
    record(run, "annuvin", "resign\n")
    run("play", "annuvin", "--computer", "1", "--computers", "2", "--record", "alone.txt", typed="")
    ran = run("import", "alone.txt", "game.txt")
    assert ran.code == 1
    assert "alone.txt: only computers play" in ran.err
    assert "game.txt: the game" in ran.out
