"""The sender of a request: person, place, languages, browser, rate limits; and the receipts of requests."""

from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from bot.kernel.cards import Button, Card, Menu, Row
from bot.kernel.context import Context, Public
from bot.kernel.names import clean_name, name_player
from bot.kernel.refusals import Refused
from bot.kernel.requests import Reply, Request, User
from bot.kernel.texts import Parameter, Span, Speaker, Timestamp
from storage import AlreadyProcessed, Doer, GameRow, NewInteractionPass, Person, PlaceRow, ProcessedEvent


async def find_browsers(context: Context, people: Collection[int]) -> dict[int, frozenset[tuple[str, str]]]:
    """Return the browsers of some people, each as its platform and the prefix of its ids.

    People without one are left out.
    """
    found: dict[int, set[tuple[str, str]]] = {}
    for identity in await context.store.people.identities(*people):
        browser = _browser(context, identity.platform, identity.user_id)
        if browser is not None:
            found.setdefault(identity.person, set()).add(browser)
    return {person: frozenset(browsers) for person, browsers in found.items()}


async def find_sharers(context: Context, people: Collection[int]) -> frozenset[int]:
    """Return those of some people who have used the same browser as another of them."""
    known = await find_browsers(context, people) if len(people) > 1 else {}
    used = Counter(browser for browsers in known.values() for browser in browsers)
    return frozenset(person for person, browsers in known.items() if any(used[each] > 1 for each in browsers))


async def people_sharing_browser(context: Context, person: int) -> frozenset[int]:
    """Return a person together with everybody who has used one of their browsers."""
    beside = {person}
    for platform, beginning in (await find_browsers(context, [person])).get(person, ()):
        beside |= {
            identity.person for identity in await context.store.people.identities_with_prefix(platform, beginning)
        }
    return frozenset(beside)


def browser_of_user(context: Context, user: User) -> tuple[str, str] | None:
    """Return the browser of a platform's user, None if the platform knows none."""
    return _browser(context, user.platform, user.id)


def _browser(context: Context, platform: str, user: str) -> tuple[str, str] | None:
    adapter = context.adapters.get(platform)
    browser = adapter.browser_of(user) if adapter is not None else None
    return None if browser is None else (platform, browser)


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


def reply_to_json(reply: Reply) -> dict[str, Any]:
    """Return a reply as plain data, without its picture."""
    return {
        "card": None if reply.card is None else _card_to_json(reply.card),
        "private": reply.private,
        "update": reply.update,
        "apart": reply.apart,
        "secret": reply.secret,
    }


def reply_from_json(data: dict[str, Any] | None) -> Reply:
    """Return the reply that `reply_to_json` wrote; an empty one for None."""
    if data is None:
        return Reply()
    card = data["card"]
    whose = {"apart": data.get("apart", False), "secret": data.get("secret", False)}
    return Reply(None if card is None else _card_from_json(card), data["private"], data["update"], **whose)


def _card_to_json(card: Card) -> dict[str, Any]:
    return {
        "text": [_span_to_json(span) for span in card.text],
        "rows": [_row_to_json(row) for row in card.rows],
        "presses": dict(card.presses),
    }


def _card_from_json(data: dict[str, Any]) -> Card:
    text = tuple(_span_from_json(span) for span in data["text"])
    return Card(text, rows=tuple(_row_from_json(row) for row in data["rows"]), presses=data["presses"])


def _span_to_json(span: Span) -> list[Any]:
    stored_time = span.timestamp and [span.timestamp.at.isoformat(), span.timestamp.style]
    return [span.text, span.bold, span.code, span.person, span.handle, stored_time, span.command, span.link]


def _span_from_json(stored: list[Any]) -> Span:
    """Return a span; earlier versions stored only the first four fields of `_span_to_json`."""
    text, bold, code, person, *more = stored
    handle, stored_time, command, link = more or (False, None, None, None)
    timestamp = Timestamp(datetime.fromisoformat(stored_time[0]), stored_time[1]) if stored_time else None
    return Span(text, bold, code, person, handle, timestamp, command, link)


def _row_to_json(row: Row) -> dict[str, Any]:
    buttons = row.options if isinstance(row, Menu) else row
    data: dict[str, Any] = {
        "buttons": [[button.label, button.press, button.style, button.disabled] for button in buttons]
    }
    if isinstance(row, Menu):
        data["placeholder"] = row.placeholder
    return data


def _row_from_json(data: dict[str, Any]) -> Row:
    buttons = tuple(Button(*button) for button in data["buttons"])
    return Menu(data["placeholder"], buttons) if "placeholder" in data else buttons


