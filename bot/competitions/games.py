"""Games of competitions: opening them, the places that show them, their results; and the job that advances a kind.

The database knows what is due; the process that holds the lock does it. Repeated steps change nothing.
"""

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

import structlog

from bot.competitions.cards import AnyCards
from bot.competitions.competition import CurrentGame
from bot.competitions.events import COMPUTER_ENTRANT, AbsentSeats, Asked, CompetitionEvent, Events, Places, TableTerms
from bot.competitions.keeper import (
    MAX_COMMIT_ATTEMPTS,
    RECHECK_INTERVAL,
    AnyKeeper,
    AnyStored,
    list_departures,
)
from bot.kernel.context import Context
from bot.kernel.features import NoticeContent
from bot.kernel.line import SeedContributions
from bot.kernel.post_kinds import DueWorker
from bot.kernel.refusals import Refused
from bot.kernel.table import BrokenGame, Table, player_key
from bot.lobby.service import arrange_seats, begin_game, computer_seat
from bot.table.replaying import line_of_play
from engine import EngineError, fair, games
from engine.fair import CHAIN_PREFIX, UNKNOWN_ID
from storage import CodeTaken, Conflict, GameRow, NewGame, Notice, Seat, StorageError, Terms
from storage.addresses import CODE_ALPHABET, CODE_LENGTH
from storage.agreements import dump_fields

DAMAGED_REASON: Final = "damaged"
"""The reason of the draw if a game cannot be read."""


async def open_game(context: Context, keeper: AnyKeeper, found: AnyStored, game: CurrentGame) -> None:
    """Open a game for entrants in the order of their seats, and store the event that attaches it, in one transaction.

    Raises Conflict if another process was faster.
    """
    async with context.store.transaction():
        row = await _begin_game(context, found, game.slot, game.seats)
        await keeper.store(context, found, [game.attached(row.id)], opened=[(game.slot, row.id)])
        for place in await _game_places(context, found, game.seats):
            await context.store.posts.add(row.id, place, context.clock())


GameResult = tuple[Places, str, AbsentSeats]
"""The places of the seats of a game, the reason of its end, and the seats that never moved."""


async def read_game_result(context: Context, game: str, seats: int) -> GameResult | None:
    """Return the result of a finished game; None if it is still played."""
    drawn = (1,) * seats
    try:
        row = (await context.table_as_stored(game)).row
    except Refused:
        return drawn, DAMAGED_REASON, ()
    if not row.is_over:
        aside = row.is_playing and (row.progress.set_aside is not None or bool(row.unread))
        return (drawn, DAMAGED_REASON, ()) if aside else None
    outcome = row.outcome or {}
    late = {seat for seat, why in row.progress.left.items() if why == "time"}
    if late:
        try:
            late -= {
                event.data.get("seat")
                for event in line_of_play(await context.store.games.events(row.id))
                if not event.data.get("auto") and "why" not in event.data
            }
        except BrokenGame:
            late = set()
    return tuple(outcome.get("places") or drawn), str(outcome.get("reason", DAMAGED_REASON)), tuple(sorted(late))


async def _begin_game(context: Context, cup: AnyStored, slot: str, players: Sequence[int]) -> GameRow:
    """Begin a game with the seats of its pairing; its seed and id are derived from the competition's seed.

    On a ladder no computer plays, and a holiday extends a turn without limit.
    """
    terms = cup.state.terms
    more = terms if isinstance(terms, TableTerms) else None
    seed = _derive_seed(cup, f"game {slot}").hex()
    seats, given = [], SeedContributions()
    for each in players:
        person = cup.person_of(each)
        if each == COMPUTER_ENTRANT or person is None:
            seats.append(computer_seat(int((more.computers if more is not None else "") or 1)))
            continue
        by = cup.entries[each].joined_by
        # The hash chain of a browser's commitment was for the lot; the game gets a new one.
        by = f"{CHAIN_PREFIX}{UNKNOWN_ID}" if by.startswith(CHAIN_PREFIX) else by
        seats.append(Seat(0, "joined", person=person.id, joined_by=by))
        given = given.after_joining(person.id, by, is_new=True)
    seats = list(arrange_seats(seats))
    new = NewGame(
        game=cup.row.game_key,
        place=(await _game_places(context, cup, players))[0],
        starter=cup.row.maker,
        rules_version=games[cup.row.game_key].rules_version,
        seat_count=len(seats),
        seats=tuple(seats),
        options=dict(terms.options),
        seed=seed,
        seed_hash=fair.hash_seed(seed),
        terms=terms.time_control.apply(
            Terms(
                rated=terms.rated,
                hints=False,
                order=tuple(map(player_key, seats)),
                cup=cup.row.id,
                cup_kind=cup.row.kind,
                holidays=None if more is None else more.holidays,
            )
        ),
        chance=dump_fields(given),
    )
    row = await _create_game(context, cup, slot, new)
    table = Table(brief=row, row=row, people=dict(cup.people), line=None)
    return await begin_game(context, table, row)


