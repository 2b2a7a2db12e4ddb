"""People as others name them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from bot.commandline import Mentioned, read_people
from bot.house import Asker, House
from bot.names import clean_name
from bot.refusals import Refused
from storage.people import name_key

MOST_INVITED: Final = 4


@dataclass(frozen=True, slots=True)
class Invited:
    """Somebody who is asked to play: a person we know, or a name whose owner will say so."""

    person: int | None = None
    name: str = ""


async def find_invited(house: House, asker: Asker, text: str) -> tuple[Invited, ...]:
    """Return the people in the value of a `people` parameter; Refused for oneself, or too many.

    A plain name is looked for in the place, then on the platform. Where nobody is found, or several are, the seat
    is kept for the name.
    """
    found: list[Invited] = []
    for mentioned in read_people(text):
        invited = await _find(house, asker, mentioned)
        if invited.person == asker.person.id:
            raise Refused("refusal.yourself")
        if invited not in found:
            found.append(invited)
    if len(found) > MOST_INVITED:
        raise Refused("refusal.too-many-people", most=MOST_INVITED)
    return tuple(found)


def same_name(kept: str, *names: str | None) -> bool:
    """Say whether a kept name is one of somebody's names."""
    return any(name is not None and name_key(name) == name_key(kept) for name in names)


async def _find(house: House, asker: Asker, mentioned: Mentioned) -> Invited:
    platform = asker.place.platform
    if mentioned.id is not None:
        name = clean_name(mentioned.name)
        known = await house.store.person_by_identity(platform, mentioned.id, name, at=house.clock())
        return Invited(known.id)
    name = clean_name(mentioned.name, "")
    if not name:
        raise Refused("refusal.no-such-person", name=mentioned.name[:20])
    user = asker.request.user
    if same_name(name, user.name, user.handle):
        raise Refused("refusal.yourself")
    for place in (asker.place.id, None):
        people = await house.store.find_people(name, platform=platform, place=place)
        if len(people) == 1:
            return Invited(people[0].id)
    return Invited(name=name)
