"""The conversation of the local chat page."""

import asyncio
from typing import Any

import pytest
from sqlalchemy import text

from storage import Person, Store
from tests.storage.populated import connected
from tests.support.present import present
from tests.support.stores import START, time_after

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))


def make_card(text: str) -> dict[str, Any]:
    return {"text": [{"text": text}], "picture": None, "rows": [], "presses": {}, "calls": []}


async def test_a_conversation_is_kept_in_its_order(store: Store, ada: Person) -> None:
    said = [
        await store.room.add_message(START, author=ada.id, text="ciao"),
        await store.room.add_message(time_after(minutes=1), card=make_card("benvenuta"), picture=PNG),
        await store.room.add_message(time_after(minutes=3), text="è tutto"),
    ]
    first = said[0]
    assert (first.author, first.text, first.card, first.picture) == (ada.id, "ciao", None, None)
    assert (first.created_at, first.edited_at, first.deleted, first.change) == (START, None, False, 1)
    assert [message.change for message in said] == [1, 2, 3]
    assert await store.room.list_messages(None) == said
    assert await store.room.list_messages(None, limit=2) == said[1:]
    assert await store.room.list_messages(None, before=said[2].id, limit=1) == [said[1]]
    assert await store.room.get(said[2].id) == said[2]
    assert await store.room.get(999) is None
    assert await store.room.picture(said[1].id, None) == PNG
    assert await store.room.picture(first.id, None) is None


async def test_private_messages_are_shown_to_one_person_only(store: Store, ada: Person, bob: Person) -> None:
    public = await store.room.add_message(START, text="for all")
    private = await store.room.add_message(START, recipient=ada.id, text="for Ada", picture=PNG)
    assert await store.room.list_messages(ada.id) == [public, private]
    assert await store.room.changes_since(0, 9) == [public, private]
    assert await store.room.picture(private.id, ada.id) == PNG
    for viewer in (bob.id, None):
        assert await store.room.list_messages(viewer) == [public]
        assert await store.room.picture(private.id, viewer) is None


async def test_a_browser_learns_what_changed_since(store: Store) -> None:
    assert await store.room.last_change() == 0
    messages = [await store.room.add_message(START, text=f"{n}") for n in range(3)]
    seen = await store.room.last_change()
    assert seen == 3
    assert await store.room.changes_since(seen, 9) == []
    edited = present(await store.room.update_message(messages[0].id, time_after(minutes=1), text="new", picture=PNG))
    deleted = present(await store.room.delete_message(messages[2].id, time_after(minutes=2)))
    added = await store.room.add_message(time_after(minutes=3), text="last")
    assert [edited.change, deleted.change, added.change] == [4, 5, 6]
    assert await store.room.changes_since(seen, 9) == [edited, deleted, added]
    assert await store.room.changes_since(seen, 1) == [edited]
    assert await store.room.last_change() == 6
    assert await store.room.list_messages(None) == [edited, messages[1], added]


async def test_an_edit_replaces_text_card_and_picture(store: Store) -> None:
    message = await store.room.add_message(START, card=make_card("1"), picture=PNG)
    edited = present(
        await store.room.update_message(message.id, time_after(minutes=1), card=make_card("2"), picture=PNG + b"2")
    )
    assert (edited.id, edited.card, edited.edited_at) == (message.id, make_card("2"), time_after(minutes=1))
    assert edited.picture != message.picture
    assert await store.room.picture(message.id, None) == PNG + b"2"
    plain = present(await store.room.update_message(message.id, time_after(minutes=2), text="no picture"))
    assert (plain.text, plain.card, plain.picture) == ("no picture", None, None)
    assert await store.room.picture(message.id, None) is None


async def test_a_deleted_message_is_empty_and_stays_deleted(store: Store) -> None:
    message = await store.room.add_message(START, text="oops", card=make_card("1"), picture=PNG)
    deleted = present(await store.room.delete_message(message.id, time_after(minutes=1)))
    assert (deleted.deleted, deleted.text, deleted.card, deleted.picture) == (True, "", None, None)
    assert await store.room.picture(message.id, None) is None
    assert await store.room.delete_message(message.id, time_after(minutes=2)) is None
    assert await store.room.update_message(message.id, time_after(minutes=2), text="back") is None
    assert await store.room.update_message(999, START, text="nothing") is None
    assert await store.room.delete_message(999, START) is None
    assert await store.room.get(message.id) == deleted


async def test_messages_with_the_same_key_are_stored_once(store: Store) -> None:
    first = await store.room.add_message(START, text="board", key="post:1")
    assert await store.room.add_message(time_after(minutes=1), text="board again", key="post:1") == first
    assert len(await store.room.list_messages(None)) == 1


async def test_changes_made_at_once_get_different_numbers_without_gaps(store: Store) -> None:
    said = await asyncio.gather(*(store.room.add_message(START, text=f"{n}") for n in range(10)))
    assert sorted(message.change for message in said) == list(range(1, 11))
    assert [message.change for message in await store.room.changes_since(0, 99)] == list(range(1, 11))


async def test_the_same_drawing_is_kept_once_and_as_long_as_a_message_shows_it(address: str) -> None:
    async with await Store.open(address) as store:
        said = [await store.room.add_message(START, picture=PNG) for _ in range(3)]
        assert await drawn(address) == (1, len(PNG))
        await store.room.delete_message(said[0].id, START)
        await store.room.update_message(said[1].id, START, text="no picture")
        assert await store.room.picture(said[2].id, None) == PNG
        await store.room.update_message(said[2].id, START, picture=PNG + b"x")
        assert await drawn(address) == (1, len(PNG) + 1)
        await store.room.delete_old_messages(0, 0)
        assert await drawn(address) == (0, 0)


async def test_picture_limit_deletes_the_oldest(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("storage.room.MAX_BYTES", 3000)
    first, second, third = [await store.room.add_message(START, picture=bytes([number]) * 1000) for number in range(3)]
    await store.room.update_message(first.id, START, picture=bytes([0]) * 1000)
    fourth = await store.room.add_message(START, picture=b"3" * 1000)
    shown = {each.id: each.picture is not None for each in await store.room.list_messages(None)}
    assert shown == {first.id: True, second.id: False, third.id: True, fourth.id: True}
    assert await store.room.picture(second.id, None) is None
    large = await store.room.add_message(START, picture=b"4" * 5000)
    assert await store.room.picture(large.id, None) == b"4" * 5000
    assert [each.id for each in await store.room.list_messages(None) if each.picture is not None] == [large.id]


async def drawn(address: str) -> tuple[int, int]:
    """Return how many drawings are kept, and how many bytes that are."""
    async with connected(address) as connection:
        query = text("SELECT count(*), coalesce(sum(size), 0) FROM room_drawings")
        (found,) = (await connection.execute(query)).all()
    return int(found[0]), int(found[1])
