"""Offers at the table: draws, takebacks, pauses, time for an opponent, and ending a game that has stopped.

An offer is stored with the game: it survives restarts, holds who has agreed, and lapses when the game moves on. A
takeback does not change dice and deals: the k-th draw of a game is always the same.
"""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from typing import Final

from bot.kernel.advice import are_hints_allowed
from bot.kernel.cards import Buttons, Card
from bot.kernel.context import Context
from bot.kernel.features import PressHandler
from bot.kernel.forms import Values
from bot.kernel.line import Line, is_drawn
from bot.kernel.operations.listening import ABSENT_SECONDS, Absence
from bot.kernel.presses import Press, press
from bot.kernel.question_cards import button_rows, game_button, make_button
from bot.kernel.refusals import Refused
from bot.kernel.request_context import RequestContext, people_sharing_browser
from bot.kernel.requests import ClockView, Reply, TimeGift
from bot.kernel.table import (
    BrokenGame,
    Table,
    competition_kind,
    computer_seats,
    ended_row,
    missing_seats,
    moved_row,
    name_broken_event,
    people_by_seat,
    results_from_places,
    start_state,
)
from bot.table import commands
from bot.table.card_parts import list_reaches, offer_made_words
from bot.table.checking import read_damaged_row
from bot.table.clocks import TIME_GIVEN, add_time, read_clock
from bot.table.commands import load_current_table
from bot.table.game_lookup import resolve_my_table
from bot.table.ratings import progress_after_agreeing
from bot.table.replaying import counted_line, line_after, line_of_play, may_be_tried, replay_steps
from bot.table.service import require_playing_seat, store_step
from engine.core import places_with_draw
from storage import GameRow, NewEvent, NewResult, Offer, OfferKind, OfferNews, Offers, ProcessedEvent


async def plan_takeback(context: Context, table: Table, seat: int) -> tuple[int, bool]:
    """Return the event to which a seat's takeback goes back, and True if that needs no consent.

    Without consent the last action of an unfinished turn is taken back, otherwise the seat's last turn. Refused if the
    seat has not acted yet, or if a player has left the game since.
    """
    chosen, last_drop = list[tuple[int, int]](), 0
    async with replay_steps(context, table.row) as events:
        state = start_state(table.row)
        for event in line_of_play(events):
            with name_broken_event(event.game, event.number):
                action, turn = state.read(event.data["action"]), state.turn
                state = state.advance(action)
            if action.is_drop:
                last_drop = event.number
            elif event.data.get("seat") == seat and not event.data.get("auto"):
                chosen.append((event.number, turn))
    if not chosen:
        raise Refused("refusal.nothing-to-undo")
    last, last_turn = chosen[-1]
    if table.mover == seat and table.playing.has_acted:
        return last - 1, True
    first = next(number for number, turn in chosen if turn == last_turn)
    if last_drop > first:
        raise Refused("refusal.undo-past-leaving")
    return first - 1, False


async def undo_to(context: Context, table: Table, to: int, steps: int) -> tuple[GameRow, Line, NewEvent]:
    """Return a game's row and line after going back to an event, and the event that records the takeback.

    `steps` is the number of events stored in the same step, including this one.
    """
    async with replay_steps(context, table.row) as events:
        line = line_after(table.row, [event for event in line_of_play(events) if event.number <= to])
    row = moved_row(replace(table.row, deadline=None), line, context.clock(), steps, moved=())
    return row, line, NewEvent("undo", {"to": to})


CALLED_OFF: Final = "called-off"
"""The reason of the end if all agreed to call a game off before everybody had a turn."""
ABSENCE_LIMIT: Final = timedelta(days=1)
"""Time without a move after which another person may offer to take over."""


def new_offer(table: Table, person: int, kind: OfferKind) -> Offer:
    """Return a person's offer for the next step of a game, with their consent if they have a seat."""
    seat = table.seat_of(person)
    return Offer(kind=kind, by=seat, agreed=() if seat is None else (seat,), revision=table.row.revision + 1)


async def make_offer(context: Context, requester: RequestContext, table: Table, offer: Offer, reply: Reply) -> None:
    """Make an offer, or agree to an equal pending one; it is carried out once everybody agrees.

    Refused where it is not allowed: in a competition only a draw may be offered.
    """
    if table.row.terms.cup is not None and offer.kind != OfferKind.DRAW:
        raise Refused("refusal.cup-game")
    if (pending := table.row.offers.offer_of_kind(offer.kind)) is not None:
        await agree_to_offer(context, requester, table, pending, reply)
        return
    event = NewEvent("offer", {"what": offer.kind, **offer.details()}, requester.id)
    await store_offer(context, table, offer, event, requester.receipt(reply))


