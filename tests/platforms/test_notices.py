"""Who is called: exactly those whom a notice is for, once each, and nobody by an edit, however quickly turns follow."""

from collections import Counter
from functools import partial
from typing import Any, Final

import pytest

from tests.platforms.room import Room, start_annuvin, suggested_move
from tests.support.interrupting import Interruptions
from tests.support.present import present


async def test_a_game_calls_each_once_for_each_subject(room: Room) -> None:
    mover, other = await start_annuvin(room, clock="1h")
    await room.give(mover, "move", move=suggested_move(room.board))
    await room.give(mover, "draw")
    offer = room.shown[-1]
    assert offer.labels == ["Agree: draw", "No draw"]
    await room.press(other, offer, "No draw")
    assert offer.labels == []
    for _ in range(29):
        # In steps: longer without a beat, and it would have been down.
        room.bot.clock.turn(seconds=110)
        await room.bot.tavoliere.alarms.tick()
    await room.wait()
    await room.give(mover, "resign")
    await room.press(mover, room.private(mover)[-1], "Yes, resign")
    # The challenge, two turns, the offer, the reminder, and the end.
    called = [room.called(message) for message in room.shown if room.called(message)]
    assert called == [[room.member("Bruno")], [mover], [other], [other], [other], [other]]


async def test_who_wants_no_notice_is_called_by_nothing_at_all(room: Room) -> None:
    anna, bruno = room.member("Anna"), room.member("Bruno")
    for person in (anna, bruno):
        await room.give(person, "settings", notices="none")
    await room.give(anna, "play", game="annuvin", opponent=bruno)
    await room.press(bruno, room.board, "Accept")
    move = suggested_move(room.board)
    for person in (anna, bruno):
        await room.give(person, "move", move=move)
        await room.give(person, "draw")
    assert [room.called(message) for message in room.shown if room.called(message)] == []


async def test_an_accepted_challenge_is_nowhere_said_to_be_unanswered(room: Room) -> None:
    anna, bruno = room.member("Anna"), room.member("Bruno")
    await room.give(bruno, "settings", notices="private")
    await room.give(anna, "play", game="annuvin", opponent=bruno)
    await room.press(bruno, room.board, "Accept")
    texts = [message.text for message in (*room.shown, *room.chat(bruno))]
    assert sum("challenges" in text for text in texts) == 1, "in private"
    assert sum("the game has begun" in text for text in texts) == 1, "in the place"
    assert not any("answered" in text for text in texts)


async def test_in_private_and_where_that_is_closed_in_the_place(room: Room) -> None:
    anna, bruno = room.member("Anna"), room.member("Bruno")
    for person in (anna, bruno):
        await room.give(person, "settings", notices="private")
    await room.give(anna, "play", game="annuvin", opponent=bruno)
    assert room.called(room.board) == []
    assert "challenges" in room.chat(bruno)[-1].text
    with room.closing(bruno):
        await room.give(anna, "play", game="real-queen", opponent=bruno)
    assert room.called(room.board) == [bruno]


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
        # It comes also while the database is looked through for what is due.
        room.bot.tavoliere.delivery.wake()
        await room.bot.settle()
        room.bot.tavoliere.delivery.wake()
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
