"""Games against the computer, lessons and puzzles where the bot is no member: it can only answer each press."""

import pytest

from tests.bot.party import Quick
from tests.discord.harness import Scene
from tests.discord.players import payload_of
from tests.discord.test_guests import row
from tests.fakes.discord.people import Person
from tests.fakes.discord.world import Message


@pytest.fixture
def anna(scene: Scene) -> Person:
    """Somebody who has installed the bot for herself, on a server that it is no member of."""
    scene.bot.tavoliere.context.thinkers = Quick()
    return scene.person("Anna", here=scene.discord.guild("Elsewhere", has_bot=False).channels[0])


async def begun(scene: Scene, anna: Person, level: str = "1", game: str = "annuvin") -> Message:
    await scene.command(anna, "play", game=game, computer=level)
    (board,) = anna.private
    return board


def choices(message: Message) -> list[str]:
    return [part["label"] for part in message.pressable if payload_of(part).startswith("p:")]


async def turn(scene: Scene, anna: Person, board: Message) -> None:
    """Press until something has been played."""
    before = await row(scene, board)
    while (found := await row(scene, board)).revision == before.revision and found.status == "playing":
        part = next(part for part in board.pressable if payload_of(part).startswith("p:"))
        await scene.press_part(anna, board, part)


async def test_the_answer_is_the_board_and_every_press_shows_it_anew(scene: Scene, anna: Person) -> None:
    board = await begun(scene, anna)
    assert "it is your turn" in board.text
    assert board.picture is not None
    assert choices(board)
    for _ in range(3):
        before = await row(scene, board)
        await turn(scene, anna, board)
        after = await row(scene, board)
        assert after.turn == before.turn + 2, "the computer's turn is in the same answer"
        assert "Computer (level 1)" in board.text
        assert anna.private == [board]
    assert scene.discord.shown(anna.here) == []
    assert await scene.bot.store.posts.list_for_game(after.id) == []
    await scene.move(anna)
    assert (await row(scene, anna.newest_private)).turn == after.turn + 2, "it was typed"


async def test_a_whole_game_to_its_end_and_another(scene: Scene, anna: Person) -> None:
    board = await begun(scene, anna, game="fagocitare")
    first = await row(scene, board)
    await scene.press(anna, board, "Take back")
    assert "no move to take back" in anna.newest_private.text
    await turn(scene, anna, board)
    assert (await row(scene, board)).turn > first.turn
    await scene.press(anna, board, "Take back")
    assert (await row(scene, board)).position == first.position
    await scene.press(anna, board, "Resign")
    assert "Yes, resign" in board.labels
    await scene.press(anna, board, "No, play on")
    assert choices(board)
    await scene.press(anna, board, "Resign")
    await scene.press(anna, board, "Yes, resign")
    assert "wins" in board.text
    await scene.press(anna, board, "Share")
    assert f"/join {(await row(scene, board)).id}" in anna.newest_private.text
    await scene.press(anna, board, "Play again")
    again = await row(scene, board)
    assert again.id != first.id
    assert again.status == "playing"


async def test_a_game_is_chosen_from_the_list(scene: Scene, anna: Person) -> None:
    await scene.command(anna, "play")
    (menu,) = anna.private
    await scene.press(anna, menu, "Real Queen")
    assert "Look for players" not in menu.labels
    await scene.press(anna, menu, "Play the computer")
    assert "it is your turn" in menu.text
    assert (await row(scene, menu)).game == "real-queen"


async def test_people_and_open_seats_are_for_where_the_bot_is(scene: Scene, bruno: Person, anna: Person) -> None:
    await scene.command(anna, "play", game="annuvin", opponent=bruno.account)
    assert "only play the computer" in anna.newest_private.text
    await scene.command(anna, "play", game="vedova-nera", computer="1", seats=4, computers=1)
    assert "only play the computer" in anna.newest_private.text
    await scene.command(anna, "play", game="annuvin")
    assert choices(anna.newest_private) == []
    assert "Play the computer" in anna.newest_private.labels


async def test_an_old_message_becomes_the_board_as_it_is(scene: Scene, anna: Person) -> None:
    """A token lives for 15 minutes; a press of what has been there for longer brings a new one."""
    old = await begun(scene, anna)
    part, seen = next(part for part in old.pressable if payload_of(part).startswith("p:")), old.to_json()
    await turn(scene, anna, old)
    now = await row(scene, old)
    scene.discord.clock.turn(20 * 60)
    await scene.press_part(anna, old, part, seen)
    assert (await row(scene, old)).revision == now.revision
    assert "it is your turn" in old.text
    await scene.command(anna, "board")
    assert choices(anna.newest_private)
    await scene.bot.restart()
    scene.bot.tavoliere.context.thinkers = Quick()
    await turn(scene, anna, anna.newest_private)


async def test_with_several_computers_all_their_turns_are_in_the_answer(scene: Scene, anna: Person) -> None:
    await scene.command(anna, "play", game="vedova-nera", computer="1", seats=4)
    (board,) = anna.private
    found = await row(scene, board)
    assert found.status == "playing"
    assert not found.thinking
    assert choices(board)


async def test_lessons_are_answers(scene: Scene, anna: Person) -> None:
    await scene.command(anna, "learn", game="fagocitare")
    (lesson,) = anna.private
    assert "step 1 of 8" in lesson.text
    await scene.press(anna, lesson, "Skip this")
    assert "step 2 of 8" in lesson.text
    await scene.command(anna, "move", move="d4")
    assert "step 2 of 8" in anna.private[-1].text


async def test_puzzles_are_answers(scene: Scene, anna: Person) -> None:
    await scene.command(anna, "puzzle", game="annuvin")
    (board,) = anna.private
    await scene.press(anna, board, "Hint")
    assert "It begins on" in board.text or "Look at the cells" in board.text
    await scene.press(anna, board, "Solution")
    await scene.press(anna, board, "Yes, show it")
    assert "not solved" in board.text
    await scene.press(anna, board, "Next puzzle")
    assert "Hint" in board.labels or "Hint" in anna.private[-1].labels