async def agree_to_offer(context: Context, requester: RequestContext, table: Table, offer: Offer, reply: Reply) -> None:
    """Agree to a pending offer; Refused if the person has agreed already, or their seat is to change hands."""
    seat = require_playing_seat(table, requester)
    if seat in offer.agreed:
        raise Refused("refusal.agreed-already")
    if seat == offer.seat:
        raise Refused("refusal.not-yours-to-agree")
    event = NewEvent("agree", {"what": offer.kind}, requester.id)
    await store_offer(context, table, offer.agreed_by(seat), event, requester.receipt(reply))


async def refuse_offer(context: Context, requester: RequestContext, table: Table, offer: Offer, reply: Reply) -> None:
    """Decline a pending offer, or withdraw the requester's own; the board shows either."""
    seat = require_playing_seat(table, requester)
    news = OfferNews(kind=offer.kind, by=seat, accepted=False, own=offer.by == seat)
    row = replace(table.row, offers=table.row.offers.with_news(news))
    event = NewEvent("refuse", {"what": offer.kind}, requester.id)
    await store_step(context, table, row, [event], processed=requester.receipt(reply))


async def answer_for_computers(context: Context, table: Table, offer: Offer, unwilling: int | None) -> None:
    """Let the computers accept a draw, or let the unwilling one decline it."""
    if unwilling is None:
        await agree_for(context, table, offer, [seat for seat in computer_seats(table.row) if seat not in offer.agreed])
        return
    news = OfferNews(kind=offer.kind, by=unwilling, accepted=False)
    row = replace(table.row, offers=table.row.offers.with_news(news))
    await store_step(context, table, row, [NewEvent("refuse", {"what": offer.kind, "seat": unwilling})])


async def agree_for(context: Context, table: Table, offer: Offer, seats: Sequence[int]) -> None:
    """Agree to a pending offer for seats without a requester: computers, or a team that has voted."""
    event = NewEvent("agree", {"what": offer.kind, "seats": list(seats)})
    await store_offer(context, table, offer.agreed_by(*seats), event)


def is_absent(context: Context, table: Table) -> bool:
    """Return True if the player to move has not moved for long, or was forgotten."""
    person = table.people.get(table.person_at(table.mover) or 0)
    return person is not None and (has_waited(context, table) or not person.name)


def has_waited(context: Context, table: Table) -> bool:
    """Return True if a game has been idle for so long that the player to move counts as absent."""
    return context.clock.elapsed_since(table.row.waiting_since) >= ABSENCE_LIMIT


def check_absent(context: Context, table: Table) -> None:
    """Raise Refused unless the seat to move can be given away: its player must be absent, and no team."""
    if table.voting_team is not None or not is_absent(context, table):
        raise Refused("refusal.nobody-absent")
    if table.row.offers.offer_of_kind(OfferKind.SEAT) is not None:
        raise Refused("refusal.somebody-was-faster")


def is_settled(table: Table, offer: Offer, seat: int) -> bool:
    """Return True if all agree to an offer, or to an equal pending one, with the consent of a seat."""
    pending = table.row.offers.offer_of_kind(offer.kind) or offer
    return pending.kind != OfferKind.WAIT and not missing_seats(table, pending.agreed_by(seat))


@dataclass(frozen=True, slots=True)
class _Agreed:
    """The outcome of an accepted offer: changed game, event, the line if it changed, and the results of the end."""

    row: GameRow
    event: NewEvent
    line: Line | None = None
    results: tuple[NewResult, ...] = ()


async def store_offer(
    context: Context, table: Table, offer: Offer, event: NewEvent, processed: ProcessedEvent | None = None
) -> None:
    """Store an offer with the seats that have agreed, or carry it out if all have."""
    if offer.kind == OfferKind.WAIT or missing_seats(table, offer):
        row = replace(table.row, offers=table.row.offers.with_offer(offer))
        await store_step(context, table, row, [event], processed=processed)
        return
    done = await _carry_out(context, table, offer)
    events = [event, done.event]
    await store_step(context, table, done.row, events, line=done.line, processed=processed, results=done.results)


