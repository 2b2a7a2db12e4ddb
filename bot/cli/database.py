"""The database, for subcommands that need it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.cli.console import ENVIRONMENT, CommandFailed, Console
from bot.settings import Settings

if TYPE_CHECKING:
    from storage import Store


async def open_store(settings: Settings, console: Console) -> Store:
    """Return the store that the settings name, brought up to date; CommandFailed in one clear sentence."""
    from storage import StorageError, Store

    try:
        store = await Store.open(settings.database)
    except StorageError as error:
        key = f"storage.{error.code}"
        details = {name: str(value) for name, value in error.params.items()}
        raise CommandFailed(key, ENVIRONMENT, **{"place": shown_place(settings), **details}) from None
    if store.backup is not None:
        console.say("serve.backup", path=str(store.backup))
    return store


def shown_place(settings: Settings) -> str:
    """Return what to call the place of the games, without a password."""
    return str(settings.data_dir) if settings.database_url is None else "DATABASE_URL"
