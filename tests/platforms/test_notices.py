"""Who is called: exactly those whom a notice is for, once each, and nobody by an edit."""

from typing import Any

from tests.platforms.room import Room, start_annuvin, suggested_move


async def play_with_all_notices(room: Room) -> tuple[Any, Any]:
    """Have a game with an offer, a reminder and an end; return the player who ends it, and the other."""
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
    return mover, other


async def test_a_game_calls_each_once_for_each_subject(room: Room) -> None:
    mover, other = await play_with_all_notices(room)
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
