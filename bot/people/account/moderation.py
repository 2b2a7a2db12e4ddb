"""Commands that keep order in a room without a moderating platform: mute, kick and ban."""

from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Final

from bot.kernel.cards import Card
from bot.kernel.commandline import read_people
from bot.kernel.context import Context
from bot.kernel.forms import Values
from bot.kernel.names import mention
from bot.kernel.refusals import Refused
from bot.kernel.request_context import RequestContext, find_browsers, people_sharing_browser
from bot.kernel.requests import Reply
from bot.kernel.table import BrokenGame
from bot.kernel.texts import Text, join
from bot.lobby.service import decline, take_step
from engine.record import cut_name
from storage import Person
from storage.places import BAN, KICK

KICK_DURATION: Final = timedelta(minutes=15)
"""Duration of a kick."""
_MAX_GAMES: Final = 1000


async def change_bans(context: Context, requester: RequestContext, values: Values, *, kind: str) -> Reply:
    """Ban people for good with all names of their browsers, kick them for a while, or mute them; or lift that.

    Muted people can play but not talk. Without a name, list the people to whom it applies.
    """
    # Resolve all names before anything changes.
    meant = [
        await _resolve_person(context, requester, mentioned.name) for mentioned in read_people(values.get("people", ""))
    ]
    if not meant:
        return Reply(Card(await _list_banned(context, requester, kind)))
    said = [await _toggle_ban(context, requester, kind, person) for person in meant]
    return Reply(Card(join(said)))


async def _resolve_person(context: Context, requester: RequestContext, name: str) -> Person:
    """Return the person with a name; Refused if there is none, or they use the requester's own browser."""
    people = await context.store.people.find(name, platform=requester.place.platform)
    if len(people) != 1:
        raise Refused("refusal.no-such-person", name=cut_name(name, 40))
    if people[0].id in await people_sharing_browser(context, requester.id):
        raise Refused("refusal.yourself")
    return people[0]


async def _toggle_ban(context: Context, requester: RequestContext, kind: str, person: Person) -> Text:
    """Apply a ban to a person and their browsers, or lift it if it applies; return the words about it."""
    store, place, now = context.store, requester.place.id, context.clock()
    known = (await find_browsers(context, [person.id])).get(person.id, ())
    browsers = [beginning for platform, beginning in known if platform == requester.place.platform]
    who = mention(person)
    holding = [each for each in await store.bans.list_in_place(place, now) if each.kind == kind]
    if any(each.holds_for(person.id, browsers) for each in holding):
        await store.bans.remove(place, kind, [person.id], browsers)
        return requester.speaker.say(f"bar.{kind}.off", who=who)
    await store.bans.add(place, kind, person.id, browsers, now + KICK_DURATION if kind == KICK else None, now)
    if kind == BAN:
        for each in sorted(await people_sharing_browser(context, person.id)):
            await _leave_lobbies(context, requester, each)
    minutes = int(KICK_DURATION.total_seconds() // 60)
    return requester.speaker.say(f"bar.{kind}.on", who=who, minutes=minutes)


async def _leave_lobbies(context: Context, requester: RequestContext, person: int) -> None:
    """Remove a person from games that have not begun, because a banned player could not take part."""
    known = await context.store.people.get(person)
    if known is None:
        return
    for brief in await context.store.games.list_for_person(person, _MAX_GAMES):
        if brief.status == "lobby":
            with suppress(Refused, BrokenGame):  # the game has just begun, or is unreadable
                await take_step(context, replace(requester, person=known), brief.id, decline)


async def _list_banned(context: Context, requester: RequestContext, kind: str) -> Text:
    """Return the list of people to whom a kind of ban applies."""
    found = [
        each
        for each in await context.store.bans.list_in_place(requester.place.id, context.clock())
        if each.kind == kind
    ]
    people = await context.store.people.get_many({each.person for each in found if each.person is not None})
    names = [mention(person) for person in people.values()]
    forgotten = len({each.browser for each in found if each.person is None})
    speaker = requester.speaker
    listed = speaker.say(f"bar.{kind}.list", who=speaker.listing(names)) if names else ()
    others = speaker.say("bar.forgotten", n=forgotten) if forgotten else ()
    return join([listed, others]) or speaker.say(f"bar.{kind}.nobody")
