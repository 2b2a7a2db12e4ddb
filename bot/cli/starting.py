"""What `tavoliere serve` looks at before it begins: settings that do nothing, who manages the page, the database."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from bot.cli.console import Console
from bot.cli.database import explained_storage, shown_place
from bot.operations.manager_secret import ManagerSecret
from bot.operations.settings import Settings, unknown_settings

if TYPE_CHECKING:
    from storage import Store


def warn(settings: Settings, console: Console) -> None:
    """Say which settings there are not, and which will do nothing."""
    for name, meant in unknown_settings():
        console.complain("setting-unknown" if meant is None else "setting-mistyped", name=name, meant=meant)
    platform = (settings.errors_to or "").partition(":")[0]
    token = {"discord": settings.discord_token, "telegram": settings.telegram_token}
    if platform and token[platform] is None:
        console.complain("setting-needs-token", name="TAVOLIERE_ERRORS_TO", token=f"{platform.upper()}_TOKEN")


def manager_secret(settings: Settings, console: Console) -> ManagerSecret:
    """Return the secret of the page's manager, made if there was none; where it cannot be kept, say so and go on."""
    secret = ManagerSecret(settings.data_dir)
    try:
        secret.load_or_create()
    except OSError as error:
        console.complain("serve.manager-none", file=str(secret.path), reason=error.strerror or str(error))
    return secret


async def see_that_it_can_be_written(store: Store, settings: Settings) -> None:
    """Raise CommandFailed if the database can be read, but takes no change."""
    from storage import Locked

    # Somebody else's transaction, such as another program's look at the file, is over some time.
    with explained_storage(shown_place(settings)), suppress(Locked):
        await store.key_values.check_writable()
