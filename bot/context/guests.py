"""Places where the bot is no member: what presses bring is kept first, and used once they are answered."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from bot.context.context import Context
from bot.interface.requests import Request
from storage import NewPass, Person, PlaceRow

_ALONE: Final = "alone-"


async def received(context: Context, request: Request, person: Person, place: PlaceRow) -> PlaceRow:
    """Keep what a press has brought; return its place, which speaks the language of whoever is there first."""
    brought, now = request.brings, context.clock()
    if brought is None:
        return place
    until = None if brought.seconds is None else now + timedelta(seconds=brought.seconds)
    await context.store.bring_pass(place.id, NewPass(brought.secret, brought.message, until, brought.spare), now)
    if place.settings.get("own_language") is None:
        language = person.settings.get("language") or person.language or context.language
        return await context.store.set_place_settings(place.id, {"own_language": language}) or place
    return place


async def answered(context: Context, request: Request) -> None:
    """Have what a press has brought used from now on; what is behind in its place is brought up to date with it."""
    if request.brings is None:
        return
    where = request.place
    place = await context.store.place(
        where.platform, where.channel, where.thread, where.group, where.kind, guest=where.guest, at=context.clock()
    )
    await context.store.pass_answered(place.id, request.brings.secret, context.clock())


async def place_alone(context: Context, request: Request, person: int) -> PlaceRow:
    """Return where somebody's game belongs that nobody but them is shown, in answers to what they do."""
    user = request.user
    place = await context.store.place(user.platform, alone(user.id), kind="private")
    await context.store.seen(place.id, person, context.clock())
    return place


def alone(user: str) -> str:
    """Return the name of the channel of what somebody does by themselves where the bot is no member."""
    return f"{_ALONE}{user}"


def is_alone(channel: str) -> bool:
    """Say whether a channel is that of what somebody does by themselves where the bot is no member."""
    return channel.startswith(_ALONE)
