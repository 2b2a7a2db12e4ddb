"""Playing: examples, old boards, those who press what is not theirs, resigning, what is for all to see, and teams."""

from typing import Any, Final

from structlog.testing import capture_logs

from storage.columns import PERSON_SETTINGS
from tests.platforms.room import Message, OnDiscord, Room, start_annuvin, suggested_move
from tests.support.present import present


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
    for name in ("help", "menu", "rules", "learn", "puzzle"):
        count = len(room.private(anna))
        await room.give(anna, name)
        assert len(room.private(anna)) == count + 1, name
    assert len(room.shown) == 1


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


async def test_people_enter_by_buttons_and_boards_come_where_they_are_played(room: Room) -> None:
    people = [room.member(name) for name in ("Anna", "Bruno", "Cora")]
    for person in people:
        await room.give(room.alone(person), "games")
    await room.give(people[0], "cup", game="annuvin", clock="1d", players=3)
    await begin_rounds(room)
    message = with_button(room, "Join")
    assert "Competition:" in message.text
    assert {"Table", "Run it"} <= {*message.labels}
    for person in people:
        await room.press(person, message, "Join")
        assert "You are in" in room.last_answer(person)
        await begin_rounds(room)
    assert "Join" not in message.labels
    assert "Round 1" in message.text
    assert room.called(message) == []
    if isinstance(room, OnDiscord):
        (thread,) = [present(each.thread) for each in room.shown if each.thread is not None]
        assert thread.name.startswith("Annuvin: ")
        (board,) = room.discord.shown(thread)
        assert len(board.pings) == 1
    else:
        assert sum(each.photo is not None for person in people for each in room.chat(person)) == 2


async def begin_rounds(room: Room) -> None:
    """Let a cup go on as far as it can, and have that shown."""
    await room.wait(seconds=6)
    await room.bot.tavoliere.jobs["cups"].run_until_idle()
    await room.wait(seconds=6)


UNKNOWN: Final = {"timezone": "Nowhere/Land", "language": "xx", "theme": "sepia", "notices": "pigeon", "side": "round"}
"""Names that some other machine may know."""
NAMES: Final = [name for name in PERSON_SETTINGS if name != "team"]
DAMAGED: Final[tuple[Any, ...]] = (7, "?", ["x"], {"x": "y"}, [99, -1])


async def test_settings_of_the_opponent_stop_nothing(room: Room) -> None:
    mover, other = await start_annuvin(room, clock="1d")
    store = room.bot.store
    people = {each.name: each.id for name in ("Anna", "Bruno") for each in await store.people.find(name)}
    (code,) = await store.games.list_ids()
    with capture_logs() as logs:
        for settings in (UNKNOWN, *(dict.fromkeys(NAMES, value) for value in DAMAGED)):
            stored = people["Anna" if other is room.member("Anna") else "Bruno"]
            await store.people.change_settings(stored, settings)
            shown = len(room.shown)
            state = (await room.bot.tavoliere.context.table(code)).playing.state
            await room.give(mover, "move", move=state.legal_actions()[0].text)
            (post,) = await store.posts.list_for_game(code)
            assert (post.shown_revision, post.attempts) == (post.revision, 0)
            assert len(room.shown) > shown
            assert room.called(room.shown[-1]) == [other]
            for command in ("leaderboard", "profile", "puzzle", "games"):
                await room.give(mover, command)
            await store.people.change_settings(stored, dict.fromkeys(settings))
            mover, other = other, mover
    assert [entry for entry in logs if entry["log_level"] == "error"] == []
