"""The apps inside Telegram and Discord, as far as the operator's settings allow them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from bot.operations.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from bot.app import Tavoliere
    from bot.core.app_sessions import AppSigner
    from bot.language.texts import Texts
    from bot.telegram.mini_app import MiniApp
    from bot.web.mounts import Mount
    from storage import Store

HTTPS: Final = "https://"
"""Both platforms show only pages with this scheme."""


@dataclass(frozen=True, slots=True)
class Apps:
    """The available apps: pages to serve, a link to the Mini App, and whether boards open the Activity."""

    mounts: tuple[Mount, ...] = ()
    mini_app: MiniApp | None = None
    activity: bool = False


async def make_apps(
    tavoliere: Tavoliere, store: Store, texts: Texts, settings: Settings, clock: Callable[[], datetime]
) -> Apps:
    """Return the apps; none without a public https address."""
    telegram, discord, secret = settings.telegram_token, settings.discord_token, settings.discord_client_secret
    if not settings.web_address.startswith(HTTPS) or not (telegram or (discord and secret)):
        return Apps()
    from bot.apps.discord_launch import LAUNCH_MEMORY, DiscordLauncher
    from bot.apps.launches import Launcher
    from bot.apps.pages import make_apps
    from bot.apps.telegram_launch import TelegramLauncher
    from bot.core.app_sessions import load_app_signer
    from bot.discord.activity import forget_old_launches
    from bot.telegram.mini_app import MiniApp

    signer: AppSigner = await load_app_signer(store)
    launchers: list[Launcher] = []
    mini_app = None
    if telegram is not None:
        launchers.append(TelegramLauncher(telegram.get_secret_value(), signer, clock))
        mini_app = MiniApp(settings.web_address, settings.telegram_app, signer)
    if discord is not None and secret is not None:
        launchers.append(DiscordLauncher(discord.get_secret_value(), secret.get_secret_value(), store, clock))
        tavoliere.alarms.tidying.append(lambda: forget_old_launches(store, clock() - LAUNCH_MEMORY))
    mounts = (make_apps(tavoliere, texts, signer, launchers),)
    return Apps(mounts, mini_app, discord is not None and secret is not None)
