"""A single tap on the open board that would move a piece of which there is only one: tapped again it does."""

from tests.fakes.telegram.people import Person
from tests.telegram.harness import Scene


async def test_the_queen_comes_in_by_the_second_tap_on_the_same_cell(scene: Scene, anna: Person, bruno: Person) -> None:
    await scene.say(anna, f"/play real-queen @{bruno.account.username}")
    await scene.tap(bruno, scene.board, "Accept")
    game = await scene.lay(pieces=[["a1"], ["g7"]], reserve=[0, 0], extra={})
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
