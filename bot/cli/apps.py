"""The apps inside Telegram and Discord, as far as an operator's settings allow them."""

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
"""Both platforms show pages at such addresses alone."""


@dataclass(frozen=True, slots=True)
class Apps:
    """What there is: pages to be served, a way into the Mini App, and whether boards open the Activity."""

    mounts: tuple[Mount, ...] = ()
    mini_app: MiniApp | None = None
    activity: bool = False


async def make_apps(
    tavoliere: Tavoliere, store: Store, texts: Texts, settings: Settings, clock: Callable[[], datetime]
) -> Apps:
    """Return the apps; none without a public address by https."""
    telegram = settings.telegram_token
    if not settings.web_address.startswith(HTTPS) or telegram is None:
        return Apps()
    from bot.apps.launches import Launcher
    from bot.apps.pages import make_apps
    from bot.apps.telegram_launch import TelegramLauncher
    from bot.core.app_sessions import load_app_signer
    from bot.telegram.mini_app import MiniApp

    signer: AppSigner = await load_app_signer(store)
    launchers: list[Launcher] = []
    mini_app = None
    if telegram is not None:
        launchers.append(TelegramLauncher(telegram.get_secret_value(), signer, clock))
        mini_app = MiniApp(settings.web_address, settings.telegram_app, signer)
    mounts = (make_apps(tavoliere, texts, signer, launchers),)
    return Apps(mounts, mini_app)
