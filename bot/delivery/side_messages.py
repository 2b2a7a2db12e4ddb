"""Messages beside a board: offers, and threads that start from the lobby's message."""

from collections.abc import Collection
from contextlib import suppress
from dataclasses import replace
from typing import Final

from bot.core.context import Context
from bot.core.notice_routes import NoticeKind, Route
from bot.interface.cards import Card
from bot.interface.requests import Adapter, Place, Undeliverable
from bot.language.texts import Span, Speaker, Text
from bot.notices.rules import offer_subject, with_mentions
from bot.play.card_parts import answered_offer_card, offer_card
from bot.tables.table import Table, list_asked_people
from storage import Notice, PlaceRow, Surface

MIN_PLAYERS_FOR_THREAD: Final = 3
"""Number of players from which a game gets its own thread by default."""
LOBBY_ANNOUNCEMENT: Final = 0
"""The announcement number of a game that has not started."""


def wants_thread(place: PlaceRow, table: Table) -> bool:
    """Return True if a game in a place should have its own thread, where the platform allows one.

    A setting decides; by default games of three and more players have one, since their boards would fill the channel,
    and so has a game of a competition.
    """
    if place.kind != "group" or place.thread is not None or place.guest:
        return False
    chosen = place.effective.get("threads")
    if table.row.terms.cup is not None:
        return chosen is not False
    return table.row.seat_count >= MIN_PLAYERS_FOR_THREAD if chosen is None else bool(chosen)


async def open_thread_message(
    context: Context, adapter: Adapter, place: Place, surface: Surface, table: Table
) -> Surface:
    """Send a message from which a thread can start, if the game has begun without a lobby."""
    line = table.line
    fresh = surface.message is None and surface.announced_turn is None and line is not None
    if not fresh or not wants_thread(surface.place, table) or line is None or line.state.turn >= table.row.seat_count:
        return surface
    if table.row.terms.cup is None and not any(entry.computer for entry in table.row.seats):
        return surface
    voice = _voice(context, surface, table)
    card = Card(voice.say("lobby.begins", game=voice.line("name"), who=_players(voice, table)))
    message = await adapter.send(place, card, f"{surface.id}-{LOBBY_ANNOUNCEMENT}-")
    noted = await context.store.surfaces.record_shown(
        surface, revision=0, message=message, turn=LOBBY_ANNOUNCEMENT, at=context.clock()
    )
    return noted or surface


def may_move_to_thread(surface: Surface, table: Table) -> bool:
    """Return True if a game has just begun where its lobby was, and should move to its own thread."""
    begun = table.line is not None and surface.announced_turn == LOBBY_ANNOUNCEMENT and surface.message is not None
    return begun and wants_thread(surface.place, table)


async def open_game_thread(
    context: Context, adapter: Adapter, place: Place, surface: Surface, table: Table
) -> str | None:
    """Open the thread of a game and return its id, None if that is not permitted."""
    voice = _voice(context, surface, table)
    title = f"{voice.line('name')}: {' – '.join(table.in_language(voice).names)}"
    return await adapter.open_thread(place, surface.message or "", title)


async def move_to_thread(
    context: Context, adapter: Adapter, place: Place, surface: Surface, table: Table, thread: str
) -> None:
    """Show a game in its thread, and say so in its lobby."""
    voice, row, store = _voice(context, surface, table), surface.place, context.store
    with suppress(Undeliverable):
        said = voice.say("lobby.in-thread", game=voice.line("name"), who=_players(voice, table))
        await adapter.edit(place, surface.message or "", Card(said))
    there = await store.places.get_or_create(row.platform, row.channel, thread, row.group, row.kind, row.title)
    async with store.transaction():
        await store.surfaces.add(surface.game, there.id, context.clock())
        await store.surfaces.close(surface.id)
        await store.notices.reopen(context.clock(), game=surface.game, place=row.id)


def _voice(context: Context, surface: Surface, table: Table) -> Speaker:
    return context.place_speaker(surface.place).of(table.row.game)


def _players(voice: Speaker, table: Table) -> Text:
    return voice.listing([Span(name, bold=True) for name in table.in_language(voice).names])


async def retire_other_games(context: Context, surface: Surface) -> None:
    """Close the surfaces of earlier games in a place that is a single message: it shows one game."""
    where = surface.place
    if surface.message is not None or not context.edits_alone(where):
        return
    over = await context.store.games.last_finished_in(where.id)
    shown = [
        *(brief.id for brief in await context.store.games.list_in_place(where.id)),
        *([over] if over is not None else []),
    ]
    for game in shown:
        for other in await context.store.surfaces.list_for_game(game):
            if other.place.id == where.id and other.id < surface.id:
                await context.store.surfaces.close(other.id)


async def show_offers(
    context: Context, adapter: Adapter, place: Place, surface: Surface, table: Table, notices: Collection[Notice]
) -> Surface:
    """Send every pending offer as a message of its own, once, and take the buttons off answered ones.

    `notices` are those shown where the surface is. Raises Undeliverable and TryLater.
    """
    store, now = context.store, context.clock()
    if context.edits_alone(surface.place):
        return surface  # the board itself has their buttons
    going = {}
    if table.row.status == "playing" and table.line is not None:
        going = {
            offer_subject(table.row.id, offer): offer
            for offer in table.row.offers.pending
            if list_asked_people(table, offer)
        }
    voice = context.place_speaker(surface.place).of(table.row.game)
    for subject, message in [each for each in surface.extra_messages.items() if each[0] not in going]:
        card = answered_offer_card(table, voice, subject)
        shown = not removes_old_messages(surface) and await _replace_card(adapter, place, message, card)
        surface = await store.surfaces.record_extra_message(surface.id, subject, None, now, retire=not shown) or surface
    for subject, offer in going.items():
        unsent = [
            each
            for each in notices
            if each.kind == NoticeKind.OFFER and each.subject == subject and each.delivered_at is None
        ]
        if subject in surface.extra_messages and not unsent:
            continue
        calls = {each.person: table.person_span(each.person) for each in unsent}
        card = replace(with_mentions(offer_card(table, voice, offer), calls, speaker=voice), about=surface.message)
        message = await adapter.send(place, card, f"{surface.id}-{subject}{ids_in_key(unsent)}")
        async with store.transaction():
            surface = await store.surfaces.record_extra_message(surface.id, subject, message, now) or surface
            await store.notices.record_delivered(unsent, now, route=Route.HERE, place=surface.place.id)
    return surface


def ids_in_key(notices: Collection[Notice]) -> str:
    """Return the end of a message's idempotency key: sent again, it may not stand for one that mentioned others."""
    return "".join(f"-{each.id}" for each in notices)


def removes_old_messages(surface: Surface) -> bool:
    """Return True if only the newest board is kept where a surface is."""
    return bool(surface.place.effective.get("newest_only"))


async def _replace_card(adapter: Adapter, place: Place, message: str, card: Card) -> bool:
    """Replace a message's content by a card; return False if that is impossible. Raises TryLater."""
    try:
        await adapter.edit(place, message, card)
    except Undeliverable:
        return False
    return True
