"""How much one person, and one browser, may make public within an hour: enough for people, too little for scripts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable, Iterator

from bot.core.browsers import browser_of_asker
from bot.core.context import Context, Public
from bot.core.request_context import RequestContext
from bot.interface.refusals import Refused
from bot.interface.requests import Reply


async def paced(
    context: Context, asker: RequestContext, kind: Public | None, work: Callable[[], Awaitable[Reply]]
) -> Reply:
    """Carry out a deed that makes something public, and count it; Refused where its kind was done too often lately.

    What opens or enters something is counted where it happens, since the same command may only show a form.
    """
    if kind is None or kind is Public.BEGIN:
        return await work()
    check_pace(context, asker, kind)
    reply = await work()
    if not reply.talk:
        note_public(context, asker, kind)
    return reply


def check_pace(context: Context, asker: RequestContext, kind: Public) -> None:
    """Refuse a deed whose kind somebody, or their browser, has done as often as may be within an hour."""
    hourly = context.paces[kind]
    minutes = max(hourly.seconds_to_wait(who) for who in _counted_for(context, asker))
    if minutes:
        key = "refusal.too-many-games-an-hour" if kind is Public.BEGIN else "refusal.too-often"
        raise Refused(key, most=hourly.most, minutes=minutes)


def note_public(context: Context, asker: RequestContext, kind: Public) -> None:
    """Count a deed that made something public."""
    for who in _counted_for(context, asker):
        context.paces[kind].record(who)


def _counted_for(context: Context, asker: RequestContext) -> Iterator[Hashable]:
    yield asker.person.id
    browser = browser_of_asker(context, asker)
    if browser is not None:
        yield browser
