"""Deciding where a notice is told, and giving what is shown there those whom it calls."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from bot.core.context import Context
from bot.core.notice_routes import (
    CHANNEL_ROUTES_SETTING,
    NoticeKind,
    Route,
    RouteDecision,
    VisibleSurface,
    choose_route,
    next_digest_at,
)
from bot.interface.cards import Card
from bot.language.rich_text import Span
from bot.language.texts import Speaker, join
from bot.notices.changes import promised_revision
from bot.notices.urgent import TIME_CRITICAL_KINDS, unreachable_places
from bot.tables.table import Table
from storage import GameRow, NewNotice, Notice, PlaceRow, Surface, SurfaceWithNotices
from storage.notices import DIGEST_KIND


async def notices_for_surface(context: Context, found: SurfaceWithNotices) -> list[Notice]:
    """Return the notices that are told where a game is shown, or were, decided now where they were not before."""
    store, surface, known = context.store, found.surface, found.notices
    undecided = [each for each in known if each.way is None and each.told_at is None]
    if undecided:
        alone = found.is_only_open and surface.place.kind != "private" and not context.edits_alone(surface.place)
        if alone and all(each.due_at is None for each in undecided):
            # With but one place there is nothing to decide: it is noted when they are told.
            undecided_here = {each.id for each in undecided}
            return [each for each in known if each.id in undecided_here or _is_at(each, surface)]
        surfaces = await store.surfaces.list_for_game(surface.game)
        for each in undecided:
            await route_notice(context, each, surfaces)
        known = tuple(await store.notices.list_for_game(surface.game))
    return [each for each in known if _is_at(each, surface)]


async def route_notice(context: Context, notice: Notice, surfaces: Sequence[Surface]) -> RouteDecision | None:
    """Decide which way a notice goes, and note it; None if that was done before."""
    store, now = context.store, context.clock()
    person = await store.people.get(notice.person)
    if person is None:
        return None
    platforms = {each.platform for each in await store.people.identities(person.id)}
    seen = await store.notices.last_seen_in(person.id, [each.place.id for each in surfaces])
    choices = await store.notices.choices(person.id) if person.settings.get(CHANNEL_ROUTES_SETTING) else {}
    silent = {each.place.id for each in surfaces if context.edits_alone(each.place)}
    shown = [
        _visible_surface(each.place, seen.get(each.place.id), choices)
        for each in surfaces
        if each.place.id not in silent
    ]
    decision = choose_route(notice.kind, person.settings, platforms, shown)
    if decision == RouteDecision(Route.HERE) and silent & seen.keys():
        # What they see there is only ever edited, which calls nobody.
        decision = RouteDecision(Route.PRIVATE)
    pressed = {each.place.id for each in surfaces if each.place.guest}
    if decision.way == Route.HERE and (decision.place in pressed or decision.place not in seen):
        closed = await _is_closed_to(context, notice)
        if closed and (decision.place in closed or decision.place not in seen):
            decision = RouteDecision(Route.PRIVATE)
    if decision.way == Route.HERE and decision.place is None:
        # A board may come back, or be shown elsewhere: it calls then.
        await store.notices.wait_for_board(notice.id)
        return None
    due = now if decision.way == Route.PRIVATE else None
    async with store.transaction():
        if not await store.notices.record_route(notice.id, decision.way, place=decision.place, due_at=due):
            return None
        if decision.way == Route.DIGEST:
            at = next_digest_at(person.id, person.settings, now)
            await store.notices.promise(None, (), [NewNotice(person.id, DIGEST_KIND, "", at, Route.DIGEST)], now)
        if decision.way == Route.NONE:
            await store.notices.record_delivered([notice.id], now)
    if due is not None:
        context.signals.wake("notices")
    return decision


async def _is_closed_to(context: Context, notice: Notice) -> Collection[int]:
    """Return where somebody plays and nothing can be shown at present that calls them, though their time may run."""
    if notice.kind not in TIME_CRITICAL_KINDS or notice.game is None:
        return ()
    row = await context.store.games.get(notice.game)
    places = await unreachable_places(context, row, notice.kind) if row is not None else frozenset()
    return await context.store.notices.last_seen_in(notice.person, places) if places else ()


def with_mentions(card: Card, calls: Mapping[int, Span], *, speaker: Speaker, named: bool = False) -> Card:
    """Return a card that calls people, each by their name, which is put below where the text does not have it.

    `named` has it call those, too, for whose names seats are kept.
    """
    mentioned = {span.person for span in card.text}
    others = [span for person, span in calls.items() if person not in mentioned]
    text = join([card.text, speaker.listing(others)]) if others else card.text
    return replace(card, text=text, calls=tuple(calls), named=named)


def with_private_mention(card: Card, person: int) -> Card:
    """Return a card that calls the one person who sees it."""
    return replace(card, calls=(person,))


def with_notices(context: Context, card: Card, table: Table, surface: Surface, notices: Collection[Notice]) -> Card:
    """Return the card of a surface as it calls those whom notices are for."""
    calls = {each.person: table.person_span(each.person) for each in notices}
    # Kept seats are nobody's yet, so their names are called once: by the first message, where the game was put up.
    named = surface.message is None and surface.announced_turn is None and surface.place.id == table.row.place
    return with_mentions(card, calls, speaker=context.speaker(context.place_language(surface.place)), named=named)


def notices_on_board(notices: Collection[Notice], row: GameRow) -> list[Notice]:
    """Return of the notices of a place those that the board of a game as it was read tells.

    The game may have moved on since then: what that has promised is for the next board to tell.
    """
    return [each for each in notices if _is_told_by(each, row)]


def _is_told_by(notice: Notice, row: GameRow) -> bool:
    if notice.kind == NoticeKind.OVER:
        return row.status == "over"
    if notice.kind == NoticeKind.CHALLENGE:
        return row.status == "lobby"
    return (
        notice.kind not in (NoticeKind.OFFER, NoticeKind.PLAN)
        and notice.person == row.to_move
        and promised_revision(notice) <= row.revision
    )


def _is_at(notice: Notice, surface: Surface) -> bool:
    return notice.way == Route.HERE and notice.place == surface.place.id


def _visible_surface(place: PlaceRow, seen: datetime | None, choices: Mapping[tuple[str, str], str]) -> VisibleSurface:
    private = place.kind == "private"
    choice = choices.get((place.platform, place.channel))
    return VisibleSurface(place.id, place.platform, private, own=private and seen is not None, seen=seen, choice=choice)
