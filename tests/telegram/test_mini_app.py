"""The ways into the Mini App: what stands under boards, and beside the field of private chats."""

from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from bot.kernel.app_sessions import AppSigner, load_app_signer
from bot.platforms.telegram.adapter import MiniApp
from storage import Store
from tests.bot.party import Clock, Quick
from tests.fakes.telegram.server import FakeTelegram
from tests.support.present import present
from tests.telegram.harness import Bot, Scene


@pytest.fixture
def registers() -> bool:
    """The button of the menu is part of what is registered."""
    return True


@pytest.fixture
async def signer(store: Store) -> AppSigner:
    """What signs links."""
    return await load_app_signer(store)


@pytest.fixture(params=["board", ""])
async def opened(
    request: pytest.FixtureRequest, telegram: FakeTelegram, store: Store, clock: Clock, signer: AppSigner
) -> AsyncIterator[Scene]:
    """A group with a bot that has a public address, with and without an app that BotFather knows."""
    made = Scene(telegram, Bot(telegram, store, clock, thinkers=Quick()))
    made.bot.connecting["app"] = MiniApp("https://games.example.org/", request.param, signer)
    async with made.bot:
        yield made
    assert telegram.lapses == []


def _opens(buttons: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [each for each in buttons if each["text"] == "Open the board"]


async def test_boards_in_private_have_a_button_and_those_in_groups_a_link_where_there_is_one(
    opened: Scene, signer: AppSigner, request: pytest.FixtureRequest
) -> None:
    anna = opened.person("Anna")
    assert opened.telegram.menu_button == "web_app"
    (button,) = _opens((await opened.say_alone(anna, "/play annuvin computer")).buttons)
    link = parse_qs(urlsplit(button["web_app"]["url"]).query)["link"][0]
    read = present(signer.read_link("telegram", link))
    assert (read.channel, len(read.game)) == (str(anna.id), 6)
    assert "Open the board" in (await opened.say_alone(anna, "/help")).text

    await opened.started()
    found = _opens(opened.board.buttons)
    if "[board]" in request.node.name:
        (button,) = found
        parts = urlsplit(button["url"])
        assert (parts.netloc, parts.path) == ("t.me", f"/{opened.telegram.bot.username}/board")
        read = present(signer.read_link("telegram", parse_qs(parts.query)["startapp"][0]))
        assert read.channel == str(opened.group.id)
    else:
        assert found == []


async def test_the_menu_button_speaks_the_language_of_who_starts(opened: Scene) -> None:
    anna, bruno = opened.person("Anna"), opened.person("Bruno", "it-IT")
    for person in (anna, bruno):
        await opened.say_alone(person, "/start")
    assert opened.telegram.menu_labels == {anna.id: "Play", bruno.id: "Gioca"}


async def test_without_a_public_address_nothing_is_there(scene: Scene) -> None:
    await scene.started()
    assert (_opens(scene.board.buttons), scene.telegram.menu_button) == ([], "commands")
