"""Who manages the room of the page may do everything there that is for its managers, and nobody else may."""

import pytest

from bot.kernel.permissions import Right
from bot.kernel.requests import Place
from tests.support.rights import is_refused, list_managed_presses, listen_to_replies, managed_lines, typed
from tests.web.hall import Hall, find_newest_button


async def test_managers_may_do_what_is_for_them_and_others_may_not(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    await hall.eve.browser.manage(hall.secret())
    carla = await hall.eve.browser.name("Carla")
    replies = listen_to_replies(monkeypatch)
    for name, values, right in managed_lines("web"):
        await hall.bruno.say(typed(name, values))
        assert is_refused(replies.last) or right is Right.DEPENDS, (name, values, replies.last)
        await carla.say(typed(name, values))
        assert not is_refused(replies.last), (name, values, replies.last)
    row = await hall.place()
    place = Place("web", row.channel, row.thread, row.group)
    for press in await list_managed_presses(hall.front, place):
        await hall.settled()
        for who, refused in ((hall.bruno, True), (carla, False)):
            message, _ = await find_newest_button(who, "")
            await who.press(message, press)
            assert is_refused(replies.last) is refused, (press, replies.last)
