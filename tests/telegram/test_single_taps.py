"""A single tap on the open board that would move a piece of which there is only one: tapped again it does."""

from dataclasses import replace

from storage import GameChange, NewEvent
from tests.fakes.telegram.people import Person
from tests.support.present import present
from tests.telegram.harness import Scene


async def test_the_queen_comes_in_by_the_second_tap_on_the_same_cell(scene: Scene, anna: Person, bruno: Person) -> None:
    await scene.say(anna, f"/play real-queen @{bruno.account.username}")
    await scene.tap(bruno, scene.board, "Accept")
    (brief,) = await scene.bot.store.games.list_lobbies(1) or await scene.bot.store.games.list_in_place(1)
    game = present(await scene.bot.store.games.get(brief.id))
    assert game.position is not None
    bare = replace(game, position={**game.position, "pieces": [["a1"], ["g7"]], "reserve": [0, 0], "extra": {}})
    await scene.bot.store.games.commit(GameChange(game=bare, events=(NewEvent("laid"),), at=scene.bot.clock.now))
    scene.bot.tavoliere.delivery.wake()
    await scene.bot.settle()
    board, mover = scene.board, scene.mover
    assert "it is your queen that comes in" in board.text
    (label,) = [each for each in board.labels if each.endswith("e3")]
    first = await scene.tap(mover, board, label)
    assert (first.text or "").startswith("Bring in your queen on e3?")
    assert (first.text or "").endswith("Tap e3 once more, and it is done.")
    assert (await scene.bot.store.games.revision(game.id)) == game.revision + 1
    (other,) = [each for each in board.labels if each.endswith("d3")]
    assert "on d3?" in ((await scene.tap(mover, board, other)).text or ""), "another cell is asked about anew"
    await scene.tap(mover, board, other)
    assert "queen d3" in scene.board.text
    assert scene.mover is not mover
