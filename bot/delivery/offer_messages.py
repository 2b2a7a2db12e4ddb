"""Offers beside a board: each a message of its own, which calls those who are to answer it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from bot.core.context import Context
from bot.core.notice_routes import NoticeKind, Route
from bot.interface.cards import Card
from bot.interface.requests import Adapter, Place, Undeliverable
from bot.notices.changes import offer_subject
from bot.notices.delivery import with_mentions
from bot.play.offer_cards import answered_offer_card, offer_card
from bot.tables.consent import asked_people
from bot.tables.table import Table
from storage import Notice, Surface


async def retire_other_games(context: Context, surface: Surface) -> None:
    """Have a place that is one message show one game: what it showed before is shown there no more."""
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
    """Show every offer that people are to answer by a message of its own, once; those that are past lose theirs.

    `notices` are those that are told where the surface is. Raises Undeliverable and TryLater.
    """
    store, now = context.store, context.clock()
    if context.edits_alone(surface.place):
        return surface  # the board itself has their buttons
    going = {}
    if table.row.status == "playing" and table.line is not None:
        going = {
            offer_subject(table.row.id, offer): offer
            for offer in table.row.offers.pending
            if asked_people(table, offer)
        }
    voice = context.speaker(context.place_language(surface.place)).of(table.row.game)
    for subject, message in [each for each in surface.beside.items() if each[0] not in going]:
        card = answered_offer_card(table, voice, subject)
        shown = not removes_old_messages(surface) and await _replace_card(adapter, place, message, card)
        surface = await store.surfaces.record_extra_message(surface.id, subject, None, now, retire=not shown) or surface
    for subject, offer in going.items():
        unsent = [
            each
            for each in notices
            if each.kind == NoticeKind.OFFER and each.subject == subject and each.told_at is None
        ]
        if subject in surface.beside and not unsent:
            continue
        calls = {each.person: table.person_span(each.person) for each in unsent}
        card = replace(with_mentions(offer_card(table, voice, offer), calls, speaker=voice), about=surface.message)
        message = await adapter.send(place, card, f"{surface.id}-{subject}")
        async with store.transaction():
            surface = await store.surfaces.record_extra_message(surface.id, subject, message, now) or surface
            await store.notices.record_delivered(
                [each.id for each in unsent], now, way=Route.HERE, place=surface.place.id
            )
    return surface


def removes_old_messages(surface: Surface) -> bool:
    """Say whether only the newest board is kept where a surface is."""
    return bool(surface.place.effective.get("newest_only"))


async def _replace_card(adapter: Adapter, place: Place, message: str, card: Card) -> bool:
    """Show a card in place of what a message shows; return whether that can be. Raises TryLater."""
    try:
        await adapter.edit(place, message, card)
    except Undeliverable:
        return False
    return True
