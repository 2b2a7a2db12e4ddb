"""The notices that a step of a game creates or makes obsolete, and the route of each."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from bot.kernel.cards import Card
from bot.kernel.context import Context
from bot.kernel.line import Line
from bot.kernel.preferences import (
    CHANNEL_ROUTES_SETTING,
    ROUTE_SETTING,
    NoticeKind,
    Route,
    RouteDecision,
    VisiblePost,
    choose_route,
    is_quiet,
    next_digest_at,
)
from bot.kernel.request_context import RequestContext, is_private_channel
from bot.kernel.table import Table, list_asked_people, list_manual_starters
from bot.kernel.texts import Span, Speaker, join
from bot.table.clocks import is_handed_on
from storage import (
    GameRow,
    NewEvent,
    NewNotice,
    Notice,
    Offer,
    PastNotice,
    Person,
    PlaceRow,
    Post,
    PostWithNotices,
)
from storage.notices import DIGEST_KIND

Promised = list[tuple[NoticeKind, str, int | None]]
"""New notices, each as kind, subject and person, None for no person."""
TIMEOUT_REASON: Final = "time"
"""The reason of an event that drops a seat by timeout."""


def notice_changes(
    before: Table, row: GameRow, line: Line | None, events: Sequence[NewEvent], now: datetime
) -> tuple[list[PastNotice], list[NewNotice]]:
    """Return the notices that a step from a table to a changed row makes obsolete, and the new ones."""
    revision = before.row.revision + len(events)
    past: list[PastNotice] = []
    promised: Promised = []
    if is_handed_on(before.row, row):
        past += [PastNotice(NoticeKind.TURN), PastNotice(NoticeKind.TIME)]
        if row.terms.team is not None:
            past.append(PastNotice(NoticeKind.TEAM))
        if row.is_playing:
            promised.append((NoticeKind.TURN, f"{row.id}:{revision}", row.to_move))
    if row.is_playing and row.reminder is not None and row.reminder != before.row.reminder:
        promised.append((NoticeKind.TIME, f"{row.id}:{revision}", row.to_move))
    if before.row.offers.pending or row.offers.pending:
        _offer_notices(before, replace(before, brief=row, row=row, line=line), past, promised)
    if row.is_lobby:
        known, asked = _invited_people(before.row), _invited_people(row)
        past += [PastNotice(NoticeKind.CHALLENGE, person=person) for person in known - asked]
        promised += [(NoticeKind.CHALLENGE, row.id, person) for person in sorted(asked - known)]
    elif before.row.is_lobby:
        past.append(PastNotice(NoticeKind.CHALLENGE))
    if row.is_over and before.row.is_playing:
        promised += [(NoticeKind.OVER, row.id, person) for person in _people_to_notify_of_end(before, events)]
    # A team has no address: its members are notified if they asked for it.
    teams = {each.id for each in before.teams} if row.terms.team is not None else set()
    new = [
        _make_notice(before.people, person, kind, subject, now)
        for kind, subject, person in promised
        if person is not None and person not in teams
    ]
    return past, new


def challenge_notices(row: GameRow, people: Mapping[int, Person], now: datetime) -> tuple[NewNotice, ...]:
    """Return the notices of a new game: a challenge for every invited person."""
    asked = [entry.person for entry in row.seats if entry.state == "invited" and entry.person is not None]
    return tuple(_make_notice(people, person, NoticeKind.CHALLENGE, row.id, now) for person in asked)


def offers_by_subject(row: GameRow) -> dict[str, Offer]:
    """Return the pending offers of a game by the subjects of their notices, which differ for every offer."""
    return {f"{row.id}:{offer.kind}:{offer.revision}": offer for offer in row.offers.pending}


def promised_revision(notice: Notice) -> int:
    """Return the revision of the game in the subject of a notice of a turn, or of a reminder of it."""
    revision = notice.subject.rpartition(":")[2]
    return int(revision) if revision.isdecimal() else 0


def _offer_notices(before: Table, after: Table, past: list[PastNotice], promised: Promised) -> None:
    known, going = offers_by_subject(before.row), offers_by_subject(after.row)
    past += [PastNotice(NoticeKind.OFFER, subject) for subject in known if subject not in going]
    if after.line is None or not after.row.is_playing:
        return
    for subject, offer in going.items():
        asked = list_asked_people(after, offer)
        if subject not in known:
            promised += [(NoticeKind.OFFER, subject, person) for person in asked]
        elif offer != known[subject]:
            answered = set(list_asked_people(before, known[subject])) - set(asked)
            past += [PastNotice(NoticeKind.OFFER, subject, person) for person in answered]


def _invited_people(row: GameRow) -> set[int]:
    """Return the people who have to act in a lobby: invited people, and those who have to start it manually."""
    invited = {entry.person for entry in row.seats if entry.state == "invited" and entry.person is not None}
    return invited | set(list_manual_starters(row))


def _people_to_notify_of_end(before: Table, events: Sequence[NewEvent]) -> list[int]:
    """Return the players who neither ended a game by their own action nor had left it before."""
    dropped = (before.row.position or {}).get("dropped", ())
    doers = {event.person for event in events if event.data.get("why") != TIMEOUT_REASON}
    seated = {entry.seat: entry.person for entry in before.row.seats if entry.seat not in dropped}
    return [person for person in seated.values() if person is not None and person not in doers]


def _make_notice(people: Mapping[int, Person], person: int, kind: NoticeKind, subject: str, now: datetime) -> NewNotice:
    known = people.get(person)
    settings: Mapping[str, Any] = known.settings if known is not None else {}
    # People without another choice are notified by the board in their place; for others a message becomes due.
    is_here = settings.get(ROUTE_SETTING, Route.HERE) == Route.HERE and not settings.get(CHANNEL_ROUTES_SETTING)
    return NewNotice(person, kind, subject, None if is_here else now)


TIME_CRITICAL_KINDS: Final = frozenset({NoticeKind.TURN, NoticeKind.TIME, NoticeKind.OVER})
"""The kinds that must be delivered in time if a clock runs."""


async def unreachable_places(context: Context, row: GameRow, kind: str) -> frozenset[int]:
    """Return the places of a game with a clock where nothing that is shown now would notify people.

    A solo game in private replies shows its turns and its end there, but never a timeout.
    """
    if not row.terms.has_clock or kind not in TIME_CRITICAL_KINDS:
        return frozenset()
    found = await context.store.passes.places_without(row.id, context.clock())
    if found or kind == NoticeKind.TURN:
        return frozenset(found)
    place = await context.store.places.get(row.place)
    return frozenset({place.id}) if place is not None and is_private_channel(place.channel) else frozenset()


async def with_urgent_notices(
    context: Context, row: GameRow, events: Sequence[NewEvent], promised: Sequence[NewNotice], now: datetime
) -> tuple[NewNotice, ...]:
    """Return a step's notices in a game with a clock, due at once where no board can deliver them in time."""
    by_time = any(event.data.get("why") == TIMEOUT_REASON for event in events)
    people = {entry.person for entry in row.seats} - {None}
    # A player without human opponents sees the end in the reply, unless it came by timeout.
    urgent_kinds = TIME_CRITICAL_KINDS if by_time or len(people) > 1 else TIME_CRITICAL_KINDS - {NoticeKind.OVER}
    late = {each.kind for each in promised if each.due_at is None and each.kind in urgent_kinds}
    late = {kind for kind in late if await unreachable_places(context, row, kind)}
    return tuple(replace(each, due_at=now) if each.kind in late and each.due_at is None else each for each in promised)


