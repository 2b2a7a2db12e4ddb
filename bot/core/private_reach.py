"""Clocks in places where only a private message can notify a player: such players must be reachable by one."""

from bot.core.context import Context
from bot.core.request_context import RequestContext
from bot.interface.refusals import Refused
from bot.language.texts import Span


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
