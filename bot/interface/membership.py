"""What adapters tell of who is in a channel now."""

from typing import Protocol, runtime_checkable

from bot.interface.requests import Place


@runtime_checkable
class FindsMembers(Protocol):
    """For an adapter whose platform says who is in a channel now."""

    async def find_roles(self, place: Place, user: str) -> frozenset[str] | None:
        """Return the names of a member's roles in small letters, None for those who are no members (any more).

        A member is somebody who can read the channel. Undeliverable, TryLater.
        """
