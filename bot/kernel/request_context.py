"""The sender of a request: person, place, languages, browser and rate limits; and the receipts of requests."""

import math
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from bot.kernel.cards import Button, Card, Menu, Row, row_buttons
from bot.kernel.context import Context, Public
from bot.kernel.names import clean_name, name_player
from bot.kernel.refusals import Refused
from bot.kernel.requests import Reply, Request
from bot.kernel.texts import Parameter, Span, Speaker, Timestamp
from storage import AlreadyProcessed, Doer, EventOrigin, GameRow, Json, Person, PlaceRow, ProcessedEvent


async def find_browsers(context: Context, people: Collection[int]) -> dict[int, set[tuple[str, str]]]:
    """Return the browsers of some people, each as its platform and the prefix of its ids.

    People without one are left out.
    """
    found: dict[int, set[tuple[str, str]]] = {}
    for identity in await context.store.people.identities(*people):
        browser = find_browser(context, identity.platform, identity.user_id)
        if browser is not None:
            found.setdefault(identity.person, set()).add(browser)
    return found


async def find_sharers(context: Context, people: Collection[int]) -> frozenset[int]:
    """Return the people among some who have used the same browser as another of them."""
    known = await find_browsers(context, people) if len(people) > 1 else {}
    used = Counter(browser for browsers in known.values() for browser in browsers)
    return frozenset(person for person, browsers in known.items() if any(used[each] > 1 for each in browsers))


async def people_sharing_browser(context: Context, person: int) -> frozenset[int]:
    """Return a person and everybody who has used one of their browsers."""
    beside = {person}
    for platform, beginning in (await find_browsers(context, [person])).get(person, ()):
        beside |= {
            identity.person for identity in await context.store.people.identities_with_prefix(platform, beginning)
        }
    return frozenset(beside)


def find_browser(context: Context, platform: str, user: str) -> tuple[str, str] | None:
    """Return the browser of a platform's user, None if the platform has no browsers."""
    adapter = context.adapters.get(platform)
    browser = adapter.browser_of(user) if adapter is not None else None
    return None if browser is None else (platform, browser)


_PRIVATE_PREFIX: Final = "alone-"


async def store_pass(context: Context, request: Request, person: Person, place: PlaceRow) -> PlaceRow:
    """Store the token of a press; return its place, whose language is the first person's."""
    brought, now = request.brings, context.clock()
    if brought is None:
        return place
    await context.store.passes.add(place.id, brought, now)
    if place.settings.get("own_language") is None:
        language = context.person_language(person) or context.language
        return await context.store.places.change_settings(place.id, {"own_language": language}) or place
    return place


async def activate_pass(context: Context, request: Request) -> None:
    """Use the token of a press from now on; the outbox updates the place's outdated boards with it."""
    if request.brings is None:
        return
    where = request.place
    place = await context.store.places.get_or_create(
        where.platform, where.channel, where.thread, where.group, where.kind, guest=where.guest, at=context.clock()
    )
    await context.store.passes.record_answered(place.id, request.brings.secret, context.clock())


async def private_guest_place(context: Context, request: Request, person: int) -> PlaceRow:
    """Return the place for a game that only one person sees, in replies to their requests."""
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


_REPLY_FLAGS: Final = ("private", "update", "apart", "secret")
"""The attributes of a reply that are stored with its card."""


def reply_to_json(reply: Reply) -> Json:
    """Return a reply as plain data, without its picture."""
    card: Json | None = None
    if reply.card is not None:
        text = [
            [
                *(span.text, span.bold, span.code, span.person, span.handle),
                span.timestamp and [span.timestamp.at.isoformat(), span.timestamp.style],
                *(span.command, span.link),
            ]
            for span in reply.card.text
        ]
        rows = [_row_to_json(row) for row in reply.card.rows]
        card = {"text": text, "rows": rows, "presses": dict(reply.card.presses)}
    return {"card": card, **{name: getattr(reply, name) for name in _REPLY_FLAGS}}


