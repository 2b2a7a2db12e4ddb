"""Stored places as adapters know them."""

from bot.interface.requests import Place
from storage import PlaceRow


def place_of(row: PlaceRow, language: str | None = None) -> Place:
    """Return a stored place as adapters know it, with the language of what everybody sees there."""
    return Place(row.platform, row.channel, row.thread, row.group, row.kind, row.title, language, guest=row.guest)