async def _carry_out(context: Context, table: Table, offer: Offer) -> _Agreed:
    row, kind = table.row, offer.kind
    if kind == OfferKind.DRAW:
        return await _end_in_draw(context, table, "agreement")
    if kind in (OfferKind.TOGETHER, OfferKind.OFF):
        reason = "abandoned" if kind == OfferKind.TOGETHER else CALLED_OFF
        return _Agreed(ended_row(row, context.clock(), reason), NewEvent("ended", {"reason": reason}))
    if kind == OfferKind.SEAT and offer.seat is not None:
        return _change_seat(table, offer, offer.seat)
    if offer.by is None:
        raise Refused("refusal.no-offer")
    news = OfferNews(kind=kind, by=offer.by, accepted=True)
    if offer.to is not None:
        back, line, event = await undo_to(context, table, offer.to, 2)
        return _Agreed(replace(back, offers=Offers(news=(news,))), event, line)
    paused = not row.progress.paused
    offers = row.offers.without_kind(kind) if paused else row.offers.with_news(news)
    changed = replace(row, progress=replace(row.progress, paused=paused), offers=offers, deadline=None)
    return _Agreed(changed, NewEvent("paused", {"on": paused}))


async def _end_in_draw(context: Context, table: Table, reason: str, by: int | None = None) -> _Agreed:
    """Return a game that ends in a draw of all remaining players; `by` is the person who claimed it."""
    places = places_with_draw(table.row.seat_count, table.playing.state.dropped)
    over = ended_row(table.row, context.clock(), reason, places)
    over = replace(over, progress=await progress_after_agreeing(context, table))
    results = results_from_places(table.row, reason, places)
    return _Agreed(over, NewEvent("ended", {"reason": reason}, by), results=results)


def _change_seat(table: Table, offer: Offer, seat: int) -> _Agreed:
    """Return the game with another person, or a computer, in a seat, which becomes unrated."""
    person, computer = offer.person, offer.computer
    seats = tuple(
        replace(entry, person=person, computer=computer) if entry.seat == seat else entry for entry in table.row.seats
    )
    known = table.row.progress
    progress = replace(
        known,
        unrated=known.unrated | {seat},
        newcomers=known.newcomers - {seat},
        unreminded=known.unreminded - {seat},
        # The new person has not agreed that spectators guess their turns.
        guesses=known.guesses and person is None,
    )
    to_move = person if table.mover == seat else table.row.to_move
    offers = Offers(news=(OfferNews(kind=offer.kind, by=seat, accepted=True),))
    row = replace(table.row, seats=seats, to_move=to_move, progress=progress, offers=offers, reminder=None)
    data = {"seat": seat} if computer is None else {"seat": seat, "computer": computer}
    return _Agreed(row, NewEvent("seat-taken", data, person))


CLAIMED: Final = "claimed"
"""The reason of the end if a draw was claimed because the player to move had left."""
LIVE_GIFT: Final = timedelta(seconds=15)
SLOW_GIFT: Final = timedelta(days=1)
"""The time that one press gives to an opponent, in live and in slow games."""
MAX_LIVE_MILLISECONDS: Final = 3 * 3600 * 1000
MAX_SLOW_MILLISECONDS: Final = 90 * 86_400 * 1000
"""Maximum time left with which a player can still be given more, in live and in slow games."""


def check_may_give(context: Context, table: Table, seat: int) -> int:
    """Return the seat to which a player may give time, which is the seat to move; Refused if they may not.

    In a competition no one may, because a round has a common end.
    """
    row = table.row
    if not row.terms.has_clock:
        raise Refused("refusal.no-clock")
    if row.terms.cup is not None:
        raise Refused("refusal.cup-game")
    if row.progress.paused:
        raise Refused("refusal.clock-stopped")
    if table.mover == seat:
        raise Refused("refusal.own-clock")
    clock = read_clock(row, context.clock())
    if clock is None or clock.running is None or not clock.left[clock.running]:
        raise Refused("refusal.no-clock-runs")
    if clock.left[clock.running] >= (MAX_LIVE_MILLISECONDS if clock.is_live else MAX_SLOW_MILLISECONDS):
        raise Refused("refusal.time-enough")
    return clock.running


