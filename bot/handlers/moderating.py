"""Keeping a room in order that has no platform to do so: who may not speak, who is out for a while, who stays out."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Final

from bot.context.asker import Asker
from bot.context.context import Context
from bot.entry.commandline import read_people
from bot.handlers.settings import see_that_they_manage
from bot.interface.cards import Card
from bot.interface.refusals import Refused
from bot.interface.requests import Reply
from bot.language.rich_text import Span, Text
from bot.language.texts import join
from bot.services.browsers import browsers_of, names_beside
from bot.services.lobby import decline
from bot.tables.broken import BrokenGame
from storage import Person
from storage.bars import BAN, KICK, MUTE

KICKED: Final = timedelta(minutes=15)
"""For so long whoever was shown out stays out."""
_MOST_GAMES: Final = 1000


async def ban(context: Context, asker: Asker, values: Mapping[str, str]) -> Reply:
    """Keep people out for good with all names of their browsers, or take that back; without anybody, say who is."""
    return await _change(context, asker, BAN, values)


async def kick(context: Context, asker: Asker, values: Mapping[str, str]) -> Reply:
    """Show people out for a while, or take that back; without anybody, say who is out."""
    return await _change(context, asker, KICK, values)


async def mute(context: Context, asker: Asker, values: Mapping[str, str]) -> Reply:
    """Have people only play and not speak, or take that back; without anybody, say who may not speak."""
    return await _change(context, asker, MUTE, values)


async def _change(context: Context, asker: Asker, kind: str, values: Mapping[str, str]) -> Reply:
    see_that_they_manage(asker)
    # All are found before anything is changed.
    meant = [await _person(context, asker, mentioned.name) for mentioned in read_people(values.get("people", ""))]
    if not meant:
        return Reply(Card(await _listed(context, asker, kind)), private=True)
    said = [await _turned(context, asker, kind, person) for person in meant]
    return Reply(Card(join(said)), private=True)


async def _person(context: Context, asker: Asker, name: str) -> Person:
    """Return whom a name means; Refused where it is nobody's, or of the asker's own browser."""
    people = await context.store.find_people(name, platform=asker.place.platform)
    if len(people) != 1:
        raise Refused("refusal.no-such-person", name=name[:40])
    if people[0].id in await names_beside(context, asker.person.id):
        raise Refused("refusal.yourself")
    return people[0]


async def _turned(context: Context, asker: Asker, kind: str, person: Person) -> Text:
    """Have something hold for a person and their browsers, or no longer where it does; return what to say of it."""
    store, place, now = context.store, asker.place.id, context.clock()
    known = (await browsers_of(context, [person.id])).get(person.id, frozenset())
    browsers = [beginning for platform, beginning in known if platform == asker.place.platform]
    who = Span(person.name, bold=True, person=person.id)
    holding = [each for each in await store.bars_in(place, now) if each.kind == kind]
    if any(each.holds_for(person.id, browsers) for each in holding):
        await store.unbar(place, kind, [person.id], browsers)
        return asker.mine.say(f"bar.{kind}.off", who=who)
    await store.bar(place, kind, person.id, browsers, now + KICKED if kind == KICK else None, now)
    if kind == BAN:
        for each in sorted(await names_beside(context, person.id)):
            await _leave_lobbies(context, asker, each)
    minutes = int(KICKED.total_seconds() // 60)
    return asker.mine.say(f"bar.{kind}.on", who=who, minutes=minutes)


async def _leave_lobbies(context: Context, asker: Asker, person: int) -> None:
    """Take somebody out of the games that have not begun: nobody is to begin one with who cannot come."""
    known = await context.store.person(person)
    if known is None:
        return
    for brief in await context.store.games_of(person, _MOST_GAMES):
        if brief.status == "lobby":
            with suppress(Refused, BrokenGame):  # it began in this moment, or cannot be read
                await decline(context, replace(asker, person=known), brief.id, None)


async def _listed(context: Context, asker: Asker, kind: str) -> Text:
    """Return for whom something holds."""
    found = [each for each in await context.store.bars_in(asker.place.id, context.clock()) if each.kind == kind]
    people = await context.store.people({each.person for each in found if each.person is not None})
    names = [Span(person.name, bold=True, person=person.id) for person in people.values()]
    forgotten = len({each.browser for each in found if each.person is None})
    parts = [asker.mine.say(f"bar.{kind}.list", who=asker.mine.listing(names))] if names else []
    if forgotten:
        parts.append(asker.mine.say("bar.forgotten", n=forgotten))
    return join(parts) if parts else asker.mine.say(f"bar.{kind}.nobody")
