"""Current membership of a team's channel, for people who act from elsewhere."""

import structlog

from bot.core.context import Context
from bot.delivery.boards import place_of
from bot.interface.requests import TryLater, Undeliverable
from storage import Person, PlaceRow
from storage.bans import BAN, KICK

log = structlog.get_logger(__name__)


async def find_current_roles(
    context: Context, place: PlaceRow, person: Person, *, present: bool = False
) -> frozenset[str] | None:
    """Return the roles that somebody has in a place now, None if they were never seen there, have left or are banned.

    Where the platform cannot be asked, those who were seen there count as members without a role, and those whom their
    app says to be `present`.
    """
    if not present and not await context.store.places.filter_seen(place.id, [person.id]):
        return None
    adapter = context.adapters.get(place.platform)
    if adapter is None or not adapter.knows_members:
        # The platform leaves it to us to ban people.
        held = await context.store.bans.list_in_place(place.id, context.clock())
        is_out = any(each.kind in (BAN, KICK) and each.person == person.id for each in held)
        return None if is_out else frozenset()
    found: set[str] = set()
    is_member = False
    for identity in await context.store.people.identities(person.id):
        if identity.platform != place.platform:
            continue
        try:
            roles = await adapter.find_roles(place_of(place), identity.user)
        except (TryLater, Undeliverable) as error:
            log.warning("member-unknown", channel=place.channel, reason=str(error))
            return frozenset()
        is_member, found = is_member or roles is not None, found | (roles or frozenset())
    return frozenset(found) if is_member else None