def _seconds_to_wait(context: Context, table: Table) -> float:
    """Return the seconds for which the player to move must still be waited for, because they may come back."""
    return max(0.0, ABSENT_SECONDS - context.clock.elapsed_since(table.row.waiting_since).total_seconds())


def check_may_claim(context: Context, table: Table, seat: int) -> None:
    """Raise Refused unless a player may claim a draw: in a live game for two, after the other's minute of absence.

    It must have been the other's turn for as long. With more than two players no one may claim a draw, because present
    players would not have agreed to it: the clock decides.
    """
    if not table.row.terms.is_live:
        raise Refused("refusal.claim-slow")
    if table.row.seat_count > 2:
        raise Refused("refusal.claim-many")
    if table.row.progress.paused:
        raise Refused("refusal.clock-stopped")
    if table.mover is None or table.mover == seat:
        raise Refused("refusal.claim-own-turn")
    absence = context.presence.absence(table.person_at(table.mover))
    if absence != Absence.LONG or _seconds_to_wait(context, table):
        raise Refused("refusal.claim-not-away", who=table.name_span(table.mover))


def passes(check: Callable[[Context, Table, int], object], context: Context, table: Table, seat: int | None) -> bool:
    """Return True if a player who is still in a running game passes a check: may give time, or may claim a draw."""
    if seat is None or not table.row.is_playing or not table.playing.state.is_playing(seat):
        return False
    with suppress(Refused):
        check(context, table, seat)
        return True
    return False


async def give_time(context: Context, requester: RequestContext, table: Table) -> Reply:
    """Give the player to move more time."""
    given_to = check_may_give(context, table, require_playing_seat(table, requester))
    key, by = ("time.given.live", LIVE_GIFT) if table.row.terms.is_live else ("time.given.slow", SLOW_GIFT)
    reply = requester.answer(key, update=True, who=table.in_language(requester.speaker).name_span(given_to))
    event = NewEvent(TIME_GIVEN, {"seat": given_to, "seconds": int(by.total_seconds())}, requester.id)
    # The reminder was about the previous deadline.
    row = replace(add_time(table.row, given_to, by), reminder=None)
    await store_step(context, table, row, [event], processed=requester.receipt(reply))
    return reply


async def claim_draw(context: Context, requester: RequestContext, table: Table) -> Reply:
    """Claim a draw because the player to move has left."""
    check_may_claim(context, table.in_language(requester.speaker), require_playing_seat(table, requester))
    reply = requester.answer("offer.settled", update=True)
    done = await _end_in_draw(context, table, CLAIMED, requester.id)
    receipt = requester.receipt(reply)
    await store_step(context, table, done.row, [done.event], processed=receipt, results=done.results)
    return reply


def view_clocks(context: Context, requester: RequestContext, table: Table) -> ClockView | None:
    """Return a game's clocks as a person sees them now; None without clocks, or after the end without a reserve."""
    row, clock = table.row, read_clock(table.row, context.clock())
    if clock is None or (row.is_over and not row.terms.reserve):
        return None
    seat, people = table.seat_of(requester.id), people_by_seat(row)
    goes_on = row.is_playing
    absent = context.presence.list_absences(people.get(at) for at in range(row.seat_count)) if clock.is_live else []
    gift = None
    if seat is not None and goes_on and row.terms.cup is None and table.playing.state.is_playing(seat):
        kind, voice = "live" if clock.is_live else "slow", requester.speaker
        given = press("time", row.id, row.revision) if passes(check_may_give, context, table, seat) else None
        gift = TimeGift(voice.line(f"button.time.{kind}.brief"), voice.line(f"button.time.{kind}"), given)
    shown = tuple(absent) if goes_on else ()
    waited_for = _seconds_to_wait(context, table) if any(at == clock.running for at, _ in shown) else 0
    again = round(waited_for * 1000) if seat is not None and waited_for else None
    return ClockView(clock.is_live, clock.left, clock.running, clock.waits, clock.low, shown, gift, again)


async def draw(context: Context, requester: RequestContext, table: Table) -> Reply:
    """Offer a draw, or agree to one; the reply has the button that claims a draw, if it can be claimed."""
    reply = await answer_with_offer(context, requester, table, OfferKind.DRAW)
    if reply.card is None or not passes(check_may_claim, context, table, table.seat_of(requester.id)):
        return reply
    claim = make_button(requester.speaker, "button.claim", "claim", table.id, table.row.revision + 1)
    return replace(reply, card=replace(reply.card, rows=((claim,),)))


