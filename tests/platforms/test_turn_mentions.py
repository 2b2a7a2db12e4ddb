"""Each turn calls its player once, in its board or in a later message, however quickly the next one follows."""

from collections import Counter
from functools import partial
from typing import Any, Final

import pytest

from tests.platforms.room import Room, start_annuvin
from tests.support.interrupting import Interruptions
from tests.support.present import present

SEND: Final = "POST /channels/{channel_id}/messages"
GAMES: Final = 3
TURNS: Final = 5


async def play(room: Room, code: str) -> Any:
    """Have who is to move in a game play; return who it was."""
    table = await room.bot.tavoliere.context.table(code)
    mover = room.people[table.names[present(table.mover)]]
    await room.give_and_go_on(mover, "move", move=table.playing.state.legal_actions()[0].text, game=code)
    return mover


async def newest_code(room: Room) -> str:
    """Return the code of the newest game in the place."""
    where, store = room.place, room.bot.store
    place = await store.places.get_or_create(where.platform, where.channel, group=where.group)
    code: str = (await store.games.list_in_place(place.id))[0].id
    return code


async def check_calls(room: Room, code: str) -> None:
    """Check that a game's newest board is shown, calls who is to move, and is noted to have done so."""
    table = await room.bot.tavoliere.context.table(code)
    (post,) = await room.bot.store.posts.list_for_game(code)
    board = next(message for message in room.shown if str(message.id) == post.message)
    assert room.called(board) == [room.people[table.names[present(table.mover)]]]
    assert post.shown_revision == table.row.revision
    assert [each.delivered_at is None for each in await room.bot.store.notices.list_for_game(code)] == [False]


async def test_a_turn_made_while_a_board_is_written_is_called_out(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    interruptions = Interruptions(room.bot.store, monkeypatch, within="delivery")
    point, missed, was_reached = 0, list[str](), True
    while was_reached:
        mover, other = await start_annuvin(room)
        code, shown = await newest_code(room), len(room.shown)

        async def answer(code: str = code) -> None:
            await play(room, code)

        interruptions.arm(point, answer)
        await play(room, code)
        await room.bot.settle()
        await room.wait(minutes=1)
        was_reached = interruptions.disarm()
        called = Counter(person for message in room.shown[shown:] for person in room.called(message))
        if was_reached and (called[mover] != 1 or called[other] > 1):
            missed.append(f"point {point}: {called}")
        point += 1
        await room.wait(hours=1)
    assert point > 8
    assert missed == []


async def test_quick_turns_in_several_games_of_one_place_each_call_their_player(room: Room) -> None:
    limited = room.place.platform == "discord"
    if limited:
        # As many messages in some seconds, whatever game they are of, as there are games less one.
        room.discord.limits.set(SEND, GAMES - 1, per=5)
        room.discord.limits.turns = False

    def let_pass(seconds: float) -> None:
        room.bot.clock.turn(seconds=seconds)
        if limited:
            room.discord.clock.turn(seconds)

    codes = []
    for _ in range(GAMES):
        await start_annuvin(room)
        codes.append(await newest_code(room))
        let_pass(60)
        await room.wait()
    shown, played = len(room.shown), Counter[Any]()
    platform, operation = (room.discord, SEND) if limited else (room.telegram, "sendPhoto")
    for turn in range(TURNS):
        held = codes[turn % GAMES]
        async with platform.holding(operation) as gate:
            played[await play(room, held)] += 1
            await platform.until(partial(getattr, gate, "waiting"), "a board on its way")
            played[await play(room, held)] += 1
        for code in codes:
            if code != held:
                played[await play(room, code)] += 1
        for seconds in (0.7, 10, 30):
            let_pass(seconds)
            await room.wait()
        await check_calls(room, held)
    for _ in range(10):
        let_pass(30)
        await room.wait()
    assert not limited or room.discord.limits.refused
    called = Counter(person for message in room.shown[shown:] for person in room.called(message))
    for code in codes:
        await check_calls(room, code)
    # Who plays before their board is there is not called for that turn; nobody is called for one turn twice.
    assert all(0 < count <= played[person] + GAMES for person, count in called.items())
