"""Who asks for something, where they do, and how they and all there are spoken to."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.core.context import Context
from bot.core.interaction_passes import store_pass
from bot.interface.requests import Reply, Request
from bot.interface.stored_replies import reply_to_json
from bot.language.names import clean_name
from bot.language.texts import Speaker
from storage import AlreadyProcessed, Doer, Person, PlaceRow, ProcessedEvent


@dataclass(frozen=True, slots=True)
class RequestContext:
    """Somebody who asks for something, where they do, and how they and all there are spoken to.

    `mine` speaks the person's language, for private answers; `ours` that of the place, for what all see.
    """

    request: Request
    person: Person
    place: PlaceRow
    mine: Speaker
    ours: Speaker

    def receipt(self, reply: Reply) -> ProcessedEvent:
        """Return the note that the request is answered like this, stored only while they are who they are here."""
        user = self.request.user
        doer = Doer(user.id, self.person.id, self.place.id)
        return ProcessedEvent(user.platform, self.request.event, reply_to_json(reply), doer)


async def resolve_request(context: Context, request: Request, *, remembered: bool = False) -> RequestContext:
    """Return who sent a request, known from now on; AlreadyProcessed if its event was carried out before.

    With `remembered` memory may say who it is; then that is only found out when the receipt is stored.
    """
    user, where = request.user, request.place
    known = await context.store.processed_events.resolve_source(
        user.platform,
        request.event,
        user=user.id,
        name=clean_name(user.name),
        language=context.texts.supported(user.language),
        channel=where.channel,
        thread=where.thread,
        group=where.group,
        kind=where.kind,
        title=clean_name(where.title, ""),
        guest=where.guest,
        at=context.clock(),
        remembered=remembered and request.brings is None,
    )
    if known is not None and (known.writable is None or (known.writable is False and request.writable == "certain")):
        await _record_reachability(context, request)
    processed = (
        await context.store.processed_events.get(user.platform, request.event) if known is None else known.processed
    )
    if processed is not None:
        raise AlreadyProcessed(user.platform, request.event, processed.reply)
    return (
        await resolve_person(context, request)
        if known is None
        else await _remember_asker(context, request, known.person, known.place)
    )


async def resolve_person(context: Context, request: Request) -> RequestContext:
    """Return who sent a request, known from now on."""
    user, where = request.user, request.place
    name = clean_name(user.name)
    person = await context.store.people.identify(
        user.platform, user.id, name, context.texts.supported(user.language), at=context.clock()
    )
    place = await context.store.places.get_or_create(
        where.platform,
        where.channel,
        where.thread,
        where.group,
        where.kind,
        clean_name(where.title, ""),
        guest=where.guest,
        at=context.clock(),
    )
    await context.store.places.record_seen(place.id, person.id, context.clock())
    await _record_reachability(context, request)
    return await _remember_asker(context, request, person, place)


async def _record_reachability(context: Context, request: Request) -> None:
    """Note whether a private message would reach the sender, as far as a request shows it."""
    if request.writable != "unknown":
        user, certain = request.user, request.writable == "certain"
        await context.store.people.record_reachability(user.platform, user.id, writable=True, certain=certain)


async def _remember_asker(context: Context, request: Request, person: Person, place: PlaceRow) -> RequestContext:
    if request.place.kind == "private":
        place = await _own_speaker(context, place, person)
    if request.brings is not None:
        place = await store_pass(context, request, person, place)
    context.completion_index.remember_asker(request, person, place)
    return _make_context(context, request, person, place)


async def resolve_request_cached(context: Context, request: Request) -> RequestContext:
    """Return who sent a request as far as memory knows, for what decides nothing."""

    async def ask() -> tuple[Person, PlaceRow]:
        asker = await resolve_person(context, request)
        return asker.person, asker.place

    return _make_context(context, request, *await context.completion_index.asker(request, ask))


def _make_context(context: Context, request: Request, person: Person, place: PlaceRow) -> RequestContext:
    if request.theme is not None:
        # Where neither the person nor the place has chosen one, pictures look as the screen does.
        place = replace(place, settings={**place.settings, "own_theme": request.theme})
    ours = context.place_language(place)
    mine = person.settings.get("language") or person.language or ours
    return RequestContext(request, person, place, context.speaker(mine), context.speaker(ours))


async def _own_speaker(context: Context, place: PlaceRow, person: Person) -> PlaceRow:
    """Return a private place with its person's own language, theme and time zone noted, for what comes later."""
    own = {
        "own_language": person.settings.get("language") or person.language,
        "own_theme": person.settings.get("theme"),
        "own_text": person.settings.get("text"),
        "own_side": person.settings.get("side"),
        "own_timezone": person.settings.get("timezone"),
    }
    if own == {name: place.settings.get(name) for name in own}:
        return place
    return await context.store.places.change_settings(place.id, own) or place
