"""Commands and buttons for takebacks, draws, pauses, giving up together, calling off, closing."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Final

from bot.core.browsers import people_sharing_browser
from bot.core.context import Context
from bot.core.request_context import RequestContext
from bot.interface.cards import Card
from bot.interface.presses import Press, press
from bot.interface.refusals import Refused
from bot.interface.requests import Reply
from bot.play import nonmember, offers
from bot.play.card_parts import more_card, offer_made_words
from bot.play.commands import load_current_table
from bot.play.game_lookup import resolve_my_table
from bot.play.offers import plan_takeback, undo_to
from bot.play.repair import read_damaged_row
from bot.play.replaying import line_of_play, replay_steps
from bot.play.service import require_playing_seat, store_step
from bot.tables.changes import competition_kind
from bot.tables.table import BrokenGame, Table
from engine import games
from storage import GameBrief, NewEvent, OfferKind

EMPTY_REPLY: Final = Reply()


async def draw(context: Context, asker: RequestContext, values: Mapping[str, str]) -> Reply:
    """Offer a draw, or agree to one."""
    table = await resolve_my_table(context, asker, values.get("game"), _repeat_key(OfferKind.DRAW))
    return await make_offer(context, asker, table, OfferKind.DRAW)


async def pause(context: Context, asker: RequestContext, values: Mapping[str, str]) -> Reply:
    """Offer to stop the clock, or to start it again; or agree."""
    table = await resolve_my_table(context, asker, values.get("game"), _repeat_key(OfferKind.PAUSE))
    return await make_offer(context, asker, table, OfferKind.PAUSE)


async def undo(context: Context, asker: RequestContext, values: Mapping[str, str]) -> Reply:
    """Take something back: freely within one's own turn, otherwise if the others agree."""
    table = await resolve_my_table(
        context, asker, values.get("game"), lambda brief: press("undo", brief.id, brief.revision)
    )
    return await take_back(context, asker, table)


