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
    called = {person: int(card.user_ids[person]) for person in card.calls if person in card.user_ids}
    for person in card.calls:
        if person not in called:
            for identity in await store.people.identities(person):
                if identity.platform == platform:
                    called[person] = int(identity.user_id)
    return called
