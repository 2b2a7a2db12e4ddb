"""Offers at the table: draws, takebacks, pauses, and ending a game that has stopped.

An offer is stored with the game: it survives restarts, says who has agreed, and lapses when the game moves on. Dice and
deals stay as they fell: the k-th draw of a game is always the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

from bot.core.context import Context
from bot.core.request_context import RequestContext
from bot.interface.refusals import Refused
from bot.interface.requests import Reply
from bot.play.rated_games import course_after_agreeing
from bot.play.replaying import line_after, line_of_play, replay_steps
from bot.play.service import require_playing_seat, store_step
from bot.tables import changes
from bot.tables.changes import moved_row, results_from_places
from bot.tables.line import Line
from bot.tables.table import Table, missing_seats, name_broken_event
from engine import Action, games
from engine.core import places_with_draw
from storage import Event, GameRow, NewEvent, NewResult, Offer, OfferKind, OfferNews, Offers, ProcessedEvent


@dataclass(frozen=True, slots=True)
class Takeback:
    """A takeback to just after event `to`; `free`: True if it needs nobody's consent."""

    to: int
    free: bool


@dataclass(frozen=True, slots=True)
class _Played:
    """An event of the line of play, its action, and the number of turns finished before it."""

    event: Event
    turn: int
    action: Action

    def is_of(self, seat: int) -> bool:
        """Return True if the player of a seat did it: it was neither forced nor their leaving."""
        data = self.event.data
        return data.get("seat") == seat and not data.get("auto") and not self.action.is_drop


async def plan_takeback(context: Context, table: Table, seat: int) -> Takeback:
    """Return a seat's possible takeback: the last action of its unfinished turn freely, otherwise its last turn.

    Refused if it has done nothing yet, or if somebody has left the game since.
    """
    played: list[_Played] = []
    async with replay_steps(context, table.row) as events:
        state = games[table.row.game].start(table.row.seat_count, table.row.options)
        for event in line_of_play(events):
            with name_broken_event(event.game, event.number):
                played.append(_Played(event, state.turn, state.read(event.data["action"])))
                state = state.advance(played[-1].action)
    mine = [each for each in played if each.is_of(seat)]
    if table.mover == seat and table.playing.has_acted:
        return Takeback(mine[-1].event.number - 1, free=True)
    if not mine:
        raise Refused("refusal.nothing-to-undo")
    first = next(each.event for each in mine if each.turn == mine[-1].turn)
    if any(each.event.number > first.number and each.action.is_drop for each in played):
        raise Refused("refusal.undo-past-leaving")
    return Takeback(first.number - 1, free=False)


async def undo_to(context: Context, table: Table, to: int, steps: int) -> tuple[GameRow, Line, NewEvent]:
    """Return a game's row and line after going back to an event, and the event that records it.

    `steps` is the number of events that are stored with it, itself included.
    """
    async with replay_steps(context, table.row) as events:
        line = line_after(table.row, [event for event in line_of_play(events) if event.number <= to])
    row = moved_row(replace(table.row, deadline=None), line, context.clock(), steps, moved=())
    return row, line, NewEvent("undo", {"to": to})


CALLED_OFF: Final = "called-off"
"""The reason of the end if all have agreed to call a game off before everybody had a turn."""
ABSENCE_LIMIT: Final = timedelta(days=1)
"""After this time without a move, somebody else may offer to take over."""


def new_offer(table: Table, person: int, kind: OfferKind) -> Offer:
    """Return a person's offer in the next step of a game, with their own consent if they have a seat."""
    seat = table.seat_of(person)
    return Offer(kind=kind, by=seat, agreed=() if seat is None else (seat,), revision=table.row.revision + 1)


async def make_offer(context: Context, asker: RequestContext, table: Table, offer: Offer, reply: Reply) -> None:
    """Make an offer, or agree to the same pending one; it is carried out once everybody agrees.

    Refused where it is not allowed: in a competition only a draw may be offered.
    """
    if table.row.terms.cup is not None and offer.kind != OfferKind.DRAW:
        raise Refused("refusal.cup-game")
    if table.row.offers.offer_of_kind(offer.kind) is not None:
        await agree_to_offer(context, asker, table, offer.kind, reply)
        return
    event = NewEvent("offer", {"what": offer.kind, **offer.details()}, asker.person.id)
    await store_offer(context, table, offer, event, asker.receipt(reply))


async def agree_to_offer(context: Context, asker: RequestContext, table: Table, kind: OfferKind, reply: Reply) -> None:
    """Agree to an offer; Refused if there is none any more, or the person has agreed already."""
    seat = require_playing_seat(table, asker)
    offer = _pending_offer(table, kind)
    if seat in offer.agreed:
        raise Refused("refusal.agreed-already")
    if seat == offer.seat:
        raise Refused("refusal.not-yours-to-agree")
    event = NewEvent("agree", {"what": kind}, asker.person.id)
    await store_offer(context, table, offer.agreed_by(seat), event, asker.receipt(reply))


async def refuse_offer(context: Context, asker: RequestContext, table: Table, kind: OfferKind, reply: Reply) -> None:
    """Decline an offer, or withdraw one's own; everybody sees either on the board."""
    seat = require_playing_seat(table, asker)
    own = _pending_offer(table, kind).by == seat
    offers = table.row.offers.with_news(OfferNews(kind=kind, by=seat, accepted=False, own=own))
    event = NewEvent("refuse", {"what": kind}, asker.person.id)
    await store_step(
        context, table, replace(table.row, offers=offers), [event], line=table.line, processed=asker.receipt(reply)
    )


