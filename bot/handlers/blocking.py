"""Not wanting to play with somebody."""

from __future__ import annotations

from collections.abc import Mapping

from bot.cards import Card, Span
from bot.commandline import read_people
from bot.house import Asker, House
from bot.refusals import Refused
from bot.requests import Reply
from bot.services.people import known_person
from bot.texts import join


async def block(house: House, asker: Asker, values: Mapping[str, str]) -> Reply:
    """Block people, or take it back for those who are blocked; without anybody, say who is."""
    blocked: list[int] = list(asker.person.settings.get("blocked", []))
    said = []
    for mentioned in read_people(values.get("people", "")):
        person = await known_person(house, asker, mentioned)
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
        await house.store.set_person_settings(asker.person.id, {"blocked": blocked or None})
        return Reply(Card(join(said)), private=True)
    people = await house.store.people(blocked)
    if not people:
        return Reply(Card(asker.mine.say("block.nobody")), private=True)
    names = asker.mine.listing([Span(person.name, bold=True, person=person.id) for person in people.values()])
    return Reply(Card(asker.mine.say("block.list", who=names)), private=True)