async def _create_game(context: Context, cup: AnyStored, slot: str, new: NewGame) -> GameRow:
    """Create a game with the first free id among those derived from the competition's seed."""
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


def _derive_seed(cup: AnyStored, what: str) -> bytes:
    return hmac.digest(bytes.fromhex(cup.row.seed), f"{cup.row.id} {what}".encode(), hashlib.sha256)


async def _game_places(context: Context, cup: AnyStored, players: Sequence[int]) -> list[int]:
    """Return the places that show a game: the channels of its players or their private chats."""
    found: dict[int, None] = {}
    for each in players:
        person, entry = cup.person_of(each), cup.entries.get(each)
        if person is None or entry is None:
            continue
        place = await context.store.places.get(entry.place or cup.row.place)
        if place is None:
            continue
        adapter = context.adapters.get(place.platform)
        shows_apart = adapter is not None and (adapter.has_threads or adapter.draws_for_readers)
        own = None
        if place.kind == "group" and not shows_apart:
            own = await context.store.competitions.private_place(person.id, place.platform)
        found[own or place.id] = None
    return list(found) or [cup.row.place]


MAX_STEPS: Final = 5000
"""Maximum number of steps in a row for one competition, before the others get their turn."""

log = structlog.get_logger(__name__)


class CompetitionWorker(DueWorker):
    """Advances the competitions of one kind, those of its `keeper`."""

    def __init__(self, keeper: AnyKeeper, context: Context) -> None:
        self.keeper = keeper
        super().__init__(context, context.signals.event(f"competition/{keeper.kind}"), f"{keeper.kind}s")

    async def _take_step(self, found: AnyStored) -> bool:
        """Take the first due step; return True if there was one. Conflict if another writer was faster."""
        context, keeper = self._context, self.keeper
        events: Events = list_departures(found)
        # If the game is not installed, no one can play it: the competition waits, and its games' clocks are stopped.
        if not events and found.row.game_key not in games:
            return False
        events = events or await keeper.due_events(context, found) or await self._read_results(found)
        if events:
            await keeper.store(context, found, events)
            return True
        game = keeper.next_game(found, context.clock())
        if game is not None:
            await open_game(context, keeper, found, game)
        return game is not None

    async def _read_results(self, found: AnyStored) -> list[CompetitionEvent]:
        """Return events for results that are not recorded yet, and events that ask those who never moved."""
        events: list[CompetitionEvent] = []
        asked: dict[int, None] = {}
        for each in found.state.current_games():
            if each.game is None or each.ended is None:
                continue
            result = await read_game_result(self._context, each.game, len(each.seats))
            if result is not None:
                events.append(each.ended(*result))
                asked |= dict.fromkeys(each.seats[seat] for seat in result[2])
        if Asked in found.state.handlers:
            events += [Asked(each) for each in asked if each != COMPUTER_ENTRANT and found.state.is_available(each)]
        return events

    async def _next_due_at(self) -> datetime | None:
        return await self._store.competitions.next_due_at(self.keeper.kind)

    async def _run_due(self) -> bool:
        done = False
        for code in await self._store.competitions.list_due(self._clock(), kind=self.keeper.kind):
            async with self._store.lock(f"competition {code}") as is_held:
                if is_held:
                    await self._advance(code)
                    done = True
        return done

    async def _advance(self, code: str) -> None:
        """Do everything that is due for a competition, and schedule the next look."""
        competitions = self._store.competitions
        for _ in range(MAX_STEPS):
            row = await competitions.get(code)
            if row is None:
                return
            try:
                later = None
                if not row.is_over:
                    found = await self.keeper.read(self._context, row)
                    if await self._take_step(found):
                        continue
                    now = self._clock()
                    due = found.state.next_due_at if row.game_key in games else None
                    later = max(now, min(filter(None, (due, now + RECHECK_INTERVAL))))
                await competitions.postpone(code, row.due_at, later)
                return
            except Conflict:
                continue
            except StorageError:
                raise
            # Nothing is lost: the operator sees the error in the log, the others are served, and this one is retried.
            except (Refused, EngineError) as error:
                log.error("broken-competition", competition=code, reason=repr(error))
            except Exception:
                log.exception("competition-failed", competition=code)
            await competitions.postpone(code, row.due_at, self._clock() + RECHECK_INTERVAL)
            return


async def read_competition_notice(cards: type[AnyCards], context: Context, notice: Notice) -> NoticeContent | None:
    """Return the content of a competition's notice: its cards make it from the notice's subject and number."""
    code, about, number, *_ = (*notice.subject.split(":"), "", "")
    try:
        found = await cards.keeper.find(context, code)
    except Refused:
        return None
    if not number.isdecimal() or found.state.over:
        return None
    shown = [each for each in await context.store.posts.list_of_competition(code) if not each.gone]
    return NoticeContent(shown, lambda speaker: cards(found, speaker).notice(about, int(number)))