def reply_from_json(data: Json | None) -> Reply:
    """Return the reply that `reply_to_json` wrote, in version 0.1.0 with less; an empty one for None."""
    if data is None:
        return Reply()
    card, stored = None, data["card"]
    if stored is not None:
        text = tuple(_span_from_json(span) for span in stored["text"])
        card = Card(text, rows=tuple(_row_from_json(row) for row in stored["rows"]), presses=stored["presses"])
    return Reply(card, **{name: data[name] for name in _REPLY_FLAGS if name in data})


def _span_from_json(stored: list[Any]) -> Span:
    text, bold, code, person, *more = stored
    handle, time, command, link = more or (False, None, None, None)
    timestamp = Timestamp(datetime.fromisoformat(time[0]), time[1]) if time else None
    return Span(text, bold, code, person, handle, timestamp, command, link)


def _row_to_json(row: Row) -> Json:
    buttons = [[each.label, each.press, each.style, each.disabled] for each in row_buttons(row)]
    return {"buttons": buttons, **({"placeholder": row.placeholder} if isinstance(row, Menu) else {})}


def _row_from_json(data: Json) -> Row:
    buttons = tuple(Button(*button) for button in data["buttons"])
    return Menu(data["placeholder"], buttons) if "placeholder" in data else buttons


@dataclass(frozen=True, slots=True)
class RequestContext:
    """The sender of a request, the place, and the languages of both.

    `speaker` has the person's language, for private replies; `place_speaker` that of the place, for everybody.
    `browser` is the person's browser, None if their platform has no browsers. `is_game_here`: True if the game of the
    request is known to be shown in the place. `channel_route` is the person's chosen route of notices for this channel:
    empty for the general one, None if it was not read.
    """

    request: Request
    person: Person
    place: PlaceRow
    speaker: Speaker
    place_speaker: Speaker
    browser: tuple[str, str] | None
    is_game_here: bool = False
    channel_route: str | None = None

    @property
    def id(self) -> int:
        """The id of the person."""
        return self.person.id

    def answer(self, key: str, /, *, update: bool = False, **parameters: Parameter) -> Reply:
        """Return a private reply that consists of text."""
        return Reply(Card(self.speaker.say(key, **parameters)), update=update)

    def receipt(self, reply: Reply) -> ProcessedEvent:
        """Return the receipt that stores the reply; it only commits if the person's identity has not changed since."""
        user = self.request.user
        doer = Doer(user.id, self.person.id, self.place.id)
        return ProcessedEvent(user.platform, self.request.event, reply_to_json(reply), doer)


async def resolve_request(context: Context, request: Request, game: str | None = None) -> RequestContext:
    """Return the sender of a request, created if new; raises AlreadyProcessed if the event was handled before.

    `game` is the game that the request is about, if it is known.
    """
    store, platform = context.store, request.user.platform
    origin = _origin_of(context, request)
    known = await store.processed_events.resolve_source(request.event, origin, context.clock(), game)
    processed = known.processed if known is not None else await store.processed_events.get(platform, request.event)
    if processed is not None:
        raise AlreadyProcessed(platform, request.event, processed.reply)
    if known is None:
        async with store.transaction():
            person, place = await _store_source(context, request, origin)
        return await make_request_context(context, request, person, place)
    if request.can_dm != "unknown" and (known.can_dm is None or (not known.can_dm and request.can_dm == "certain")):
        await _record_reachability(context, request)
    requester = await make_request_context(context, request, known.person, known.place)
    # Where the bot is a guest, and in private, leaving the group of a game goes unnoticed.
    is_group = origin.kind != "private" and not origin.guest
    return replace(requester, is_game_here=known.is_game_here and is_group, channel_route=known.channel_route)


def _origin_of(context: Context, request: Request) -> EventOrigin:
    """Return the sender and place of a request in the form that the store takes."""
    user, where = request.user, request.place
    return EventOrigin(
        platform=user.platform,
        user=user.id,
        name=name_player(user.name, user.handle or "?"),
        language=context.texts.supported(user.language),
        channel=where.channel,
        thread=where.thread,
        group=where.group,
        kind=where.kind,
        title=clean_name(where.title, ""),
        guest=where.guest,
    )


