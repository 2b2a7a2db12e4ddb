"""Pictures are for those who may see them: for browsers with a name, by an address that has the picture's digest."""

import re

import pytest

from bot.kernel.requests import Reply
from bot.platforms.web.room import ROOM_PLACE, ChatRoom
from tests.web.browser import Tab, Two
from tests.web.front import PNG, FakeFront, board_card, make_headline, make_sight


async def shown(tab: Tab) -> str:
    """Return the address of the newest picture that somebody sees."""
    urls = [message["card"]["picture"]["url"] for message in await tab.sees() if message["card"].get("picture")]
    return str(urls[-1])


async def test_public_picture_needs_a_name(browsers: Two, anna: Tab, room: ChatRoom) -> None:
    await room.send(ROOM_PLACE, board_card(), "k1")
    address = await shown(anna)
    assert (await browsers[0].get(address)).data == PNG
    stranger = await browsers[1].get(address)
    assert (stranger.status, stranger.refusal) == (404, "no-such-message")
    await browsers[1].name("Bruno")
    assert (await browsers[1].get(address)).data == PNG


async def test_counting_numbers_finds_nothing(browsers: Two, anna: Tab, room: ChatRoom) -> None:
    for number in range(3):
        await room.send(ROOM_PLACE, board_card(), f"k{number}")
    number, digest = re.findall(r"\w+", await shown(anna))[1:3]
    for browser in browsers:
        for other in range(1, int(number) + 3):
            for guess in ("0" * 16, "x", digest[:-1], digest.upper() + "0"):
                assert (await browser.get(f"/pictures/{other}/{guess}.png")).status == 404
                assert (await browser.get(f"/pictures/{other}/{guess}.gif")).status == 404


async def test_a_private_picture_is_for_its_one_reader(browsers: Two, anna: Tab, bruno: Tab, front: FakeFront) -> None:
    front.replies["/rules"] = Reply(board_card(), private=True, apart=True)
    await anna.say("/rules")
    address = await shown(anna)
    assert ((await browsers[0].get(address)).data, (await browsers[1].get(address)).status) == (PNG, 404)
    assert bruno.person != anna.person


@pytest.mark.parametrize("of", ["nobody", "another"])
async def test_personal_picture_needs_a_name_of_the_same_browser(browsers: Two, front: FakeFront, of: str) -> None:
    anna = await browsers[0].name("Anna")
    if of == "another":
        await browsers[1].name("Bruno")
    board = board_card()
    front.sights["K7QF22", ()] = make_sight(
        type(board)(board.text, board.picture, headline=make_headline("K7QF22", anna.person))
    )
    url = (await anna.looks("K7QF22"))["card"]["picture"]["url"]
    assert ((await browsers[0].get(url)).data, (await browsers[1].get(url)).refusal) == (PNG, "not-yours")
    assert (await browsers[1].get(url.partition("?")[0])).refusal == "not-yours"
