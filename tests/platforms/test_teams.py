"""A place plays as one team: turns are proposed where nobody else looks, and voted on below the board."""

from tests.platforms.room import Message, Room


async def counted(room: Room) -> None:
    """Let votes be shown, a round be closed, and the computer answer."""
    await room.wait(seconds=6)
    await room.bot.tavoliere.jobs["computers"].run_until_idle()
    await room.wait(minutes=1)


def with_button(room: Room, label: str) -> Message:
    """Return the newest message that all see with a button."""
    found: Message = next(message for message in reversed(room.shown) if label in message.labels)
    return found


async def test_a_place_proposes_unseen_and_votes_below_the_board(room: Room) -> None:
    anna, bruno = room.member("Anna"), room.member("Bruno")
    await room.give(bruno, "help")
    await room.give(anna, "team", game="annuvin", computer="1", quorum=2)
    await counted(room)
    board = with_button(room, "Propose a turn")
    assert "votes on its turn" in board.text
    shown = len(room.shown)
    await room.press(bruno, board, "Propose a turn")
    tried = room.private(bruno)[-1]
    assert "Only you see this board" in tried.text
    while "Propose this turn" not in tried.labels:
        await room.press(bruno, tried, room.choices(tried)[0])
        tried = room.private(bruno)[-1]
    await room.press(bruno, tried, "Propose this turn")
    assert "Proposed as A" in room.last_answer(bruno)
    assert len(room.shown) == shown
    await counted(room)
    await room.press(anna, with_button(room, "Vote A"), "Vote A")
    assert "Your vote is for A" in room.last_answer(anna)
    await counted(room)
    assert "2 of 2 votes" in room.board.text
