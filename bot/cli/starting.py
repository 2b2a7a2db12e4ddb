"""Checks before `tavoliere serve` starts: settings without effect, the page's manager, the database."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from bot.cli.console import ENVIRONMENT, CommandFailed, Console
from bot.cli.database import explain_storage_errors, hide_password
from bot.operations.manager_secret import ManagerSecret
from bot.operations.proxies import InvalidProxy, use_proxies
from bot.operations.settings import Settings, unknown_settings

if TYPE_CHECKING:
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
