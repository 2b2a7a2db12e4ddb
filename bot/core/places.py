"""Stored places as adapters know them."""

from bot.core.preferences import SOUND
from bot.interface.requests import Place
from storage import PlaceRow


def place_of(row: PlaceRow, language: str | None = None) -> Place:
    """Return a stored place as adapters know it, with the language of what everybody sees there."""
    return Place(
        row.platform,
        row.channel,
        row.thread,
        row.group,
        row.kind,
        row.title,
        language,
        guest=row.guest,
        quiet=is_quiet(row),
    )


def is_quiet(row: PlaceRow) -> bool:
    """Return True if messages come without a sound in a place; in private chats each person decides that themselves."""
    return row.kind != "private" and row.effective.get(SOUND) is False
