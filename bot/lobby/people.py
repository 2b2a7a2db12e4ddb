"""Finding the people that others name."""

from dataclasses import dataclass
from typing import Final

from bot.core.context import Context
from bot.core.preferences import CHALLENGES_FROM_NOBODY, CHALLENGES_FROM_OPPONENTS
from bot.core.request_context import RequestContext
from bot.entry.commandline import Mentioned, read_people
from bot.interface.refusals import Refused
from bot.language.names import clean_name, name_player
from bot.language.texts import Span
from engine.record_fields import cut_name
from storage import Person
from storage.people import name_key

MAX_INVITED: Final = 4


@dataclass(frozen=True, slots=True)
class Invited:
    """An invited player: a known person, or a name whose owner will respond."""

    person: int | None = None
    name: str = ""


async def find_invited(context: Context, asker: RequestContext, text: str) -> tuple[Invited, ...]:
    """Return the people in the value of a `people` parameter; Refused for oneself, or too many.

    A plain name is looked up in the place, then on the platform. If none or several people match, the seat is reserved
    for the name.
    """
    found: list[Invited] = []
    for mentioned in read_people(text):
        invited = await _find_invited(context, asker, mentioned)
        if invited.person is not None:
            invited = await invite(context, asker, invited.person)
        if invited not in found:
            found.append(invited)
    if len(found) > MAX_INVITED:
        raise Refused("refusal.too-many-people", most=MAX_INVITED)
    return tuple(found)


async def invite(context: Context, asker: RequestContext, person: int) -> Invited:
    """Return a known person as invited; Refused for oneself, and for people who do not want to be challenged."""
    if person == asker.person.id:
        raise Refused("refusal.yourself")
    if await context.store.people.get(person) is None:
        raise Refused("refusal.stale")
    await check_may_challenge(context, asker, person)
    return Invited(person)


def is_blocked_by(one: Person, other: Person) -> bool:
    """Return True if a person does not want to play with another."""
    return other.id in one.settings.get("blocked", [])


async def check_may_challenge(context: Context, asker: RequestContext, invited: int, *, again: bool = False) -> None:
    """Raise Refused if the other person does not want the challenge: from anybody, from strangers, or from the asker.

    With `again`, they have just played: then only a block prevents it. Within the transaction that stores the
    challenge, only the database decides.
    """
    other = await context.store.people.get(invited)
    if other is None:
        return
    allowed = other.settings.get("challenges")
    stranger = allowed == CHALLENGES_FROM_OPPONENTS and not await context.store.ratings.head_to_head(
        invited, asker.person.id
    )
    unwanted = not again and (allowed == CHALLENGES_FROM_NOBODY or stranger)
    if unwanted or is_blocked_by(other, asker.person):
        raise Refused("refusal.not-to-be-challenged", who=Span(other.name, bold=True, person=other.id))
    if is_blocked_by(asker.person, other):
        raise Refused("refusal.you-blocked", who=Span(other.name, bold=True, person=other.id))


def share_name(stored: str, *names: str | None) -> bool:
    """Return True if a reserved name is one of a person's names."""
    return any(name is not None and name_key(name) == name_key(stored) for name in names)


async def find_person(context: Context, asker: RequestContext, mentioned: Mentioned) -> Person | None:
    """Return the person who is meant: by the platform's id, by name in the place, or on the platform."""
    platform = asker.place.platform
    if mentioned.id is not None:
        name = name_player(mentioned.name)
        return await context.store.people.identify(platform, mentioned.id, name, at=context.clock())
    for place in (asker.place.id, None):
        people = await context.store.people.find(mentioned.name, platform=platform, place=place)
        if len(people) == 1:
            return people[0]
    return None


async def _find_invited(context: Context, asker: RequestContext, mentioned: Mentioned) -> Invited:
    name = clean_name(mentioned.name, "")
    if mentioned.id is None and not name:
        raise Refused("refusal.no-such-person", name=cut_name(mentioned.name, 20))
    user = asker.request.user
    if mentioned.id is None and share_name(name, user.name, user.handle):
        raise Refused("refusal.yourself")
    known = await find_person(context, asker, mentioned)
    return Invited(known.id) if known else Invited(name=name)
