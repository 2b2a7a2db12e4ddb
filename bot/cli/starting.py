"""Checks before `tavoliere serve` starts: settings without effect, the page's manager, the database."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from bot.cli.console import ENVIRONMENT, CommandFailed, Console
from bot.cli.database import explain_storage_errors, hide_password
from bot.kernel.operations.manager_secret import ManagerSecret
from bot.kernel.operations.settings import InvalidProxy, Settings, unknown_settings, use_proxies

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from bot.kernel.app_sessions import AppSigner
    from bot.kernel.texts import Texts
    from bot.platforms.app import Tavoliere
    from bot.platforms.telegram.adapter import MiniApp
    from bot.platforms.web.request_guard import Mount
    from storage import Store


def warn(settings: Settings, console: Console) -> None:
    """Print which settings are unknown, and which have no effect."""
    for name, meant in unknown_settings():
        console.complain("setting-unknown" if meant is None else "setting-mistyped", name=name, meant=meant)
    platform = (settings.errors_to or "").partition(":")[0]
    token = {"discord": settings.discord_token, "telegram": settings.telegram_token}
    if platform and token[platform] is None:
        console.complain("setting-needs-token", name="TAVOLIERE_ERRORS_TO", token=f"{platform.upper()}_TOKEN")


def set_up_proxies(settings: Settings) -> None:
    """Have all outgoing connections use the proxies of the settings; CommandFailed if one is none."""
    try:
        use_proxies(settings.proxies)
    except InvalidProxy as error:
        raise CommandFailed("serve.proxy-wrong", ENVIRONMENT, name=error.name) from None


def manager_secret(settings: Settings, console: Console) -> ManagerSecret:
    """Return the secret of the page's manager, created if there is none; if it cannot be stored, say so and go on."""
    secret = ManagerSecret(settings.data_dir)
    try:
        secret.load_or_create()
    except OSError as error:
        console.complain("serve.manager-none", file=str(secret.path), reason=error.strerror or str(error))
    return secret


async def see_that_it_can_be_written(store: Store, settings: Settings) -> None:
    """Raise CommandFailed if the database can be read, but not written."""
    from storage import Locked

    # A transaction of another process, such as another program's look at the file, ends at some time.
    with explain_storage_errors(hide_password(settings)), suppress(Locked):
        await store.key_values.check_writable()


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
    from bot.kernel.app_sessions import load_app_signer
    from bot.platforms.apps.launches import LAUNCH_MEMORY, DiscordLauncher, Launcher, TelegramLauncher
    from bot.platforms.apps.pages import make_apps
    from bot.platforms.discord.activity import forget_old_launches
    from bot.platforms.telegram.adapter import MiniApp

    signer: AppSigner = await load_app_signer(store)
    launchers: list[Launcher] = []
    mini_app = None
    if telegram is not None:
        launchers.append(TelegramLauncher(telegram.get_secret_value(), signer, clock))
        mini_app = MiniApp(settings.web_address, settings.telegram_app, signer)
    if discord is not None and secret is not None:
        launchers.append(DiscordLauncher(discord.get_secret_value(), secret.get_secret_value(), store, clock))
        tavoliere.alarms.cleanup.append(lambda: forget_old_launches(store, clock() - LAUNCH_MEMORY))
    mounts = (make_apps(tavoliere, texts, signer, launchers),)
    return Apps(mounts, mini_app, discord is not None and secret is not None)
