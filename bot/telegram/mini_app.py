"""Ways into the Mini App: a button in private chats, elsewhere a link (https://core.telegram.org/bots/webapps)."""

from dataclasses import replace
from typing import Final

from telegram import MenuButton, MenuButtonCommands, MenuButtonWebApp, User, WebAppInfo

from bot.core.app_sessions import AppSigner
from bot.interface.cards import Card
from bot.interface.requests import Place
from bot.language.texts import Speaker
from bot.telegram.decode import PLATFORM
from bot.telegram.inline import inline_id
from bot.telegram.keyboards import KeyboardButton
from bot.telegram.layout import CATALOGUE_DOMAIN

PAGE_PATH: Final = "/app/telegram/"
NO_CHAT: Final = "0"
"""Placeholder in a link for a chat without a number."""


class MiniApp:
    """Opens the Mini App at a public `address`, and under the `name` given to BotFather, if any."""

    def __init__(self, address: str, name: str, signer: AppSigner) -> None:
        self._address = address.rstrip("/")
        self._name = name
        self._signer = signer

    def button(self, place: Place, card: Card, speaker: Speaker, bot: User | None) -> KeyboardButton | None:
        """Return the button that opens a card's game, None if it shows none, or no link leads there."""
        game = card.headline
        if game is None or game.status == "lobby" or bot is None:
            return None
        label = speaker.of(CATALOGUE_DOMAIN).line("button.app")
        if inline_id(place.channel) is not None:
            place = replace(place, channel=NO_CHAT, thread=None, kind="group")
        if not self.opens_boards(place, bot):
            return None
        link = self._signer.sign_link(PLATFORM, place, game.code)
        if place.kind == "private":
            return {"text": label, "web_app": {"url": f"{self._address}{PAGE_PATH}?link={link}"}}
        if self._name:
            return {"text": label, "url": f"https://t.me/{bot.username}/{self._name}?startapp={link}"}
        return {"text": label, "url": f"https://t.me/{bot.username}?startapp={link}"}

    def opens_boards(self, place: Place, bot: User | None) -> bool:
        """Say whether boards in a place have a way into the app."""
        return bot is not None and (place.kind == "private" or bool(self._name) or bool(bot.has_main_web_app))

    def menu_button(self, speaker: Speaker) -> MenuButton:
        """Return the menu button beside the input field in private chats."""
        label = speaker.of(CATALOGUE_DOMAIN).line("button.app.menu")
        return MenuButtonWebApp(label, WebAppInfo(f"{self._address}{PAGE_PATH}"))


def menu_button(app: MiniApp | None, speaker: Speaker) -> MenuButton:
    """Return the menu button beside the input field in private chats: the list of commands if there is no app."""
    return MenuButtonCommands() if app is None else app.menu_button(speaker)