async def notices_for_post(context: Context, found: PostWithNotices) -> list[Notice]:
    """Return the notices that a post delivers or has delivered, after choosing the routes of undecided ones."""
    store, post, known = context.store, found.post, found.notices
    undecided = [each for each in known if each.route is None and each.delivered_at is None]
    if undecided:
        alone = found.is_only_open and post.place.kind != "private" and not context.edits_alone(post.place)
        alone = alone and not is_quiet(post.place)
        if alone and all(each.due_at is None and each.person in found.user_ids for each in undecided):
            # With only one place there is nothing to decide: the route is recorded with the delivery.
            undecided_here = {each.id for each in undecided}
            return [each for each in known if each.id in undecided_here or _is_routed_to(each, post)]
        posts = await store.posts.list_for_game(post.game or "")
        for each in undecided:
            await route_notice(context, each, posts)
        known = tuple(await store.notices.list_for_game(post.game or ""))
    return [each for each in known if _is_routed_to(each, post)]


async def route_notice(context: Context, notice: Notice, posts: Sequence[Post]) -> RouteDecision | None:
    """Choose the route of a notice and record it; None if it was decided before or waits for a post."""
    store, now = context.store, context.clock()
    person = await store.people.get(notice.person)
    if person is None:
        return None
    identities = await store.people.identities(person.id)
    platforms = {each.platform for each in identities}
    seen = await store.notices.last_seen_in(person.id, [each.place.id for each in posts])
    choices = await store.notices.choices(person.id) if person.settings.get(CHANNEL_ROUTES_SETTING) else {}
    silent = {each.place.id for each in posts if context.edits_alone(each.place)}
    shown: list[VisiblePost] = []
    for place in (each.place for each in posts if each.place.id not in silent):
        own, last = place.kind == "private" and place.id in seen, seen.get(place.id)
        choice = choices.get((place.platform, place.channel))
        shown.append(VisiblePost(place.id, place.platform, place.kind == "private", own, last, choice))
    decision = choose_route(notice.kind, person.settings, platforms, shown)
    if decision.route == Route.HERE:
        here = next((each.place for each in posts if each.place.id == decision.place), None)
        if here is None:
            # Messages in their place may only be edited, which notifies no one.
            is_unheard = not silent.isdisjoint(seen)
        else:
            # In a quiet place nothing rings; people who have chosen no route are notified in private instead.
            chosen = ROUTE_SETTING in person.settings or person.settings.get(CHANNEL_ROUTES_SETTING)
            rings = notice.kind != NoticeKind.OVER and not chosen and any(each.can_dm for each in identities)
            is_unheard = is_quiet(here) and rings
        if not is_unheard and (here is None or here.guest or here.id not in seen):
            closed = await _is_closed_to(context, notice)
            is_unheard = bool(closed) and (here is None or here.id in closed or here.id not in seen)
        if is_unheard:
            decision = RouteDecision(Route.PRIVATE)
        elif here is None:
            # A board that is shown later notifies them.
            await store.notices.wait_for_post(notice)
            return None
    due = now if decision.route == Route.PRIVATE else None
    async with store.transaction():
        if not await store.notices.record_route(notice, decision.route, place=decision.place, due_at=due):
            return None
        if decision.route == Route.DIGEST:
            at = next_digest_at(person.id, person.settings, now)
            await store.notices.promise(None, (), [NewNotice(person.id, DIGEST_KIND, "", at, Route.DIGEST)], now)
        if decision.route == Route.NONE:
            await store.notices.record_delivered([notice], now)
    if due is not None:
        context.signals.wake("notices")
    return decision