async def take_back(context: Context, requester: RequestContext, table: Table) -> Reply:
    """Take an action back, or offer a takeback."""
    seat = require_playing_seat(table, requester)
    if table.row.offers.offer_of_kind(OfferKind.UNDO) is not None:
        return await answer_with_offer(context, requester, table, OfferKind.UNDO)
    to, is_free = await plan_takeback(context, table, seat)
    if is_free:
        reply = requester.answer("undo.done", update=True)
        row, line, event = await undo_to(context, table, to, 1)
        await store_step(context, table, row, [event], line=line, processed=requester.receipt(reply))
    else:
        reply = await answer_with_offer(context, requester, table, OfferKind.UNDO, to)
    return await commands.board_if_unseen(context, requester, table.id, reply)


async def press_offer(context: Context, requester: RequestContext, pressed: Press) -> Reply:
    """Handle a button that makes an offer."""
    pressable = (OfferKind.DRAW, OfferKind.TOGETHER, OfferKind.PAUSE, OfferKind.WAIT)
    kind = next((each for each in pressable if each == pressed.rest), None)
    if kind is None:
        raise Refused("refusal.stale")
    return await answer_with_offer(context, requester, await load_current_table(context, pressed), kind)


async def answer_with_offer(
    context: Context, requester: RequestContext, table: Table, kind: OfferKind, to: int | None = None
) -> Reply:
    """Make an offer that needs the others' consent, or agree to the pending one."""
    seat = require_playing_seat(table, requester)
    if kind in (OfferKind.PAUSE, OfferKind.WAIT) and not table.row.terms.has_clock:
        raise Refused("refusal.no-clock")
    if kind == OfferKind.WAIT and not table.row.terms.clock:
        raise Refused("refusal.no-wait")
    if kind == OfferKind.WAIT and table.mover == seat:
        raise Refused("refusal.not-yours-to-agree")
    offer = replace(new_offer(table, requester.id, kind), to=to)
    if is_settled(table, offer, seat):
        said = requester.speaker.say("undo.done" if kind == OfferKind.UNDO else "offer.settled")
    elif table.row.offers.offer_of_kind(kind) is not None:
        said = requester.speaker.say("offer.you-agreed")
    else:
        said = offer_made_words(table, requester.speaker, kind)
    reply = Reply(Card(said), update=True)
    await make_offer(context, requester, table, offer, reply)
    return reply


def on_offer(answer: Callable[[Context, RequestContext, Table, Offer, Reply], Awaitable[None]]) -> PressHandler:
    """Return the handler of a button that answers an offer; Refused if the offer is gone.

    An offer may outlast a move, so the revision at which its buttons were shown does not matter.
    """

    async def handle(context: Context, requester: RequestContext, pressed: Press) -> Reply:
        table = await context.table(pressed.game)
        table.check_unfinished()
        offer = next((each for each in table.row.offers.pending if each.kind == pressed.rest), None)
        if offer is None or not offer.revision <= pressed.revision <= table.row.revision:
            raise Refused("refusal.no-offer")
        await answer(context, requester, table, offer, reply := Reply())
        return reply

    return handle


async def press_more(context: Context, requester: RequestContext, table: Table) -> Reply:
    """Handle the button More: show a player's other actions."""
    voice = table.words_for(requester.speaker)
    buttons = await list_more(context, requester, table, require_playing_seat(table, requester))
    return Reply(Card(voice.say("more", game=voice.game_name()), rows=button_rows(buttons)))


async def list_more(context: Context, requester: RequestContext, table: Table, seat: int) -> Buttons:
    """Return the buttons for the requester's actions besides moving, in a seat."""
    row, is_moving, alone = table.row, table.mover == seat, table.row.terms.cup is None
    has_acted = is_moving and table.playing.has_acted
    early = await is_before_everyones_first_turn(context, table)
    absent = table.mover is not None and not is_moving and is_absent(context, table)
    button = partial(game_button, requester.speaker.of(row.game), row)
    clocked = row.terms.has_clock and alone
    buttons = (
        (is_moving and are_hints_allowed(table), button("hint", style="primary")),
        (True, button("words")),
        (list_reaches(table, seat), button("reach")),
        (may_be_tried(table), button("try")),
        # There may be one if turns were not counted.
        (has_acted or (alone and table.playing.turn_count(seat) != 0), button("undo")),
        (passes(check_may_claim, context, table, seat), button("claim")),
        (True, button("draw", "offer", OfferKind.DRAW)),
        (
            passes(check_may_give, context, table, seat),
            button("time.live" if row.terms.is_live else "time.slow", "time"),
        ),
        (clocked, button("resume" if row.progress.paused else "pause", "offer", OfferKind.PAUSE)),
        (clocked and not is_moving and row.terms.clock, button("wait", "offer", OfferKind.WAIT)),
        (absent and alone, button("seat")),
        (early and alone, button("off")),
        (not early and alone, button("together", "offer", OfferKind.TOGETHER)),
        (is_drawn(row, table.line), button("fair")),
        (True, button("resign", style="danger")),
    )
    return tuple(each for is_offered, each in buttons if is_offered)


