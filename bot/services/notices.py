"""What people choose of notices: which way they are told, in which channels otherwise, and when their digest comes."""

from __future__ import annotations

from bot.context.asker import Asker
from bot.context.context import Context
from bot.notices.ways import APART, Way, next_digest
from storage import Person, PlaceRow
from storage.notices import DIGEST


async def whole_channel(context: Context, place: PlaceRow) -> PlaceRow:
    """Return the channel that a place is, or is a thread of."""
    if place.thread is None:
        return place
    return await context.store.place(place.platform, place.channel, None, place.group)


async def chosen_here(context: Context, asker: Asker) -> str | None:
    """Return which way somebody has chosen to be told what happens in the channel where they are, None if none."""
    choices = await context.store.notice_choices(asker.person.id)
    return choices.get((asker.place.platform, asker.place.channel))


async def choose_here(context: Context, asker: Asker, way: str | None) -> Person:
    """Keep which way somebody is told what happens in the channel where they are, None: as elsewhere."""
    place, store = await whole_channel(context, asker.place), context.store
    async with store.transaction():
        await store.choose_notices(place.id, asker.person.id, way)
        apart = True if await store.notice_choices(asker.person.id) else None
        person = await store.set_person_settings(asker.person.id, {APART: apart}) or asker.person
    await decide_anew(context, person)
    return person


async def decide_anew(context: Context, person: Person) -> None:
    """Have it decided anew how somebody is told what they were not told yet, and when their digest comes."""
    store, now = context.store, context.clock()
    await store.notices_reopened(now, person=person.id)
    for each in await store.notices_held(person.id, Way.DIGEST):
        if each.kind == DIGEST:
            await store.notice_put_off(each.id, next_digest(person.id, person.settings, now))
    context.signals.notices.set()