async def _is_closed_to(context: Context, notice: Notice) -> Collection[int]:
    """Return the places, among those where a person was seen, in which their game cannot notify them in time."""
    row = await context.store.games.get(notice.game) if notice.game is not None else None
    places = await unreachable_places(context, row, notice.kind) if row is not None else ()
    return await context.store.notices.last_seen_in(notice.person, places) if places else ()


def with_mentions(card: Card, calls: Mapping[int, Span], *, speaker: Speaker, named: bool = False) -> Card:
    """Return a card that mentions people; a sentence below names those who are not named in its text.

    With `named` the card also mentions the names for which seats are reserved.
    """
    mentioned = {span.person for span in card.text}
    others = [span for person, span in calls.items() if person not in mentioned]
    sentence = speaker.say("mentioned", n=len(others), who=speaker.listing(others)) if others else ()
    text = join([card.text, sentence])
    return replace(card, text=text, calls=tuple(calls), named=named)


def with_private_mention(card: Card, person: int) -> Card:
    """Return a card that mentions the one person who sees it."""
    return replace(card, calls=(person,))


def with_notices(card: Card, table: Table, post: Post, notices: Collection[Notice], speaker: Speaker) -> Card:
    """Return the card of a post with mentions of the people whom the notices are for."""
    calls = {each.person: table.person_span(each.person) for each in notices}
    # Reserved seats have no person yet, so their names are mentioned once: in the first message of the game's place.
    named = post.message is None and post.announced is None and post.place.id == table.row.place
    return with_mentions(card, calls, speaker=speaker, named=named)


def notices_on_board(notices: Collection[Notice], row: GameRow) -> list[Notice]:
    """Return the notices of a place that the board of a game, as it was read, delivers.

    Newer notices are left for the next board, because the game may have changed since.
    """
    if not row.is_playing:
        wanted = NoticeKind.OVER if row.is_over else NoticeKind.CHALLENGE
        return [each for each in notices if each.kind == wanted]
    turns = [each for each in notices if each.kind in (NoticeKind.TURN, NoticeKind.TIME)]
    return [each for each in turns if each.person == row.to_move and promised_revision(each) <= row.revision]


def _is_routed_to(notice: Notice, post: Post) -> bool:
    return notice.route == Route.HERE and notice.place == post.place.id


async def whole_channel(context: Context, place: PlaceRow) -> PlaceRow:
    """Return the channel of a thread; a place that is a channel is returned unchanged."""
    if place.thread is None:
        return place
    return await context.store.places.get_or_create(place.platform, place.channel, None, place.group)


async def read_channel_route(context: Context, requester: RequestContext) -> str | None:
    """Return the route that the requester has chosen for this channel, None if none."""
    if not requester.person.settings.get(CHANNEL_ROUTES_SETTING):
        return None
    if requester.channel_route is not None:
        return requester.channel_route or None
    choices = await context.store.notices.choices(requester.id)
    return choices.get((requester.place.platform, requester.place.channel))


async def set_channel_route(context: Context, requester: RequestContext, way: str | None) -> None:
    """Store the route that the requester chooses for this channel; None: their general route."""
    place, store = await whole_channel(context, requester.place), context.store
    async with store.transaction():
        await store.notices.set_choice(place.id, requester.id, way)
        apart = True if await store.notices.choices(requester.id) else None
        person = await store.people.change_settings(requester.id, {CHANNEL_ROUTES_SETTING: apart}) or requester.person
    await reroute_notices(context, person)


async def reroute_notices(context: Context, person: Person) -> None:
    """Choose the routes of a person's open notices again, and reschedule their digest."""
    store, now = context.store, context.clock()
    await store.notices.reopen(now, person=person.id)
    for each in await store.notices.list_for_person(person.id, Route.DIGEST):
        if each.kind == DIGEST_KIND:
            await store.notices.postpone(each, next_digest_at(person.id, person.settings, now))
    context.signals.wake("notices")