async def call_off(context: Context, requester: RequestContext, table: Table) -> Reply:
    """Propose to call a game off, without a loser, before everybody has had a turn.

    It needs consent: seats and dice are known by then, and a player alone could call games off until these are good.
    """
    require_playing_seat(table, requester)
    if not await is_before_everyones_first_turn(context, table):
        raise Refused("refusal.too-late-to-call-off")
    return await answer_with_offer(context, requester, table, OfferKind.OFF)


async def close(context: Context, requester: RequestContext, values: Values) -> Reply:
    """End a stuck game without a result; for the managers of a place where it is shown."""
    found = resolve_my_table(context, requester, values.get("game"), "close", seated=False)
    try:
        return await _close(context, requester, found)
    except Refused as refused:
        raise Refused("refusal.nothing-to-close") if refused.key == "refusal.no-game" else refused from None


async def press_close(context: Context, requester: RequestContext, pressed: Press) -> Reply:
    """Handle the choice of a game to be ended."""
    return await _close(context, requester, load_current_table(context, pressed))


async def _close(context: Context, requester: RequestContext, found: Awaitable[Table]) -> Reply:
    """End a game for the managers of a place where it was started or is shown.

    A manager who plays in it, with any identity of their browser, may only do so if another player has not moved for a
    day: no one may escape a loss this way. They must wait for as long if the game was set aside, because it may be
    repaired or its package installed again. Its damaged parts are rebuilt from its events if possible, otherwise
    dropped.
    """
    is_damaged = False
    try:
        table = await found
    except BrokenGame as broken:
        is_damaged, table = True, await context.table_as_stored(str(broken.params["game"]))
    if not await _is_shown_in_channel(context, requester, table):
        raise Refused("refusal.not-its-manager")
    table.check_unfinished()
    if table.row.terms.cup is not None:
        raise Refused(f"refusal.{competition_kind(table.row)}-close", code=table.row.terms.cup)
    own = await people_sharing_browser(context, requester.id)
    people = {entry.person for entry in table.row.seats} - {None}
    if is_damaged:
        is_stuck = people <= own or has_waited(context, table)
    else:
        waits = table.person_at(table.mover) in own and not people <= own
        is_stuck = table.row.is_lobby or (is_absent(context, table) and not waits)
    if people & own and not is_stuck:
        raise Refused("refusal.not-stuck")
    row = await read_damaged_row(context.store, table.row) if is_damaged else table.row
    reply = requester.answer("offer.ended", update=True)
    event = NewEvent("ended", {"reason": "closed"}, requester.id)
    over = ended_row(row, context.clock(), "closed")
    await store_step(context, replace(table, row=row), over, [event], processed=requester.receipt(reply))
    return reply


async def _is_shown_in_channel(context: Context, requester: RequestContext, table: Table) -> bool:
    """Return True if a game was started, or is shown, in the requester's channel or a thread of it."""
    here = requester.place
    if here.id == table.row.place:
        return True
    started = await context.store.places.get(table.row.place)
    shown = [post.place for post in await context.store.posts.list_for_game(table.id)]
    places = [*shown, *([started] if started else [])]
    return any((place.platform, place.channel) == (here.platform, here.channel) for place in places)


async def is_before_everyones_first_turn(context: Context, table: Table) -> bool:
    """Return True if a remaining player has not acted yet."""
    line = await counted_line(context, table)
    waiting = (seat for seat in range(line.state.seats) if line.state.is_playing(seat) and not line.turn_count(seat))
    return any(seat != line.state.to_move or not line.has_acted for seat in waiting)