async def answer_for_computers(context: Context, table: Table, unwilling: int | None) -> None:
    """Let the computers accept a draw, or the unwilling one decline it."""
    kind = OfferKind.DRAW
    offer = _pending_offer(table, kind)
    if unwilling is None:
        seats = [seat for seat in changes.computer_seats(table.row) if seat not in offer.agreed]
        await store_offer(
            context, table, offer.agreed_by(*seats), NewEvent("agree", {"what": kind, "seats": seats}), None
        )
        return
    row = replace(table.row, offers=table.row.offers.with_news(OfferNews(kind=kind, by=unwilling, accepted=False)))
    await store_step(context, table, row, [NewEvent("refuse", {"what": kind, "seat": unwilling})], line=table.line)


def is_absent(context: Context, table: Table) -> bool:
    """Return True if the player to move has not moved for long, or is gone for good."""
    person = table.people.get(table.person_at(table.mover) or 0)
    return person is not None and (has_waited(context, table) or not person.name)


def has_waited(context: Context, table: Table) -> bool:
    """Return True if nothing has happened in a game for so long that the player to move counts as absent."""
    return context.clock.elapsed_since(table.row.waiting_since) >= ABSENCE_LIMIT


def check_absent(context: Context, table: Table) -> None:
    """Raise Refused unless the player to move is absent, so that their seat can be given away; a team's never can."""
    if table.team_at(table.mover) is not None or not is_absent(context, table):
        raise Refused("refusal.nobody-absent")
    if table.row.offers.offer_of_kind(OfferKind.SEAT) is not None:
        raise Refused("refusal.somebody-was-faster")


def is_settled(table: Table, offer: Offer, seat: int) -> bool:
    """Return True if all agree to an offer, or to the same pending one, once this seat does."""
    lying = table.row.offers.offer_of_kind(offer.kind) or offer
    return lying.kind != OfferKind.WAIT and not missing_seats(table, lying.agreed_by(seat))


def _pending_offer(table: Table, kind: OfferKind) -> Offer:
    offer = table.row.offers.offer_of_kind(kind)
    if offer is None:
        raise Refused("refusal.no-offer")
    return offer


@dataclass(frozen=True, slots=True)
class _Agreed:
    """The outcome of an accepted offer: the changed game, its line, the event, and the results if the game ended."""

    row: GameRow
    line: Line | None
    event: NewEvent
    results: tuple[NewResult, ...] = ()


async def store_offer(
    context: Context, table: Table, offer: Offer, event: NewEvent, processed: ProcessedEvent | None
) -> None:
    """Store an offer with those who have agreed, or carry it out if everybody has."""
    if offer.kind == OfferKind.WAIT or missing_seats(table, offer):
        row = replace(table.row, offers=table.row.offers.with_offer(offer))
        await store_step(context, table, row, [event], line=table.line, processed=processed)
        return
    done = await _carry_out(context, table, offer)
    events = [event, done.event]
    await store_step(context, table, done.row, events, line=done.line, processed=processed, results=done.results)


async def _carry_out(context: Context, table: Table, offer: Offer) -> _Agreed:
    row, line, kind = table.row, table.line, offer.kind
    if kind == OfferKind.UNDO and offer.to is not None and offer.by is not None:
        back, line, event = await undo_to(context, table, offer.to, 2)
        news = OfferNews(kind=kind, by=offer.by, accepted=True)
        return _Agreed(replace(back, offers=Offers(news=(news,))), line, event)
    if kind == OfferKind.PAUSE and offer.by is not None:
        paused = not row.course.paused
        news = OfferNews(kind=kind, by=offer.by, accepted=True)
        offers = row.offers.without_kind(kind) if paused else row.offers.with_news(news)
        changed = replace(row, course=replace(row.course, paused=paused), offers=offers, deadline=None)
        return _Agreed(changed, line, NewEvent("paused", {"on": paused}))
    if kind == OfferKind.SEAT and offer.seat is not None:
        return _change_seat(table, offer, offer.seat)
    if kind == OfferKind.DRAW:
        places = places_with_draw(row.seat_count, table.playing.state.dropped)
        over = replace(
            end_by_agreement(context, row, "agreement", places), course=await course_after_agreeing(context, table)
        )
        return _Agreed(
            over, line, NewEvent("ended", {"reason": "agreement"}), results_from_places(row, "agreement", places)
        )
    if kind in (OfferKind.TOGETHER, OfferKind.OFF):
        reason = "abandoned" if kind == OfferKind.TOGETHER else CALLED_OFF
        return _Agreed(end_by_agreement(context, row, reason), line, NewEvent("ended", {"reason": reason}))
    raise Refused("refusal.no-offer")


def end_by_agreement(context: Context, row: GameRow, reason: str, places: Sequence[int] = ()) -> GameRow:
    """Return the row of a game that the table ends now; without places nobody has won or lost."""
    return changes.ended_row(row, context.clock(), reason, places)


def _change_seat(table: Table, offer: Offer, seat: int) -> _Agreed:
    """Return the game with another person, or a computer, in a seat; it becomes unrated for both of them."""
    person, computer = offer.person, offer.computer
    seats = tuple(
        replace(entry, person=person, computer=computer) if entry.seat == seat else entry for entry in table.row.seats
    )
    known = table.row.course
    course = replace(known, unrated=known.unrated | {seat}, newcomers=known.newcomers - {seat})
    # Somebody new has not agreed that spectators guess their turns.
    course = replace(course, unreminded=known.unreminded - {seat}, guesses=known.guesses and person is None)
    to_move = person if table.mover == seat else table.row.to_move
    offers = Offers(news=(OfferNews(kind=offer.kind, by=seat, accepted=True),))
    row = replace(table.row, seats=seats, to_move=to_move, course=course, offers=offers, reminder=None)
    data = {"seat": seat} if computer is None else {"seat": seat, "computer": computer}
    return _Agreed(row, table.line, NewEvent("seat-taken", data, person))