async def _store_source(context: Context, request: Request, origin: EventOrigin) -> tuple[Person, PlaceRow]:
    """Update and return the sender and place of a request, and record that the sender was seen there."""
    store, now = context.store, context.clock()
    person = await store.people.identify(origin.platform, origin.user, origin.name, origin.language, at=now)
    place = await store.places.get_or_create(
        request.place.platform,
        origin.channel,
        origin.thread,
        origin.group,
        origin.kind,
        origin.title,
        guest=origin.guest,
        at=now,
        language=context.texts.supported(request.place.language),
    )
    await store.places.record_seen(place.id, person.id, now)
    if request.can_dm != "unknown":
        await _record_reachability(context, request)
    return person, place


async def _record_reachability(context: Context, request: Request) -> None:
    """Record that a private message would reach the sender."""
    user, is_certain = request.user, request.can_dm == "certain"
    await context.store.people.record_reachability(user.platform, user.id, can_dm=True, certain=is_certain)


async def resolve_request_cached(context: Context, request: Request) -> RequestContext:
    """Return the sender of a request, possibly from the cache; never base decisions on it."""

    async def store_source() -> tuple[Person, PlaceRow]:
        person, place = await _store_source(context, request, _origin_of(context, request))
        return person, (await make_request_context(context, replace(request, theme=None), person, place)).place

    key = (request.user, request.place)
    person, place = await context.sources.read(key, store_source)
    return await make_request_context(context, request, person, place, is_cached=True)


async def make_request_context(
    context: Context, request: Request, person: Person, place: PlaceRow, *, is_cached: bool = False
) -> RequestContext:
    """Return the sender of a request, after storing their private place's settings and the request's token."""
    if request.place.kind == "private" and not is_cached:
        place = await _own_speaker(context, place, person)
    if request.brings is not None and not is_cached:
        place = await store_pass(context, request, person, place)
    if request.theme is not None:
        # If neither the person nor the place has chosen a theme, pictures match the screen.
        place = replace(place, settings={**place.settings, "own_theme": request.theme})
    place_speaker = context.place_language(place)
    speaker = context.person_language(person) or place_speaker
    return RequestContext(
        request,
        person,
        place,
        context.speaker(speaker, request.user.platform),
        context.speaker(place_speaker, place.platform),
        find_browser(context, request.user.platform, request.user.id),
    )


async def _own_speaker(context: Context, place: PlaceRow, person: Person) -> PlaceRow:
    """Store the person's language, theme and time zone in their private place, for later messages; return the place."""
    own = {
        "own_language": context.person_language(person),
        "own_theme": person.settings.get("theme"),
        "own_text": person.settings.get("text"),
        "own_side": person.settings.get("side"),
        "own_timezone": person.settings.get("timezone"),
    }
    if own == {name: place.settings.get(name) for name in own}:
        return place
    return await context.store.places.change_settings(place.id, own) or place


def list_seated_people(row: GameRow, states: Iterable[str] = ("joined", "invited")) -> list[int]:
    """Return the people who have a seat in a game, or an invitation."""
    wanted = frozenset(states)
    return [entry.person for entry in row.seats if entry.state in wanted and entry.person is not None]


async def throttle(
    context: Context, requester: RequestContext, kind: Public | None, work: Callable[[], Awaitable[Reply]]
) -> Reply:
    """Run a public action and count it; raises Refused beyond the hourly limit of its kind.

    Opening or entering a game is counted where it happens, since the same command may only show a form.
    """
    if kind is None or kind is Public.BEGIN:
        return await work()
    check_pace(context, requester, kind)
    reply = await work()
    if not reply.talk:
        note_public(context, requester, kind)
    return reply


def check_pace(context: Context, requester: RequestContext, kind: Public) -> None:
    """Raise Refused if the person, or their browser, has reached the hourly limit of a kind of action."""
    hourly = context.rate_limits[kind]
    seconds = max(map(hourly.wait_seconds, filter(None, (requester.person.id, requester.browser))))
    if seconds:
        key = "refusal.too-many-games-an-hour" if kind is Public.BEGIN else "refusal.too-often"
        raise Refused(key, most=hourly.most, minutes=math.ceil(seconds / 60))


def note_public(context: Context, requester: RequestContext, kind: Public) -> None:
    """Count a public action."""
    for who in filter(None, (requester.person.id, requester.browser)):
        context.rate_limits[kind].record(who)
