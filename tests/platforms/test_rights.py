"""Who manages a place may do everything there that is for its managers, and nobody else may."""

import pytest

from bot.kernel.permissions import Right
from tests.platforms.room import OnDiscord, OnTelegram, Room
from tests.support.rights import NAMELESS, is_refused, list_managed_presses, listen_to_replies, managed_lines, typed


async def test_managers_may_do_what_is_for_them_and_others_may_not(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    anna, bruno = room.member("Anna"), room.member("Bruno")
    room.make_manager(anna)
    replies = listen_to_replies(monkeypatch)
    for name, values, right in managed_lines(room.place.platform):
        options = {key: int(value) if value.isdecimal() else value for key, value in values.items()}
        if isinstance(room, OnDiscord):
            # A server may show everybody what is hidden from them at first.
            room.discord.commands[name]["default_member_permissions"] = None
            if "@nobody" in values.values():
                continue  # there people are chosen, not typed
        await room.give(bruno, name, **options)
        assert is_refused(replies.last) or right is Right.DEPENDS, (name, values, replies.last)
        await room.give(anna, name, **options)
        assert not is_refused(replies.last), (name, values, replies.last)
        if isinstance(room, OnTelegram):
            await room.say_anonymously(anna, typed(name, values))
            assert not is_refused(replies.last), (name, values, replies.last)
            assert NAMELESS not in replies.last, (name, values, replies.last)
    presses = await list_managed_presses(room.bot.tavoliere, room.place)
    await room.give(anna, "play", game="annuvin")
    for press in presses:
        for who, refused in ((bruno, True), (anna, False)):
            await room.press_payload(who, press)
            assert is_refused(replies.last) is refused, (press, replies.last)
