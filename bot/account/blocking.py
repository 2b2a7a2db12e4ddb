"""Blocking people one does not want to play with."""

from collections.abc import Mapping

from bot.core.context import Context
from bot.core.request_context import RequestContext
from bot.entry.commandline import read_people
from bot.interface.cards import Card
from bot.interface.refusals import Refused
from bot.interface.requests import Reply
from bot.language.texts import Span, join
from bot.lobby.people import find_person


async def block(context: Context, asker: RequestContext, values: Mapping[str, str]) -> Reply:
    """Block people, or unblock those who are blocked; without a name, list the blocked people."""
    blocked: list[int] = list(asker.person.settings.get("blocked", []))
    said = []
    for mentioned in read_people(values.get("people", "")):
        person = await find_person(context, asker, mentioned)
        if person is None:
            raise Refused("refusal.no-such-person", name=mentioned.name[:40])
        if person.id == asker.person.id:
            raise Refused("refusal.yourself")
        who = Span(person.name, bold=True, person=person.id)
        if person.id in blocked:
            blocked.remove(person.id)
            said.append(asker.mine.say("block.off", who=who))
        else:
            blocked.append(person.id)
            said.append(asker.mine.say("block.on", who=who))
    if said:
        await context.store.people.change_settings(asker.person.id, {"blocked": blocked or None})
        return Reply(Card(join(said)), private=True)
    people = await context.store.people.get_many(blocked)
    if not people:
        return Reply(Card(asker.mine.say("block.nobody")), private=True)
    names = asker.mine.listing([Span(person.name, bold=True, person=person.id) for person in people.values()])
    return Reply(Card(asker.mine.say("block.list", who=names)), private=True)
