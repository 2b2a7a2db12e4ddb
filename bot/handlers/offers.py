"""Beside the board: taking back, draws, pauses, giving up together, calling off, playing again."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Final

from bot.context.asker import Asker
from bot.context.context import Context
from bot.handlers import nonmember
from bot.handlers.finding import my_table
from bot.handlers.settings import see_that_they_manage
from bot.handlers.table import current
from bot.interface.cards import Card
from bot.interface.presses import Press, press
from bot.interface.refusals import Refused
from bot.interface.requests import Reply
from bot.presenters.offers import made_words, more_card
from bot.services import offers
from bot.services.browsers import names_beside
from bot.services.mending import as_whole_as_can_be
from bot.services.play import playing_seat
from bot.services.replaying import line_of_play, replaying
from bot.services.steps import store_step
from bot.services.takebacks import undone, way_back
from bot.tables.broken import BrokenGame
from bot.tables.table import Table
from engine import games
from storage import GameBrief, NewEvent, OfferKind

NO_WORDS: Final = Reply()


async def draw(context: Context, asker: Asker, values: Mapping[str, str]) -> Reply:
    """Offer a draw, or agree to one."""
    table = await my_table(context, asker, values.get("game"), _again(OfferKind.DRAW))
    return await make_offer(context, asker, table, OfferKind.DRAW)


async def pause(context: Context, asker: Asker, values: Mapping[str, str]) -> Reply:
    """Offer to stop the clock, or to let it run again; or agree."""
    table = await my_table(context, asker, values.get("game"), _again(OfferKind.PAUSE))
    return await make_offer(context, asker, table, OfferKind.PAUSE)


async def undo(context: Context, asker: Asker, values: Mapping[str, str]) -> Reply:
    """Take something back: freely within one's turn, else if the others agree."""
    table = await my_table(context, asker, values.get("game"), lambda brief: press("undo", brief.id, brief.revision))
    return await take_back(context, asker, table)


async def press_undo(context: Context, asker: Asker, pressed: Press) -> Reply:
    """The button Take back."""
    return await take_back(context, asker, await current(context, pressed))


async def take_back(context: Context, asker: Asker, table: Table) -> Reply:
    """Take something back, or offer to."""
    seat = playing_seat(table, asker)
    if table.row.offers.of(OfferKind.UNDO) is not None:
        return await make_offer(context, asker, table, OfferKind.UNDO)
    back = await way_back(context, table, seat)
    if not back.free:
        offered = await make_offer(context, asker, table, OfferKind.UNDO, to=back.to)
        unseen = await nonmember.is_unseen(context, asker, table.row.id)
        return await nonmember.board(context, asker, table.row.id) if unseen else offered
    reply = Reply(Card(asker.mine.say("undo.done")), private=True, update=True)
    row, line, event = await undone(context, table, back.to, 1)
    await store_step(context, table, row, [event], line=line, processed=asker.receipt(reply))
    unseen = await nonmember.is_unseen(context, asker, table.row.id)
    return await nonmember.board(context, asker, table.row.id) if unseen else reply


async def press_offer(context: Context, asker: Asker, pressed: Press) -> Reply:
    """An offer made by a button."""
    kind = OfferKind.named(pressed.rest)
    if kind not in (OfferKind.DRAW, OfferKind.TOGETHER, OfferKind.PAUSE, OfferKind.WAIT):
        raise Refused("refusal.stale")
    return await make_offer(context, asker, await current(context, pressed), kind)


async def make_offer(context: Context, asker: Asker, table: Table, kind: OfferKind, to: int | None = None) -> Reply:
    """Make an offer that needs the others' consent, or agree to the one that is there."""
    seat = playing_seat(table, asker)
    if kind in (OfferKind.PAUSE, OfferKind.WAIT) and not table.row.terms.clock:
        raise Refused("refusal.no-clock")
    if kind == OfferKind.WAIT and table.mover == seat:
        raise Refused("refusal.not-yours-to-agree")
    known = table.row.offers.of(kind)
    offer = replace(offers.new_offer(table, asker.person.id, kind), to=to)
    if offers.settles(table, offer, seat):
        said = asker.mine.say("undo.done" if kind == OfferKind.UNDO else "offer.settled")
    else:
        said = asker.mine.say("offer.you-agreed") if known is not None else made_words(table, asker.mine, kind)
    reply = Reply(Card(said), private=True, update=True)
    await offers.make(context, asker, table, offer, reply)
    return reply


async def press_agree(context: Context, asker: Asker, pressed: Press) -> Reply:
    """The button Agree."""
    table, kind = await _answered(context, pressed)
    await offers.agree(context, asker, table, kind, NO_WORDS)
    return NO_WORDS


async def press_refuse(context: Context, asker: Asker, pressed: Press) -> Reply:
    """The button Decline beside an offer."""
    table, kind = await _answered(context, pressed)
    await offers.refuse(context, asker, table, kind, NO_WORDS)
    return NO_WORDS


async def press_more(context: Context, asker: Asker, pressed: Press) -> Reply:
    """The button More: what else a player can do."""
    table = await context.table(pressed.game or "")
    seat = playing_seat(table, asker)
    early = await not_everybody_had_a_turn(context, table)
    spoken = table.spoken(asker.mine)
    absent = table.mover not in (None, seat) and offers.is_absent(context, table)
    card = more_card(spoken, asker.mine.of(table.row.game), seat=seat, early=early, absent=absent)
    return Reply(card, private=True)