@dataclass(frozen=True, slots=True)
class RequestContext:
    """A person who asks for something, the place, and the languages of both.

    `speaker` speaks the person's language, for private replies; `place_speaker` that of the place, for all.
    `is_game_here` says that the game which the request is about is known to be shown in the place.
    `channel_route` is how the person has chosen to be notified in this channel: empty if the same as elsewhere, None if
    that was not read.
    """

    request: Request
    person: Person
    place: PlaceRow
    speaker: Speaker
    place_speaker: Speaker
    is_game_here: bool = False
    channel_route: str | None = None

    @property
    def id(self) -> int:
        """The id of the person."""
        return self.person.id

    def answer(self, key: str, /, *, update: bool = False, **parameters: Parameter) -> Reply:
        """Return a private reply in words alone."""
        return Reply(Card(self.speaker.say(key, **parameters)), update=update)

    def receipt(self, reply: Reply) -> ProcessedEvent:
        """Return the receipt that stores the reply; it only commits while the person's identity is the same as here."""
        user = self.request.user
        doer = Doer(user.id, self.person.id, self.place.id)
        return ProcessedEvent(user.platform, self.request.event, reply_to_json(reply), doer)


async def resolve_request(context: Context, request: Request, game: str | None = None) -> RequestContext:
    """Return the sender of a request, creating them if new; AlreadyProcessed if the event was handled before.

    `game` is the game that the request is about, if it is known.
    """
    user, where = request.user, request.place
    known = await context.store.processed_events.resolve_source(
        user.platform,
        request.event,
        user=user.id,
        name=name_player(user.name, user.handle or "?"),
        language=context.texts.supported(user.language),
        channel=where.channel,
        thread=where.thread,
        group=where.group,
        kind=where.kind,
        title=clean_name(where.title, ""),
        guest=where.guest,
        at=context.clock(),
        game=game,
    )
    if known is not None and (known.can_dm is None or (known.can_dm is False and request.can_dm == "certain")):
        await _record_reachability(context, request)
    processed = (
        await context.store.processed_events.get(user.platform, request.event) if known is None else known.processed
    )
    if processed is not None:
        raise AlreadyProcessed(user.platform, request.event, processed.reply)
    if known is not None:
        requester = await _remember_requester(context, request, known.person, known.place)
        # Where the bot is a guest, and in private, no one says who has left the group of a game.
        is_group = where.kind != "private" and not where.guest
        return replace(requester, is_game_here=known.is_game_here and is_group, channel_route=known.channel_route)
    async with context.store.transaction():
        person, place = await _store_source(context, request)
    return await _remember_requester(context, request, person, place)


async def _store_source(context: Context, request: Request) -> tuple[Person, PlaceRow]:
    """Return the sender and the place of a request, as they are now, and record that they were seen there."""
    user, where = request.user, request.place
    name = name_player(user.name, user.handle or "?")
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
        language=context.texts.supported(where.language),
    )
    await context.store.places.record_seen(place.id, person.id, context.clock())
    await _record_reachability(context, request)
    return person, place


async def _record_reachability(context: Context, request: Request) -> None:
    """Record whether a private message would reach the sender, as far as the request shows it."""
    if request.can_dm != "unknown":
        user, certain = request.user, request.can_dm == "certain"
        await context.store.people.record_reachability(user.platform, user.id, can_dm=True, certain=certain)


async def _remember_requester(context: Context, request: Request, person: Person, place: PlaceRow) -> RequestContext:
    if request.place.kind == "private":
        place = await _own_speaker(context, place, person)
    if request.brings is not None:
        place = await store_pass(context, request, person, place)
    context.completion_index.remember_requester(request, person, place)
    return _make_context(context, request, person, place)


async def resolve_request_cached(context: Context, request: Request) -> RequestContext:
    """Return the sender of a request, possibly from the cache: only for what decides nothing."""

    async def ask() -> tuple[Person, PlaceRow]:
        requester = await _remember_requester(context, request, *await _store_source(context, request))
        return requester.person, requester.place

    return _make_context(context, request, *await context.completion_index.requester(request, ask))


def _make_context(context: Context, request: Request, person: Person, place: PlaceRow) -> RequestContext:
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
    )


async def _own_speaker(context: Context, place: PlaceRow, person: Person) -> PlaceRow:
    """Store the person's own language, theme and time zone in their private place, for later messages; return it."""
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
    """Return the people who sit in a game, or are invited to."""
    wanted = frozenset(states)
    return [entry.person for entry in row.seats if entry.state in wanted and entry.person is not None]


async def throttle(
    context: Context, requester: RequestContext, kind: Public | None, work: Callable[[], Awaitable[Reply]]
) -> Reply:
    """Run a public action and count it; Refused if its kind was done too often lately.

    What opens or enters something is counted where it happens, since the same command may only show a form.
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
    minutes = max(hourly.minutes_to_wait(who) for who in _rate_limit_keys(context, requester))
    if minutes:
        key = "refusal.too-many-games-an-hour" if kind is Public.BEGIN else "refusal.too-often"
        raise Refused(key, most=hourly.most, minutes=minutes)


def note_public(context: Context, requester: RequestContext, kind: Public) -> None:
    """Count a public action."""
    for who in _rate_limit_keys(context, requester):
        context.rate_limits[kind].record(who)


def _rate_limit_keys(context: Context, requester: RequestContext) -> Iterator[Hashable]:
    yield requester.person.id
    browser = browser_of_user(context, requester.request.user)
    if browser is not None:
        yield browser
