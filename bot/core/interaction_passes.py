"""Tokens of presses in places where the bot is no member: stored first, used once the press is answered."""

from datetime import timedelta
from typing import Final

from bot.core.context import Context
from bot.interface.requests import Request
from storage import NewInteractionPass, Person, PlaceRow

_PRIVATE_PREFIX: Final = "alone-"


async def store_pass(context: Context, request: Request, person: Person, place: PlaceRow) -> PlaceRow:
    """Store the token of a press; return its place, whose language is that of the first person there."""
    brought, now = request.brings, context.clock()
    if brought is None:
        return place
    until = None if brought.seconds is None else now + timedelta(seconds=brought.seconds)
    await context.store.passes.add(
        place.id, NewInteractionPass(brought.secret, brought.message, until, brought.spare), now
    )
    if place.settings.get("own_language") is None:
        language = context.person_language(person) or context.language
        return await context.store.places.change_settings(place.id, {"own_language": language}) or place
    return place


async def activate_pass(context: Context, request: Request) -> None:
    """Use the token of a press from now on; delivery brings the place's outdated boards up to date with it."""
    if request.brings is None:
        return
    where = request.place
    place = await context.store.places.get_or_create(
        where.platform, where.channel, where.thread, where.group, where.kind, guest=where.guest, at=context.clock()
    )
    await context.store.passes.record_answered(place.id, request.brings.secret, context.clock())


async def private_guest_place(context: Context, request: Request, person: int) -> PlaceRow:
    """Return the place for a person's game that only they see, in replies to what they do."""
    user = request.user
    place = await context.store.places.get_or_create(user.platform, private_channel_name(user.id), kind="private")
    await context.store.places.record_seen(place.id, person, context.clock())
    return place


def private_channel_name(user: str) -> str:
    """Return the channel name of a person's private place where the bot is no member."""
    return f"{_PRIVATE_PREFIX}{user}"


def is_private_channel(channel: str) -> bool:
    """Return True if a channel is a person's private place where the bot is no member."""
    return channel.startswith(_PRIVATE_PREFIX)
