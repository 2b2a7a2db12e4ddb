"""The database, for subcommands that need it."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from bot.cli.console import ENVIRONMENT, CommandFailed, Console
from bot.kernel.operations.process import AlreadyRunning, DatabaseLock
from bot.kernel.operations.settings import Settings

if TYPE_CHECKING:
    from storage import Store


def settings_of(options: Namespace, console: Console) -> Settings:
    """Return the settings with the data folder from the command line."""
    if options.data_dir is None:
        return console.settings
    return console.settings.model_copy(update={"data_dir": options.data_dir})


@contextmanager
def explain_storage_errors(place: str, **details: str) -> Iterator[None]:
    """Turn database errors into CommandFailed, with one clear sentence."""
    from storage import StorageError

    try:
        yield
    except StorageError as error:
        params = {name: str(value) for name, value in error.params.items()}
        raise CommandFailed(f"storage.{error.code}", ENVIRONMENT, **{"place": place, **params, **details}) from None


async def open_store(settings: Settings, console: Console) -> Store:
    """Return the store of the settings, migrated to the current version; CommandFailed with one clear sentence."""
    from storage import Store

    with explain_storage_errors(hide_password(settings)):
        store = await Store.open(settings.database)
    if store.backup is not None:
        console.say("serve.backup", path=str(store.backup))
    return store


@contextmanager
def lock_database(settings: Settings, refusal: str) -> Iterator[Callable[[], None]]:
    """Lock a file database for this process; on a database server several processes may work together.

    It yields a function to call once a new database has been created: until then there is no file to lock. Raises
    CommandFailed, with `refusal` as the key of the sentence, if another program holds the lock.
    """
    from storage.addresses import database_file, refuse_special_database

    with explain_storage_errors(hide_password(settings)):
        file = database_file(settings.database)
        if file is not None:
            refuse_special_database(file)
    key = refusal if settings.database_url is None else f"{refusal}-file"
    running = CommandFailed(key, ENVIRONMENT, folder=str(settings.data_dir), file=str(file))
    lock = DatabaseLock(file) if file is not None else None

    def hold_file() -> None:
        try:
            if lock is not None:
                lock.hold_file()
        except AlreadyRunning:
            raise running from None

    with ExitStack() as stack:
        folder, key = settings.data_dir, "serve.folder"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if file is not None and settings.database_url is not None:
                folder, key = file.parent, "serve.database-folder"
                folder.mkdir(parents=True, exist_ok=True)
            if lock is not None:
                stack.enter_context(lock)
        except OSError as error:
            raise CommandFailed(key, ENVIRONMENT, folder=str(folder), reason=error.strerror or str(error)) from None
        except AlreadyRunning:
            raise running from None
        yield hold_file


async def open_as_it_is(settings: Settings) -> Store:
    """Return the store of the settings without creating or changing anything; CommandFailed with one clear sentence."""
    from storage import Store

    with explain_storage_errors(hide_password(settings)):
        return await Store.open_current(settings.database)


def hide_password(settings: Settings) -> str:
    """Return the name of the games' location, without a password."""
    return str(settings.data_dir) if settings.database_url is None else "DATABASE_URL"
