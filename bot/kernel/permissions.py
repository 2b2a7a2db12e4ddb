"""Rights in a place: what needs one says so, and whether somebody has it is asked when it matters."""

from collections.abc import Collection
from enum import StrEnum

from bot.kernel.context import Context, MembershipUnknown
from bot.kernel.refusals import Refused
from bot.kernel.request_context import RequestContext
from bot.kernel.texts import Span
from storage import PlaceRow


class Right(StrEnum):
    """The rights that commands and presses need.

    With `MANAGER`, only those who manage the place may do it, which is checked before the handler is called. With
    `DEPENDS`, the handler asks itself where it matters, since it depends on what is stored. Both are for the place, so
    that an administrator who stays anonymous can do them, too; what needs no right needs to know whose it is.
    """

    MANAGER = "manager"
    DEPENDS = "depends"


async def check_right(context: Context, asker: RequestContext, right: Right | None) -> None:
    """Raise Refused if the asker lacks the right that is needed, or is nobody in particular and none is needed."""
    if right is Right.MANAGER:
        await check_may_manage(context, asker)
    elif right is None and asker.request.user.anonymous:
        raise Refused("refusal.anonymous")


async def may_manage(context: Context, asker: RequestContext) -> bool:
    """Return True if the asker may change what applies to everybody in a place; False where that cannot be asked."""
    try:
        return await is_manager(context, asker)
    except MembershipUnknown:
        return False


async def check_may_manage(context: Context, asker: RequestContext) -> None:
    """Raise Refused unless the asker may change what applies to everybody; the refusal says how to get there.

    MembershipUnknown where that cannot be asked.
    """
    if await is_manager(context, asker):
        return
    key = "refusal.not-manager"
    here = f"{key}.{asker.request.place.platform}"
    raise Refused(here if asker.mine.has(here) else key)


async def is_manager(context: Context, asker: RequestContext) -> bool:
    """Return True if the asker manages the place, by what the event brings or else by what the platform says.

    MembershipUnknown where that cannot be asked.
    """
    if asker.request.place.kind == "private":
        return True
    brought = asker.request.user.manager
    if brought is not None:
        return brought
    if asker.request.place.guest:
        return False
    found = await context.memberships.find(asker.place, asker.person.id)
    return found is not None and found.manager


async def is_here(context: Context, asker: RequestContext, home: PlaceRow) -> bool:
    """Return True if the asker is in a place: they ask from its channel, or its platform says so. MembershipUnknown."""
    return _asks_from(asker, home) or await context.memberships.is_member(home, asker.person.id)


def _asks_from(asker: RequestContext, home: PlaceRow) -> bool:
    return (asker.place.platform, asker.place.channel) == (home.platform, home.channel)


async def check_not_departed(context: Context, asker: RequestContext, places: Collection[PlaceRow]) -> None:
    """Raise Refused if the asker was in one of the groups that show something, and is in none of them now.

    Who was never there may have been sent its code, and where the bot is a guest nobody ever says who is there.
    MembershipUnknown where it cannot be asked now.
    """
    if any(_asks_from(asker, place) for place in places):
        return
    unknown: MembershipUnknown | None = None
    departed = False
    for place in places:
        nobody_knows = place.kind != "group" or context.memberships.is_guest(place)
        if nobody_knows or not await context.store.places.filter_seen(place.id, [asker.person.id]):
            continue
        try:
            if await context.memberships.was_member_lately(place, asker.person.id):
                return
            departed = True
        except MembershipUnknown as error:
            unknown = error
    if unknown is not None:
        raise unknown
    if departed:
        raise Refused("refusal.left-chat")


def needs_private_notices(context: Context, asker: RequestContext) -> bool:
    """Return True if nothing shown where the person asks can notify them of their turn at any time."""
    return asker.request.place.guest or asker.request.nonmember or context.edits_alone(asker.place)


async def may_have_clock(context: Context, asker: RequestContext) -> bool:
    """Return True if the person can be reminded of a clock when they play where they ask."""
    if not needs_private_notices(context, asker):
        return True
    return any(each.can_dm for each in await context.store.people.identities(asker.person.id))


async def check_clock(context: Context, asker: RequestContext, clock: int | None, game: str | None = None) -> None:
    """Raise Refused for a clock if no reminder would reach the person; the refusal says how to change that.

    `game` is the code of the game they want to join, None for a new one.
    """
    if clock is None or await may_have_clock(context, asker):
        return
    user = asker.request.user
    adapter = context.adapters.get(user.platform)
    way = adapter.game_link(game or "") if adapter is not None else None
    if way is None:
        raise Refused("refusal.unreachable")
    if not way.typed:
        key = "refusal.unreachable.open" if game is not None else "refusal.unreachable.begin"
        raise Refused(key, address=Span(way.address, code=True))
    identities = await context.store.people.identities(asker.person.id)
    if any(each.can_dm is False for each in identities if (each.platform, each.user_id) == (user.platform, user.id)):
        raise Refused("refusal.unreachable.refused", typed=Span("/help", code=True))
    link = Span(asker.mine.line("button.install"), link=way.address)
    if game is None:
        raise Refused("refusal.unreachable.install", link=link)
    raise Refused("refusal.unreachable.join", link=link, typed=Span(f"/join {game}", code=True))
