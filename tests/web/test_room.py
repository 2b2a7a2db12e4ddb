"""The room as the adapter that boards are delivered by, and what it remembers over a restart."""

import re
from io import BytesIO

import pytest
from PIL import Image

from bot.kernel.cards import Animation, Card, Picture
from bot.kernel.operations.clock import Clock
from bot.kernel.requests import Place, TryLater, Undeliverable
from bot.kernel.texts import Texts
from bot.platforms.web.present import PicturePart, find_stored_part, message_to_json
from bot.platforms.web.room import ROOM_PLACE, ChatRoom
from storage import ShownPost, Store, Unavailable
from tests.support.present import present
from tests.support.stores import START, add_post, some_people, store_game
from tests.web.front import PNG, board_card, make_card


async def test_the_same_key_makes_one_message(room: ChatRoom, store: Store) -> None:
    one = await room.send(ROOM_PLACE, make_card("once"), "key1")
    assert await room.send(ROOM_PLACE, make_card("once"), "key1") == one
    assert await room.send(ROOM_PLACE, make_card("again"), "key2") != one
    assert [each.text for each in await store.room.list_messages(None)] == ["once", "again"]
    # The program may have died before it recorded the message, and the game may have changed since then.
    assert await room.send(ROOM_PLACE, board_card("once"), "key1") == one
    stored, other = await store.room.list_messages(None)
    assert (bool(present(stored.card)["rows"]), stored.edited_at is None, other.edited_at) == (True, False, None)


async def test_an_edit_replaces_text_buttons_and_picture(room: ChatRoom, store: Store) -> None:
    message = await room.send(ROOM_PLACE, board_card("first"), "key1")
    await room.edit(ROOM_PLACE, message, make_card("second"))
    (stored,) = await store.room.list_messages(None)
    assert (stored.text, stored.picture) == ("second", None)
    assert stored.card is not None
    assert (stored.card["rows"], stored.card["picture"]) == ([], None)
    await room.edit(ROOM_PLACE, message, board_card("third", png=PNG + b"x"))
    assert await store.room.picture(int(message), None) == PNG + b"x"


async def test_deleted_messages_and_unknown_channels_are_undeliverable(room: ChatRoom) -> None:
    message = await room.send(ROOM_PLACE, make_card("here"), "key1")
    await room.retire(ROOM_PLACE, message, remove=True)
    for wrong in (message, "999", "x", ""):
        with pytest.raises(Undeliverable, match="message-gone"):
            await room.edit(ROOM_PLACE, wrong, make_card("there"))
        with pytest.raises(Undeliverable, match="message-gone"):
            await room.retire(ROOM_PLACE, wrong, remove=False)
    with pytest.raises(Undeliverable, match="channel-gone"):
        await room.send(Place("web", "elsewhere"), make_card("there"), "key2")


async def test_a_lost_database_is_waited_for(room: ChatRoom, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*_: object, **__: object) -> None:
        raise Unavailable

    monkeypatch.setattr(store.room, "add_message", fail)
    with pytest.raises(TryLater):
        await room.send(ROOM_PLACE, make_card("later"), "key1")


async def test_a_board_keeps_its_picture_when_it_retires(room: ChatRoom, store: Store) -> None:
    (anna,) = await some_people(store, "Anna")
    message = await room.send(ROOM_PLACE, board_card(mention=anna.id), "key1")
    assert [(number, card["calls"]) for number, card in room.all_mentions()] == [(int(message), [anna.id])]
    await room.retire(ROOM_PLACE, message, remove=False)
    assert (room.all_mentions(), await store.room.picture(int(message), None)) == ([], PNG)
    await room.retire(ROOM_PLACE, message, remove=False)
    (stored,) = await store.room.list_messages(None)
    assert stored.card is not None
    assert stored.card["retired"]
    assert stored.card["picture"]["alt"] == "A board: a1 is white."


async def test_waiting_boards_are_known_after_a_restart(room: ChatRoom, store: Store) -> None:
    people = await some_people(store, "Anna", "Bruno")
    place = await room.place()
    game = await store_game(store, place, people)
    post = await add_post(store, game.id, place.id, START)
    message = await room.send(ROOM_PLACE, board_card(mention=people[1].id), "key1")
    await store.posts.record_shown(post, ShownPost(message, game.revision, 1), START)
    again = ChatRoom(store, Clock())
    await again.restore()
    assert [(number, card["calls"]) for number, card in again.all_mentions()] == [(int(message), [people[1].id])]
    assert again.mentioned_people() == {people[1].id}


async def test_an_animation_is_kept_behind_its_still(room: ChatRoom, store: Store) -> None:
    gif = b"GIF89a and so on"
    picture = Picture(PNG, "A game.", "a.png", (900, 1000), animation=Animation(gif, "a.gif", (450, 500)))
    moving = int(await room.send(ROOM_PLACE, Card((), picture), "key1"))
    (message,) = await store.room.list_messages(None)
    shown = message_to_json(message, None, Texts().speaker("en"))["card"]["picture"]
    assert re.fullmatch(rf"/pictures/{moving}/\w+\.gif", shown["url"])
    assert (shown["width"], shown["height"]) == (450, 500)
    assert shown["still"]["url"].endswith(".png")
    assert (shown["still"]["width"], shown["still"]["height"], shown["alt"]) == (900, 1000, "A game.")
    resting = int(await room.send(ROOM_PLACE, board_card(), "key2"))
    assert (await room.picture(moving, None), await room.picture(moving, None, "gif")) == (PNG, gif)
    assert (await room.picture(resting, None), await room.picture(resting, None, "gif")) == (PNG, None)
    assert (await room.picture(999, None), await room.picture(999, None, "gif")) == (None, None)
    await room.edit(ROOM_PLACE, str(moving), board_card())
    assert await room.picture(moving, None, "gif") is None


async def test_a_picture_for_all_is_shown_as_each_screen_wants_it(room: ChatRoom, store: Store) -> None:
    file = BytesIO()
    Image.new("RGB", (2, 1)).save(file, "PNG")
    picture = Picture(PNG, "Places.", "a.png", (900, 300), dark=file.getvalue())
    number = int(await room.send(ROOM_PLACE, Card((), picture), "key1"))
    (message,) = await store.room.list_messages(None)
    shown = message_to_json(message, None, Texts().speaker("en"))["card"]["picture"]
    parts = {}
    for address in (shown["url"], shown["dark"]):
        digest = address.removeprefix(f"/pictures/{number}/").removesuffix(".png")
        part: PicturePart = present(find_stored_part(message, digest, moving=False))
        parts[part] = await room.picture(number, None, part)
    assert parts == {"png": PNG, "dark": file.getvalue()}
    assert find_stored_part(message, "0" * 16, moving=False) is None