async def press_undo(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """Handle the button Take back."""
    return await take_back(context, asker, await load_current_table(context, pressed))


async def take_back(context: Context, asker: RequestContext, table: Table) -> Reply:
    """Take something back, or offer to."""
    seat = require_playing_seat(table, asker)
    if table.row.offers.offer_of_kind(OfferKind.UNDO) is not None:
        return await make_offer(context, asker, table, OfferKind.UNDO)
    back = await plan_takeback(context, table, seat)
    if not back.free:
        offered = await make_offer(context, asker, table, OfferKind.UNDO, to=back.to)
        unseen = await nonmember.is_shown_nowhere_else(context, asker, table.row.id)
        return await nonmember.board_reply(context, asker, table.row.id) if unseen else offered
    reply = Reply(Card(asker.mine.say("undo.done")), private=True, update=True)
    row, line, event = await undo_to(context, table, back.to, 1)
    await store_step(context, table, row, [event], line=line, processed=asker.receipt(reply))
    unseen = await nonmember.is_shown_nowhere_else(context, asker, table.row.id)
    return await nonmember.board_reply(context, asker, table.row.id) if unseen else reply


async def press_offer(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """Handle a button that makes an offer."""
    kind = OfferKind.from_name(pressed.rest)
    if kind not in (OfferKind.DRAW, OfferKind.TOGETHER, OfferKind.PAUSE, OfferKind.WAIT):
        raise Refused("refusal.stale")
    return await make_offer(context, asker, await load_current_table(context, pressed), kind)


async def make_offer(
    context: Context, asker: RequestContext, table: Table, kind: OfferKind, to: int | None = None
) -> Reply:
    """Make an offer that needs the others' consent, or agree to the pending one."""
    seat = require_playing_seat(table, asker)
    if kind in (OfferKind.PAUSE, OfferKind.WAIT) and not table.row.terms.clock:
        raise Refused("refusal.no-clock")
    if kind == OfferKind.WAIT and table.mover == seat:
        raise Refused("refusal.not-yours-to-agree")
    known = table.row.offers.offer_of_kind(kind)
    offer = replace(offers.new_offer(table, asker.person.id, kind), to=to)
    if offers.is_settled(table, offer, seat):
        said = asker.mine.say("undo.done" if kind == OfferKind.UNDO else "offer.settled")
    else:
        said = asker.mine.say("offer.you-agreed") if known is not None else offer_made_words(table, asker.mine, kind)
    reply = Reply(Card(said), private=True, update=True)
    await offers.make_offer(context, asker, table, offer, reply)
    return reply


async def press_agree(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """Handle the button Agree."""
    table, kind = await _load_offer(context, pressed)
    await offers.agree_to_offer(context, asker, table, kind, EMPTY_REPLY)
    return EMPTY_REPLY


async def press_refuse(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """Handle the button Decline beside an offer."""
    table, kind = await _load_offer(context, pressed)
    await offers.refuse_offer(context, asker, table, kind, EMPTY_REPLY)
    return EMPTY_REPLY


async def press_more(context: Context, asker: RequestContext, table: Table) -> Reply:
    """Handle the button More: a player's other actions."""
    seat = require_playing_seat(table, asker)
    early = await is_before_everyones_first_turn(context, table)
    spoken = table.in_language(asker.mine)
    absent = table.mover not in (None, seat) and offers.is_absent(context, table)
    card = more_card(spoken, asker.mine.of(table.row.game), seat=seat, early=early, absent=absent)
    return Reply(card, private=True)


async def press_off(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """Handle the button that proposes to call a game off before everybody has had a turn: nobody loses by it.

    Seats and dice have been seen by then: if one player could call it off alone, they could do so until both suit them.
    """
    table = await load_current_table(context, pressed)
    require_playing_seat(table, asker)
    if not await is_before_everyones_first_turn(context, table):
        raise Refused("refusal.too-late-to-call-off")
    return await make_offer(context, asker, table, OfferKind.OFF)


async def close(context: Context, asker: RequestContext, values: Mapping[str, str]) -> Reply:
    """End a game that is stuck, without a result; for the managers of the place where it is shown."""
    try:
        table = await resolve_my_table(
            context, asker, values.get("game"), lambda brief: press("close", brief.id, brief.revision), seated=False
        )
    except BrokenGame as broken:
        return await close_damaged(context, asker, broken)
    except Refused as refused:
        raise Refused("refusal.nothing-to-close") if refused.key == "refusal.no-game" else refused from None
    return await close_table(context, asker, table)


async def press_close(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """Handle the choice of a game to be ended."""
    try:
        table = await load_current_table(context, pressed)
    except BrokenGame as broken:
        return await close_damaged(context, asker, broken)
    return await close_table(context, asker, table)


async def close_table(context: Context, asker: RequestContext, table: Table) -> Reply:
    """End a game for the managers of a place where it was started or is shown.

    A manager who plays in it, under any name of their browser, can do so only if somebody else has not moved for a day:
    nobody may escape a loss this way.
    """
    await _may_close(context, asker, table)
    if table.row.status == "playing":
        mine = await people_sharing_browser(context, asker.person.id)
        waits = table.person_at(table.mover) in mine and _has_opponents(table, mine)
        if _is_player(table, mine) and (waits or not offers.is_absent(context, table)):
            raise Refused("refusal.not-stuck")
    return await end_by_table(context, asker, table, "closed")


async def close_damaged(context: Context, asker: RequestContext, broken: BrokenGame) -> Reply:
    """End a game that was set aside, for the managers of its place; a manager who plays in it must wait a day.

    It may be repaired, or its package installed again, and the manager may be losing then. What is damaged is replaced
    by the state of its events, or otherwise by nothing.
    """
    table = await context.table_as_stored(str(broken.params["game"]))
    await _may_close(context, asker, table)
    mine = await people_sharing_browser(context, asker.person.id)
    if _is_player(table, mine) and _has_opponents(table, mine) and not offers.has_waited(context, table):
        raise Refused("refusal.not-stuck")
    return await end_by_table(
        context, asker, replace(table, row=await read_damaged_row(context.store, table.row)), "closed"
    )


def _is_player(table: Table, people: Collection[int]) -> bool:
    return any(entry.person in people for entry in table.row.seats)


def _has_opponents(table: Table, people: Collection[int]) -> bool:
    """Return True if somebody else plays in a game, apart from computers."""
    return any(entry.person is not None and entry.person not in people for entry in table.row.seats)


async def _may_close(context: Context, asker: RequestContext, table: Table) -> None:
    if not await _is_shown_in_channel(context, asker, table):
        raise Refused("refusal.not-its-manager")
    if table.row.status == "over":
        raise Refused("refusal.is-over")
    if table.row.terms.cup is not None:
        raise Refused(f"refusal.{competition_kind(table.row)}-close", code=table.row.terms.cup)


async def _is_shown_in_channel(context: Context, asker: RequestContext, table: Table) -> bool:
    """Return True if a game was started, or is shown, in the asker's channel or a thread of it."""
    here = asker.place
    if here.id == table.row.place:
        return True
    started = await context.store.places.get(table.row.place)
    shown = [post.place for post in await context.store.posts.list_for_game(table.row.id)]
    places = [*shown, *([started] if started else [])]
    return any((place.platform, place.channel) == (here.platform, here.channel) for place in places)


async def end_by_table(context: Context, asker: RequestContext, table: Table, reason: str) -> Reply:
    """End a game without a result."""
    reply = Reply(Card(asker.mine.say("offer.ended")), private=True, update=True)
    event = NewEvent("ended", {"reason": reason}, asker.person.id)
    row = offers.end_by_agreement(context, table.row, reason)
    await store_step(context, table, row, [event], line=table.line, processed=asker.receipt(reply))
    return reply


async def is_before_everyones_first_turn(context: Context, table: Table) -> bool:
    """Return True if somebody who still plays has not acted yet."""
    state = table.playing.state
    async with replay_steps(context, table.row) as events:
        acted = {event.data.get("seat") for event in line_of_play(events)}
    return any(seat not in acted for seat in range(games[table.row.game].seats[-1]) if state.is_playing(seat))


async def _load_offer(context: Context, pressed: Press) -> tuple[Table, OfferKind]:
    """Return the game of a button that answers an offer, and the offer's kind; Refused if the offer is gone.

    An offer may outlast a move, so the revision at which its buttons were shown does not matter.
    """
    table = await context.table(pressed.game or "")
    if table.row.status == "over":
        raise Refused("refusal.is-over")
    kind = OfferKind.from_name(pressed.rest)
    offer = table.row.offers.offer_of_kind(kind) if kind is not None else None
    if kind is None or offer is None or not offer.revision <= pressed.revision <= table.row.revision:
        raise Refused("refusal.no-offer")
    return table, kind


def _repeat_key(kind: OfferKind) -> Callable[[GameBrief], str]:
    def button(brief: GameBrief) -> str:
        return press("offer", brief.id, brief.revision, kind)

    return button