async def press_off(context: Context, asker: Asker, pressed: Press) -> Reply:
    """The button that proposes to call a game off before everybody has had a turn: nobody loses by it.

    Seats and dice have been seen by then: if one could call it off alone, they could do so until both suit them.
    """
    table = await current(context, pressed)
    playing_seat(table, asker)
    if not await not_everybody_had_a_turn(context, table):
        raise Refused("refusal.too-late-to-call-off")
    return await make_offer(context, asker, table, OfferKind.OFF)


async def close(context: Context, asker: Asker, values: Mapping[str, str]) -> Reply:
    """End a game that is stuck, without a result; for those who manage the place where it is shown."""
    # Before any game is offered to be ended.
    see_that_they_manage(asker)
    try:
        table = await my_table(
            context, asker, values.get("game"), lambda brief: press("close", brief.id, brief.revision), seated=False
        )
    except BrokenGame as broken:
        return await close_damaged(context, asker, broken)
    return await close_table(context, asker, table)


async def press_close(context: Context, asker: Asker, pressed: Press) -> Reply:
    """A game chosen to be ended."""
    try:
        table = await current(context, pressed)
    except BrokenGame as broken:
        return await close_damaged(context, asker, broken)
    return await close_table(context, asker, table)


async def close_table(context: Context, asker: Asker, table: Table) -> Reply:
    """End a game for those who manage a place where it was started or is shown.

    Whoever plays in it themselves, or does so by another name in their browser, can do so only when somebody else has
    not moved for a day: nobody is to escape from a loss like this.
    """
    await _may_close(context, asker, table)
    if table.row.status == "playing":
        mine = await names_beside(context, asker.person.id)
        waits = table.person_at(table.mover) in mine and _opponents(table, mine)
        if _plays(table, mine) and (waits or not offers.is_absent(context, table)):
            raise Refused("refusal.not-stuck")
    return await end_by_table(context, asker, table, "closed")


async def close_damaged(context: Context, asker: Asker, broken: BrokenGame) -> Reply:
    """End a game that was set aside, for those who manage a place of it; who plays in it can do so after a day.

    It may be put right, or be installed again, and be lost by then. What is damaged of it gives way to what its events
    lead to, or else to nothing.
    """
    table = await context.table_as_stored(str(broken.params["game"]))
    await _may_close(context, asker, table)
    mine = await names_beside(context, asker.person.id)
    if _plays(table, mine) and _opponents(table, mine) and not offers.has_waited(context, table):
        raise Refused("refusal.not-stuck")
    return await end_by_table(
        context, asker, replace(table, row=await as_whole_as_can_be(context.store, table.row)), "closed"
    )


def _plays(table: Table, people: Collection[int]) -> bool:
    return any(entry.person in people for entry in table.row.seats)


def _opponents(table: Table, people: Collection[int]) -> bool:
    """Say whether somebody else plays in a game, apart from computers."""
    return any(entry.person is not None and entry.person not in people for entry in table.row.seats)


async def _may_close(context: Context, asker: Asker, table: Table) -> None:
    see_that_they_manage(asker)
    if not await _belongs_here(context, asker, table):
        raise Refused("refusal.not-its-manager")
    if table.row.status == "over":
        raise Refused("refusal.is-over")
    if table.row.terms.cup is not None:
        raise Refused("refusal.cup-close", code=table.row.terms.cup)


async def _belongs_here(context: Context, asker: Asker, table: Table) -> bool:
    """Say whether a game was started, or is shown, in the asker's channel or a thread of it."""
    here = asker.place
    if here.id == table.row.place:
        return True
    started = await context.store.place_by_id(table.row.place)
    shown = [surface.place for surface in await context.store.surfaces(table.row.id)]
    places = [*shown, *([started] if started else [])]
    return any((place.platform, place.channel) == (here.platform, here.channel) for place in places)


async def end_by_table(context: Context, asker: Asker, table: Table, reason: str) -> Reply:
    """End a game without a result."""
    reply = Reply(Card(asker.mine.say("offer.ended")), private=True, update=True)
    event = NewEvent("ended", {"reason": reason}, asker.person.id)
    row = offers.ended(context, table.row, reason)
    await store_step(context, table, row, [event], line=table.line, processed=asker.receipt(reply))
    return reply


async def not_everybody_had_a_turn(context: Context, table: Table) -> bool:
    """Say whether somebody who still plays has done nothing yet."""
    state = table.playing.state
    async with replaying(context, table.row) as events:
        acted = {event.data.get("seat") for event in line_of_play(events)}
    return any(seat not in acted for seat in range(games[table.row.game].seats[-1]) if state.is_playing(seat))


async def _answered(context: Context, pressed: Press) -> tuple[Table, OfferKind]:
    """Return the game of a button that answers an offer, and of which kind; Refused if it lies there no more.

    An offer may outlast a move, so what matters is not how far the game was when its buttons were shown.
    """
    table = await context.table(pressed.game or "")
    if table.row.status == "over":
        raise Refused("refusal.is-over")
    kind = OfferKind.named(pressed.rest)
    offer = table.row.offers.of(kind) if kind is not None else None
    if kind is None or offer is None or not offer.revision <= pressed.revision <= table.row.revision:
        raise Refused("refusal.no-offer")
    return table, kind


def _again(kind: OfferKind) -> Callable[[GameBrief], str]:
    def button(brief: GameBrief) -> str:
        return press("offer", brief.id, brief.revision, kind)

    return button
