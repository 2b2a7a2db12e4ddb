"""Links from public pages to places to play."""

from dataclasses import dataclass

from bot.kernel.context import Context
from bot.kernel.texts import Speaker

_PAGE = "web"
_PLATFORM_NAMES = {"discord": "Discord", "telegram": "Telegram"}


@dataclass(frozen=True, slots=True)
class PlayLink:
    """A link to a place to play, and its text."""

    words: str
    address: str


def home_path(context: Context) -> str:
    """Return the target of the site name's link: the chat page if it is public, or else the list of games."""
    return "/" if context.is_chat_public else "/g/"


def list_play_links(context: Context, speaker: Speaker) -> list[PlayLink]:
    """Return the links to play: the chat page if it is public, and the bot on each connected platform."""
    links = [PlayLink(speaker.line("world.play.here"), f"{context.web_address}/")] if context.is_chat_public else []
    for platform, adapter in context.adapters.items():
        link = adapter.game_link("") if platform != _PAGE else None
        if link is not None:
            name = _PLATFORM_NAMES.get(platform, platform)
            links.append(PlayLink(speaker.line("world.play.on", platform=name), link.address))
    return links
