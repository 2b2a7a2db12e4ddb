"""What follows by itself in a competition: its start, its rounds, their games, results, and its end.

Each step is stored against the revision that it was decided for, games together with the event that attaches them:
it can be repeated after a kill or in another process without effect.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

import structlog

from bot.competitions.boards import CupGame
from bot.competitions.competition import Competition
from bot.competitions.course import close, next_event, start_event
from bot.competitions.events import (
    COMPUTER_ENTRANT,
    CupAsked,
    CupEnded,
    CupEvent,
    CupLeft,
    CupPostponed,
    CupResult,
    CupResumed,
    CupStarted,
    Ending,
    GameAttached,
    InvalidCompetition,
    Leaving,
)
from bot.competitions.standings import ranking, winners
from bot.core.context import Context
from bot.core.request_context import RequestContext, find_browsers
from bot.cups.service import (
    MAX_COMMIT_ATTEMPTS,
    Cup,
    check_installed,
    check_may_manage,
    entry_closes_at,
    find_cup,
    read_cup,
    store_events,
)
from bot.interface.refusals import Refused
from bot.interface.requests import ReaderPictures, Reply, Threads
from bot.lobby.beginning import start_row
from bot.lobby.service import arrange_seats, computer_seat
from bot.play.clocks import extend_deadlines
from bot.play.rated_games import with_unrated_reason
from bot.play.ratings import rating_points
from bot.play.replaying import line_of_play
from bot.play.service import store_step
from bot.tables.chance import SeedContributions, event_id
from bot.tables.changes import final_results
from bot.tables.table import BrokenGame, Table, player_key
from engine import EngineError, fair, games
from engine.fair import CHAIN, UNKNOWN_ID
from storage import CodeTaken, Conflict, EntrantRow, GameRow, NewGame, Seat, Surface, Terms
from storage.codes import CODE_ALPHABET, CODE_LENGTH
from storage.rows import PEOPLE_POOL

RECHECK_INTERVAL: Final = timedelta(hours=1)
"""A competition under way is looked at so often, whatever happens: it waits for nothing that nobody tells of."""
MAX_STEPS: Final = 1000
DAMAGED_REASON: Final = "damaged"
"""Why a game that cannot be read counts as drawn."""

log = structlog.get_logger(__name__)


async def advance_competition(context: Context, code: str) -> None:
    """Do all that is due for a competition, and note when to look again."""
    for _ in range(MAX_STEPS):
        row = await context.store.competitions.get(code)
        if row is None:
            return
        try:
            with context.store.recalling(anew=True):
                # Who would rather not meet whom may have been told to another process.
                cup = await read_cup(context, row)
            if row.status == "over" or not await _do_next_step(context, cup):
                await context.store.competitions.postpone(code, row.due_at, _next_look(cup, context.clock()))
                return
        except Conflict:
            continue
        except (Refused, EngineError) as error:
            # Nothing of it is lost; an operator sees it, and it is tried again.
            log.error("broken-competition", competition=code, reason=repr(error))
            await context.store.competitions.postpone(code, row.due_at, context.clock() + RECHECK_INTERVAL)
            return


async def game_places_in_channel(context: Context, surface: Surface) -> None:
    """Have a game of a competition that cannot be shown in a private chat shown where its player entered."""
    row = await context.store.games.get(surface.game) if surface.place.kind == "private" else None
    if row is None or row.terms.cup is None or row.status != "playing":
        return
    seated = {entry.person for entry in row.seats}
    for entry in await context.store.competitions.entrants(row.terms.cup):
        place = await context.store.places.get(entry.place or 0) if entry.person in seated else None
        if place is not None and place.kind == "group" and place.platform == surface.place.platform:
            await context.store.surfaces.add(row.id, place.id, context.clock())


async def start_now(context: Context, asker: RequestContext, code: str, reply: Reply) -> None:
    """Start a competition by hand; Refused to those who do not run it, when it has begun, or with too few."""
    for _ in range(MAX_COMMIT_ATTEMPTS):
        cup = await find_cup(context, code)
        check_may_manage(cup, asker)
        if cup.stands.stage != "open":
            raise Refused("refusal.cup-over" if cup.stands.stage == "over" else "refusal.cup-started")
        check_installed(context, cup)
        if cup.stands.closed is not None:
            raise Refused("refusal.cup-closed")
        cause = event_id(asker.request) if asker.request.ids == "drawn" else ""
        try:
            events = await _closing(context, cup, cause)
        except InvalidCompetition as error:
            raise Refused("refusal.cup-too-few", n=len(cup.stands.active_entrants)) from error
        try:
            await store_events(context, cup, events, person=asker.person.id, processed=asker.receipt(reply))
        except Conflict:
            continue
        return
    raise Refused("refusal.moved-on")


def _next_look(cup: Cup, now: datetime) -> datetime | None:
    if cup.stands.stage == "over":
        return None
    if cup.stands.stage == "running":
        return now + RECHECK_INTERVAL
    if cup.drawn_by is not None:
        return cup.drawn_by
    return min(each for each in (cup.stands.until, entry_closes_at(cup)) if each is not None)


async def _do_next_step(context: Context, cup: Cup) -> bool:
    """Do the first thing that is due; say whether there was any. Moved where somebody was faster."""
    gone = _departures(cup)
    if gone:
        await store_events(context, cup, gone)
        return True
    if cup.row.game_key not in games:
        return False  # nobody can play what is not installed: it stands still as its clocks do
    if cup.stands.stage == "open":
        return await _start_events(context, cup)
    if cup.rests_until is not None and cup.rests_until <= context.clock():
        await store_events(context, cup, [CupResumed()])
        return True
    ended = await _new_results(context, cup)
    if ended:
        await store_events(context, cup, ended)
        return True
    waiting = cup.stands.games_to_open()
    if waiting:
        await _open_game(context, cup, *waiting[0])
        return True
    # Pairing many takes so long that others would wait for it.
    events = await asyncio.to_thread(next_event, cup.stands, cup.row.seed, cup.blocked)
    if events:
        events = await _with_uncounted(context, cup, events)
        await store_events(context, cup, events, entries=_final_entries(cup, events))
        return True
    return False


def _departures(cup: Cup) -> list[CupEvent]:
    """Return the leaving of entrants whose people were forgotten, or became one with another entrant."""
    events: list[CupEvent] = []
    for number in cup.stands.active_entrants:
        entry = cup.entries[number]
        if not entry.inside:
            events.append(CupLeft(number, Leaving.FORGOTTEN if entry.person is not None else Leaving.LINKED))
    return events


async def _start_events(context: Context, cup: Cup) -> bool:
    """Start a competition whose time has come, or that is full; put it off or have it lapse where too few have come."""
    stands, now = cup.stands, context.clock()
    if cup.drawn_by is not None:
        if stands.awaited and now < cup.drawn_by:
            return False
        await store_events(context, cup, [await _beginning(context, cup, stands)])
        return True
    enough = len(stands.active_entrants) >= stands.terms.least
    late = stands.until is not None and stands.until <= now
    postponed = stands.terms.starts_at is not None and stands.until is None
    if entry_closes_at(cup) <= now and not stands.is_full and not (enough and (late or postponed)):
        await store_events(context, cup, [CupEnded(Ending.LAPSED)])
        return True
    later = (
        await extend_deadlines(context, stands.until)
        if stands.until is not None and late and not stands.is_full
        else None
    )
    if later is not None:
        # Those who would have entered in that time still can.
        await store_events(context, cup, [CupPostponed(later)])
        return True
    if stands.is_full or (enough and (late or postponed)):
        await store_events(context, cup, await _closing(context, cup))
        return True
    if late and stands.terms.lapses:
        await store_events(context, cup, [CupEnded(Ending.LAPSED)])
        return True
    if late:
        await store_events(context, cup, [CupPostponed()])
        return True
    return False


async def _closing(context: Context, cup: Cup, cause: str = "") -> list[CupEvent]:
    """Return the end of entering, with the start where its lot waits for nobody; InvalidCompetition with too few."""
    closed = close(cup.stands, cause)
    after = cup.stands.apply(closed)
    return [closed] if after.awaited else [closed, await _beginning(context, cup, after)]


async def _beginning(context: Context, cup: Cup, stands: Competition) -> CupStarted:
    return start_event(stands, cup.row.seed, await _ratings(context, cup), await _sharing(context, cup))


async def _sharing(context: Context, cup: Cup) -> list[int]:
    """Return the entrants of a lot who use a browser together with another of them."""
    among = cup.stands.lots or cup.stands.drawn_among or cup.stands.active_entrants
    people = {person.id: number for number in among if (person := cup.person_of(number)) is not None}
    known = await find_browsers(context, people)
    used = Counter(browser for browsers in known.values() for browser in browsers)
    return [people[person] for person, browsers in known.items() if any(used[each] > 1 for each in browsers)]


async def _ratings(context: Context, cup: Cup) -> dict[int, int]:
    """Return the points of the entrants who have a rating in the game among people."""
    by_person = {
        person.id: number for number in cup.stands.active_entrants if (person := cup.person_of(number)) is not None
    }
    known = await context.store.ratings.list_for_people(list(by_person))
    return {
        by_person[each.person]: rating_points(each)
        for each in known
        if each.game_key == cup.row.game_key and each.pool == PEOPLE_POOL
    }


async def _with_uncounted(context: Context, cup: Cup, events: tuple[CupEvent, ...]) -> tuple[CupEvent, ...]:
    """Return events with the winners, where they end it, whose win counts as little as games within one browser do."""
    if events != (CupEnded(Ending.PLAYED),):
        return events
    sharing = {*cup.stands.sharing, *await _sharing(context, cup)}
    return (CupEnded(Ending.PLAYED, tuple(sorted(sharing & set(winners(cup.stands.apply(events[0])))))),)


def _final_entries(cup: Cup, events: Sequence[CupEvent]) -> list[EntrantRow]:
    """Return the entries with their places where these events end a competition that was played.

    A win that does not count has none.
    """
    stands = cup.stands
    for event in events:
        stands = stands.apply(event)
    if stands.ending != Ending.PLAYED:
        return []
    first = winners(stands)
    places = {row.entrant: row.place for row in ranking(stands).rows if row.place != 1 or row.entrant in first}
    places = {number: place for number, place in places.items() if place != 1 or number not in stands.uncounted}
    return [replace(entry, rank=places[number]) for number, entry in cup.entries.items() if number in places]


async def _new_results(context: Context, cup: Cup) -> list[CupEvent]:
    """Return how games ended that a competition does not know of yet; asks those who never moved."""
    events: list[CupEvent] = []
    asked: dict[int, None] = {}
    for number, board, at, game in cup.stands.games():
        if game.id is None or game.places is not None:
            continue
        found = await _game_result(context, game)
        if found is not None:
            places, reason, absent = found
            events.append(CupResult(number, board, at, places, reason, absent))
            asked |= dict.fromkeys(game.seats[seat] for seat in absent)
    silent = [each for each in asked if each != COMPUTER_ENTRANT and cup.stands.is_available(each)]
    return [*events, *map(CupAsked, silent)]


async def _game_result(context: Context, game: CupGame) -> tuple[tuple[int, ...], str, tuple[int, ...]] | None:
    """Return the places, the reason and who never moved of a game that has ended; None while it is played."""
    drawn = (1,) * len(game.seats)
    try:
        row = (await context.table_as_stored(game.id or "")).row
    except Refused:
        return drawn, DAMAGED_REASON, ()
    if row.status != "over":
        aside = row.status == "playing" and (row.course.set_aside is not None or bool(row.unread))
        return (drawn, DAMAGED_REASON, ()) if aside else None
    outcome = row.outcome or {}
    places = tuple(outcome.get("places") or drawn)
    late = [seat for seat, why in row.course.left.items() if why == "time"]
    absent: tuple[int, ...] = ()
    if late:
        try:
            acted = {
                event.data.get("seat")
                for event in line_of_play(await context.store.games.events(row.id))
                if not event.data.get("auto") and "why" not in event.data
            }
            absent = tuple(sorted(set(late) - acted))
        except BrokenGame:
            absent = ()
    return places, str(outcome.get("reason", DAMAGED_REASON)), absent


async def _open_game(context: Context, cup: Cup, number: int, board: int, at: int, game: CupGame) -> None:
    """Open a game of a round and note it in one transaction. Moved where somebody was faster."""
    slot = f"{number}.{board}.{at}"
    async with context.store.transaction():
        row = await _begin_game(context, cup, slot, game)
        await store_events(context, cup, [GameAttached(number, board, at, row.id)], opened=[(slot, row.id)])
        for place in await _game_places(context, cup, game):
            await context.store.surfaces.add(row.id, place, context.clock())
    context.signals.notify_changed()
    context.signals.wake("notices")


async def _begin_game(context: Context, cup: Cup, slot: str, game: CupGame) -> GameRow:
    """Return a game that has begun with the seats of its pairing; its seed and its id follow from those of the cup."""
    terms = cup.stands.terms
    seed = _derive_seed(cup, f"game {slot}").hex()
    seats, given = [], SeedContributions()
    for each in game.seats:
        person = cup.person_of(each)
        if each == COMPUTER_ENTRANT or person is None:
            seats.append(computer_seat(int(terms.computers or 1)))
            continue
        by = cup.entries[each].joined_by
        # What a browser committed to was for the lot: in a game it begins another chain.
        by = f"{CHAIN}{UNKNOWN_ID}" if by.startswith(CHAIN) else by
        seats.append(Seat(0, "joined", person=person.id, joined_by=by))
        given = given.after_joining(person.id, by, anew=True)
    seats = list(arrange_seats(seats))
    new = NewGame(
        game=terms.game,
        place=(await _game_places(context, cup, game))[0],
        starter=cup.row.maker,
        rules_version=games[terms.game].rules_version,
        seat_count=len(seats),
        seats=tuple(seats),
        options=dict(terms.options),
        seed=seed,
        seed_hash=fair.commitment(seed),
        terms=Terms(
            clock=terms.clock,
            rated=terms.rated,
            hints=False,
            order=tuple(map(player_key, seats)),
            cup=cup.row.id,
            holidays=terms.holidays,
        ),
        chance=given.to_json(),
    )
    row = await _create_game(context, cup, slot, new)
    people = [entry.person for entry in row.seats if entry.person is not None]
    finished = await context.store.lessons.people_who_finished(people, row.game)
    changed, events, line = start_row(context, await with_unrated_reason(context, row), 0, finished, at_once=True)
    table = Table(brief=row, row=row, people=dict(cup.people), line=None)
    return await store_step(context, table, changed, events, line=line, results=final_results(changed, line))


async def _create_game(context: Context, cup: Cup, slot: str, new: NewGame) -> GameRow:
    """Return a new game with the first id that is free of those that follow from the seed of its competition."""
    for attempt in range(MAX_COMMIT_ATTEMPTS):
        digest = int.from_bytes(_derive_seed(cup, f"id {slot} {attempt}"), "big")
        code = ""
        for _ in range(CODE_LENGTH):
            digest, letter = divmod(digest, len(CODE_ALPHABET))
            code += CODE_ALPHABET[letter]
        try:
            async with context.store.savepoint():
                return await context.store.games.create(replace(new, id=code), context.clock())
        except CodeTaken:
            continue
    return await context.store.games.create(new, context.clock())


def _derive_seed(cup: Cup, what: str) -> bytes:
    return hmac.digest(bytes.fromhex(cup.row.seed), f"{cup.row.id} {what}".encode(), hashlib.sha256)


async def _game_places(context: Context, cup: Cup, game: CupGame) -> list[int]:
    """Return where a game is shown: a thread of where its players came from, or their own chats, or the channel."""
    found: dict[int, None] = {}
    for each in game.seats:
        person, entry = cup.person_of(each), cup.entries.get(each)
        if person is None or entry is None:
            continue
        place = await context.store.places.get(entry.place or cup.row.place)
        if place is None:
            continue
        adapter = context.adapters.get(place.platform)
        own = None
        if place.kind == "group" and not isinstance(adapter, Threads | ReaderPictures):
            own = await context.store.competitions.private_place(person.id, place.platform)
        found[own or place.id] = None
    return list(found) or [cup.row.place]
