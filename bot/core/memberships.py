"""Who is in a place now, and who manages it: their platform is asked."""

from collections.abc import Mapping
from typing import Final

import structlog
from cachetools import LRUCache

from bot.core.places import place_of
from bot.interface.refusals import Refused
from bot.interface.requests import Adapter, Membership, TryLater, Undeliverable
from bot.operations.clock import Times
from storage import News, PlaceRow, Store
from storage.places import BAN, KICK

ANSWER_LIFETIME_SECONDS: Final = 60.0
"""For how many seconds a platform is not asked again about somebody who it says is in a place."""
MAX_ANSWERS: Final = 5000
"""Maximum number of answers in the cache, about 1 MB."""

_UNANSWERED: Final = "refusal.membership-unanswered"
_GUEST: Final = "refusal.membership-guest"
_NOT_TOLD: Final = "refusal.membership-not-told"

log = structlog.get_logger(__name__)


class MembershipUnknown(Refused):
    """Nobody says who is in a place: the platform does not answer now, or does not tell the bot."""

    @property
    def is_temporary(self) -> bool:
        """True if the platform may answer in a moment."""
        return self.key == _UNANSWERED


class Memberships:
    """What platforms say about who is in a place; the only way to find out for what is done from elsewhere.

    Only positive answers are kept, for what is asked often: who has just come back is let in at once.
    """

    def __init__(self, store: Store, clock: Times, adapters: Mapping[str, Adapter]) -> None:
        self._store = store
        self._clock = clock
        self._adapters = adapters
        self._answers: LRUCache[tuple[int, int], tuple[float, Membership]] = LRUCache(MAX_ANSWERS)
        """When it was last said that somebody is in a place, and as what, by place and person."""
        store.add_listener(self._on_store_change, {"people", "elsewhere"})

    def _on_store_change(self, news: News) -> None:
        # People were linked or forgotten, or a place has got another channel.
        kind, what = news
        if kind == "people" or what is None or what[0] == "people":
            self._answers.clear()

    def can_tell(self, place: PlaceRow) -> bool:
        """Return True if a platform can say who is in a group: it knows, and we are in the group ourselves."""
        return place.kind == "group" and not self.is_guest(place) and self._knows_members(place)

    def is_guest(self, place: PlaceRow) -> bool:
        """Return True if we are no member of a place ourselves, or it is a single message: nobody says who is there."""
        adapter = self._adapters.get(place.platform)
        return place.guest or (adapter is not None and adapter.is_edit_only(place.channel))

    def _knows_members(self, place: PlaceRow) -> bool:
        adapter = self._adapters.get(place.platform)
        return adapter is None or adapter.knows_members

    async def find(self, place: PlaceRow, person: int) -> Membership | None:
        """Return somebody's membership in a place now, None if they are no member.

        MembershipUnknown where the platform cannot be asked.
        """
        asked = self._clock.monotonic()
        self._answers.pop((place.id, person), None)
        found = await self._ask(place, person)
        if found is not None and self.can_tell(place):
            self._answers[place.id, person] = asked, found
        return found

    async def find_lately(self, place: PlaceRow, person: int) -> Membership | None:
        """Return somebody's membership in a place as of the last minute, for what is asked often; as `find`."""
        return self._recall(place.id, person) or await self.find(place, person)

    async def is_member(self, place: PlaceRow, person: int) -> bool:
        """Return True if somebody is in a place now; MembershipUnknown."""
        return await self.find(place, person) is not None

    async def was_member_lately(self, place: PlaceRow, person: int) -> bool:
        """Return True if somebody was in a place within the last minute; MembershipUnknown."""
        return await self.find_lately(place, person) is not None

    async def managed_lately(self, place: int, person: int) -> bool:
        """Return True if somebody managed a place within the last minute; MembershipUnknown.

        On a platform that does not say who is there, it is enough that they are not banned.
        """
        found = self._recall(place, person)
        if found is not None:
            return found.manager
        row = await self._store.places.get(place)
        if row is None:
            return False
        if row.kind == "group" and not self._knows_members(row):
            return not await self._is_banned(row, person)
        found = await self.find(row, person)
        return found is not None and found.manager

    def _recall(self, place: int, person: int) -> Membership | None:
        known = self._answers.get((place, person))
        if known is not None and self._clock.monotonic() < known[0] + ANSWER_LIFETIME_SECONDS:
            return known[1]
        return None

    async def _ask(self, place: PlaceRow, person: int) -> Membership | None:
        adapter = self._adapters.get(place.platform)
        if place.kind == "private":
            # Nobody but its owner was ever in it, and nobody else manages it.
            is_here = bool(await self._store.places.filter_seen(place.id, [person]))
            return Membership(manager=True) if is_here else None
        if adapter is None:
            raise MembershipUnknown(_UNANSWERED)
        if not adapter.knows_members:
            # The platform leaves it to us to ban people: who was there is there.
            was_here = await self._store.places.filter_seen(place.id, [person])
            return Membership() if was_here and not await self._is_banned(place, person) else None
        if self.is_guest(place):
            raise MembershipUnknown(_GUEST)
        roles: set[str] = set()
        found: list[Membership] = []
        for identity in await self._store.people.identities(person):
            if identity.platform != place.platform:
                continue
            try:
                each = await adapter.find_membership(place_of(place), identity.user_id)
            except TryLater as error:
                log.warning("member-unknown", channel=place.channel, reason="unanswered", seconds=error.seconds)
                raise MembershipUnknown(_UNANSWERED) from error
            except Undeliverable as error:
                log.warning("member-unknown", channel=place.channel, reason=error.reason)
                raise MembershipUnknown(f"{_NOT_TOLD}.{place.platform}") from error
            if each is not None:
                found.append(each)
                roles |= each.roles
        return Membership(frozenset(roles), any(each.manager for each in found)) if found else None

    async def _is_banned(self, place: PlaceRow, person: int) -> bool:
        held = await self._store.bans.list_in_place(place.id, self._clock())
        return any(each.kind in (BAN, KICK) and each.person == person for each in held)
