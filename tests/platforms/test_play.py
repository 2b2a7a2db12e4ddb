"""Playing: examples, old boards, those who press what is not theirs, resigning, and what is for all to see."""

from tests.platforms.room import Room, start_annuvin, suggested_move


async def test_a_press_of_an_old_board_changes_nothing(room: Room) -> None:
    mover, other = await start_annuvin(room)
    board = room.board
    press = room.keep(board, room.choices(board)[0])
    await room.give(mover, "move", move=suggested_move(board))
    newest, text = room.board, room.board.text
    await press(mover)
    await room.wait()
    assert "moved on" in room.last_answer(mover)
    assert (room.board, room.board.text, room.mover) == (newest, text, other)


async def test_press_by_others_is_refused_privately(room: Room) -> None:
    _, other = await start_annuvin(room)
    stranger = room.member("Zoe", "it")
    board, before = room.board, [(each.text, each.labels) for each in room.shown]
    await room.press(other, board, room.choices(board)[0])
    assert "patience" in room.last_answer(other)
    await room.press(stranger, board, room.choices(board)[0])
    assert "Qui giocano" in room.last_answer(stranger)
    assert [(each.text, each.labels) for each in room.shown] == before


async def test_resigning_is_asked_and_ends_the_game(room: Room) -> None:
    mover, other = await start_annuvin(room)
    await room.give(mover, "resign")
    question = room.private(mover)[-1]
    await room.press(mover, question, "No, play on")
    assert question.labels == []
    await room.give(other, "resign")
    await room.press(other, room.private(other)[-1], "Yes, resign")
    assert f"{room.name(mover)} wins" in room.board.text
    assert room.called(room.board) == [mover], "who did not end the game is notified of its end"
    await room.press(other, room.board, "Leaderboard")
    assert "Leaderboard" in room.board.text


async def test_the_leaderboard_is_for_all_and_the_rest_private(room: Room) -> None:
    anna = room.member("Anna")
    await room.give(anna, "leaderboard")
    assert "Leaderboard" in room.board.text
    assert room.private(anna) == []
    for name in ("help", "menu", "rules", "learn"):
        count = len(room.private(anna))
        await room.give(anna, name)
        assert len(room.private(anna)) == count + 1, name
    assert len(room.shown) == 1
