"""Updates as Telegram tells them: read one by one, so that one that cannot be read is passed over alone."""

from __future__ import annotations

from typing import Any, Final

from telegram import Bot, Update

from bot.operations.listening import drop_message
from bot.telegram.decode import PLATFORM

OTHER_UPDATE: Final = "other"


def update_number(update: Any) -> int | None:
    """Return the number of an update, None for what has none."""
    number = update.get("update_id") if isinstance(update, dict) else None
    return number if type(number) is int else None


def update_kind(update: Any) -> str:
    """Return of what kind an update is, one of those that the library knows or `other`."""
    named = update if isinstance(update, dict) else {}
    return next((kind for kind in Update.ALL_TYPES if kind in named), OTHER_UPDATE)


def read_update(update: Any, bot: Bot) -> Update | None:
    """Return an update; None for one that the library cannot read, which is logged and counted."""
    try:
        return Update.de_json(update, bot)
    except Exception as error:  # noqa: BLE001 - logged there: whatever was told, nobody else's updates wait for it
        drop_message(PLATFORM, update_kind(update), error, update=update_number(update))
        return None
