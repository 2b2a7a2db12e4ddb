"""Stored places and people as adapters know them."""

from bot.core.preferences import SOUND
from bot.interface.cards import Card
from bot.interface.requests import Place
from storage import PlaceRow, Store


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


async def read_called_users(store: Store, card: Card, platform: str) -> dict[int, int]:
    """Return a platform's numbers of the people whom a card notifies, by person."""
    unread = [person for person in card.calls if person not in card.user_ids]
    identities = await store.people.identities(*unread) if unread else []
    users = {**card.user_ids, **{each.person: each.user_id for each in identities if each.platform == platform}}
    return {person: int(users[person]) for person in card.calls if person in users}
