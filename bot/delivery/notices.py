"""People's choices for notices: the route, exceptions for channels, and the hour of their digest."""

from bot.core.context import Context
from bot.core.notice_routes import CHANNEL_ROUTES_SETTING, Route, next_digest_at
from bot.core.request_context import RequestContext
from storage import Person, PlaceRow
from storage.notices import DIGEST_KIND


async def whole_channel(context: Context, place: PlaceRow) -> PlaceRow:
    """Return the channel that a place is, or is a thread of."""
    if place.thread is None:
        return place
    return await context.store.places.get_or_create(place.platform, place.channel, None, place.group)


async def read_channel_route(context: Context, asker: RequestContext) -> str | None:
    """Return the route that the asker has chosen for this channel, None if none."""
    choices = await context.store.notices.choices(asker.person.id)
    return choices.get((asker.place.platform, asker.place.channel))


async def set_channel_route(context: Context, asker: RequestContext, way: str | None) -> None:
    """Store the route that the asker chooses for this channel; None: the same as elsewhere."""
    place, store = await whole_channel(context, asker.place), context.store
    async with store.transaction():
        await store.notices.set_choice(place.id, asker.person.id, way)
        apart = True if await store.notices.choices(asker.person.id) else None
        person = await store.people.change_settings(asker.person.id, {CHANNEL_ROUTES_SETTING: apart}) or asker.person
    await reroute_notices(context, person)


async def reroute_notices(context: Context, person: Person) -> None:
    """Route a person's open notices again, and reschedule their digest."""
    store, now = context.store, context.clock()
    await store.notices.reopen(now, person=person.id)
    for each in await store.notices.list_for_person(person.id, Route.DIGEST):
        if each.kind == DIGEST_KIND:
            await store.notices.postpone(each, next_digest_at(person.id, person.settings, now))
    context.signals.wake("notices")
