"""Bringing one surface up to date on its platform: show the newest revision, mention people, retire old boards."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final, NamedTuple

import structlog

from bot.core.context import Context
from bot.core.features import BoardExtra, handle_undeliverable, load_board_extra
from bot.core.places import place_of
from bot.core.question_cards import NO_SPOTS
from bot.delivery.memory import DeliveredRevision, DueBoards, UnconfirmedSends, record_delivery
from bot.delivery.side_messages import (
    LOBBY_ANNOUNCEMENT,
    ids_in_key,
    may_move_to_thread,
    move_to_thread,
    open_game_thread,
    open_thread_message,
    removes_old_messages,
    retire_other_games,
    show_offers,
)
from bot.interface.cards import Card, Picture
from bot.interface.refusals import Refused
from bot.interface.requests import Adapter, Place, TryLater, Undeliverable
from bot.lobby.cards import lobby_card
from bot.lobby.lobby_context import read_lobby_context
from bot.notices.rules import notices_for_surface, notices_on_board, with_notices
from bot.operations.metrics import DELIVERIES, DELIVERY_SECONDS
from bot.operations.outages import describe_outage
from bot.play.card_parts import headline, wants_text, with_offers, with_position_in_words
from bot.play.cards import board_card
from bot.play.replaying import table_after
from bot.play.views import shared_view
from bot.tables.table import DECODE_ERRORS, NotInstalled, Table, report_broken_game
from engine import EngineError
from storage import PlaceRow, PlayersHere, StorageError, Surface, SurfaceWithNotices

FIRST_RETRY_SECONDS: Final = 2.0
MAX_RETRY_SECONDS: Final = 600.0
PLATFORM_CALL_TIMEOUT_SECONDS: Final = 60.0
"""Maximum seconds for one call to a platform."""
RENDER_TIMEOUT_SECONDS: Final = 20.0
"""Seconds, out of those, to redraw a picture that was lost."""

log = structlog.get_logger(__name__)


def announcement_number(table: Table) -> int:
    """Return the number of the announcement that a new message is due for: lobby, each player's turn, end."""
    if table.line is None:
        return LOBBY_ANNOUNCEMENT
    return (table.line.state.turn << 4) | (1 if table.mover is None else table.mover + 2)


def pause_after(attempts: int, asked: float | None = None) -> timedelta:
    """Return the back-off after some failures in a row, at least as long as the platform asked for."""
    pause = min(FIRST_RETRY_SECONDS * 2 ** min(attempts, 12), MAX_RETRY_SECONDS)
    return timedelta(seconds=max(pause if asked is None else asked, 0.0))


class _ClaimLost(Exception):
    """The connection that held the chat's lock is gone: another process may serve the chat by now."""


class Next(NamedTuple):
    """Time at which a surface is due next, None if it is not; with the surface as it is now, if known."""

    due_at: datetime | None
    in_hand: Surface | None = None


class BoardDelivery:
    """Brings surfaces up to date, each read once; `doubts` collects sends that may have ended after a lock was lost."""

    def __init__(self, context: Context, due: DueBoards, doubts: UnconfirmedSends) -> None:
        self._context = context
        self._adapters: Mapping[str, Adapter] = context.adapters
        self._due = due
        self._doubts = doubts

    async def deliver(self, found: SurfaceWithNotices) -> Next:
        """Bring one surface up to date, or store when to retry; return what is due there next."""
        store, now, surface = self._context.store, self._context.clock(), found.surface
        platform, ended = surface.place.platform, "shown"
        due_at: datetime | None = None
        in_hand: Surface | None = None
        adapter = self._adapters.get(platform)
        try:
            if adapter is None:
                raise TryLater(MAX_RETRY_SECONDS)
            async with asyncio.timeout(PLATFORM_CALL_TIMEOUT_SECONDS):
                shown = await self._show(adapter, found)
                due_at = shown.due_at
                if due_at is None or due_at <= self._context.clock():
                    shown = await self._retire_in_time(adapter, shown)
                    due_at = shown.due_at
                # If it is due at once, others have changed it: it is read again.
                in_hand = shown if due_at is not None and due_at > self._context.clock() else None
            if surface.due_at is not None:
                DELIVERY_SECONDS.labels(platform).observe(
                    max(0.0, (self._context.clock() - surface.due_at).total_seconds())
                )
        except Undeliverable as error:
            ended, due_at = "undeliverable", None
            log.warning("board-undeliverable", game=surface.game, surface=surface.id, reason=error.reason)
            if error.reason == "forbidden":
                ended = "waiting"
            async with store.transaction():
                await (store.surfaces.block if ended == "waiting" else store.surfaces.close)(surface.id)
                # People who were to be notified there are notified elsewhere, or there once it is open again.
                await store.notices.reopen(now, game=surface.game, place=surface.place.id)
                await handle_undeliverable(self._context, surface)
            self._context.signals.wake("notices")
        except (TryLater, TimeoutError) as error:
            ended = "later"
            asked = error.seconds if isinstance(error, TryLater) else None
            pause = pause_after(surface.attempts, asked)
            log.info("delivery-later", game=surface.game, surface=surface.id, seconds=pause.total_seconds())
            due_at = await self._record_failure(surface, now + pause)
        except (Refused, EngineError) as error:
            ended = "broken"
            report_broken_game(log, error, game=surface.game, surface=surface.id)
            due_at = await self._record_failure(surface, now + pause_after(surface.attempts, MAX_RETRY_SECONDS))
        except StorageError:
            ended = "not-noted"
            raise
        except _ClaimLost:
            ended, due_at = "elsewhere", now
        except Exception:
            ended = "failed"
            log.exception("delivery-failed", game=surface.game, surface=surface.id)
            due_at = await self._record_failure(surface, now + pause_after(surface.attempts))
        finally:
            DELIVERIES.labels(platform, ended).inc()
        return Next(due_at, in_hand)

    async def _record_failure(self, surface: Surface, next_try: datetime) -> datetime:
        """Store when to retry, and return that time."""
        await self._context.store.surfaces.record_failure(surface.id, next_try)
        return next_try

    async def _show(self, adapter: Adapter, found: SurfaceWithNotices) -> Surface:
        """Show the newest revision: in a new message if there is something to announce, otherwise by an edit."""
        surface = found.surface
        if surface.shown_revision == surface.revision and surface.announced_turn is not None:
            return await self._finish_surface(surface)
        epoch = self._context.store.lock_epoch
        found, table = await self._read_at_one_moment(found)
        surface = found.surface
        if surface.gone or surface.waiting:
            return replace(surface, due_at=None)
        if adapter.has_threads:
            surface = await open_thread_message(self._context, adapter, self._place(surface), surface, table)
            if may_move_to_thread(surface, table):
                thread = await open_game_thread(self._context, adapter, self._place(surface), surface, table)
                if thread is not None:
                    _, waits = await self._retire(adapter, surface)
                    if waits is not None:
                        raise waits
                    await move_to_thread(self._context, adapter, self._place(surface), surface, table, thread)
                    return replace(surface, stale_messages={}, due_at=None)
        number = announcement_number(table)
        if surface.message is not None and surface.announced_turn and table.level_at(table.mover) is not None:
            number = surface.announced_turn  # a computer's turn mentions nobody: the old message says it thinks
        place, message = self._place(surface), surface.message
        called = await notices_for_surface(self._context, found)
        await retire_other_games(self._context, surface)
        surface = await show_offers(self._context, adapter, place, surface, table, called)
        called = notices_on_board(called, table.row)
        unsent = [each for each in called if each.delivered_at is None]
        card = await self.card(table, surface.place, found.players_here)
        # Where everybody gets their own drawing, one message stands for the game; the place announces its turns.
        stays = adapter.draws_for_readers and surface.announced_turn is not None
        notices, chat = tuple(unsent), (place.platform, place.channel)
        if epoch != self._context.store.lock_epoch:
            raise _ClaimLost
        if message is not None and (stays or (surface.announced_turn == number and not unsent)):
            edited = DeliveredRevision(surface, message, table.row.revision, number, notices)
            try:
                await adapter.edit(place, message, with_notices(self._context, card, table, surface, called))
            except BaseException as error:
                if not isinstance(error, Undeliverable):
                    # It may still take effect, perhaps over what another process shows there by then.
                    self._confirm_later(epoch, chat, replace(edited, sure=False))
                    raise
                if error.reason != "message-gone":
                    raise
                message = None
            else:
                if self._confirm_later(epoch, chat, edited):
                    return surface
        else:
            message = None
        if message is None:
            card = with_notices(self._context, card, table, surface, unsent)
            key = f"{surface.id}-{number}-{surface.message or ''}{ids_in_key(notices)}"
            message = await adapter.send(place, card, key)
            if self._confirm_later(
                epoch, chat, DeliveredRevision(surface, message, table.row.revision, number, notices)
            ):
                return surface
        shown = DeliveredRevision(surface, message, table.row.revision, number, notices)
        now, remove = self._context.clock(), removes_old_messages(surface)
        later = now + timedelta(seconds=adapter.seconds_to_retire(place, remove=remove))
        noted = await record_delivery(self._context.store, shown, now, later)
        self._due.forget_shown(surface.id, table.row.revision)
        return noted or replace(surface, due_at=None)

    async def _finish_surface(self, surface: Surface) -> Surface:
        """Return a surface that is up to date; with no old messages to retire, nothing is due there."""
        if surface.stale_messages or surface.message is None or surface.announced_turn is None:
            return surface
        shown = DeliveredRevision(surface, surface.message, surface.revision, surface.announced_turn)
        return await record_delivery(self._context.store, shown, self._context.clock()) or replace(surface, due_at=None)

    def _confirm_later(self, epoch: int, chat: tuple[str, str], delivered: DeliveredRevision) -> bool:
        """If the chat's lock was lost during a send, keep the send to be settled under a new lock; return True then."""
        if epoch == self._context.store.lock_epoch:
            return False
        self._doubts.add(chat, delivered)
        return True

    async def _read_at_one_moment(self, found: SurfaceWithNotices) -> tuple[SurfaceWithNotices, Table]:
        """Return a surface with its notices, and its game's table at the same step: a board and whom it mentions.

        A step that is stored between the two reads has both read again.
        """
        store, surface = self._context.store, found.surface
        while True:
            table = await self._table(surface.game)
            if (table.row.revision, table.row.to_move) == (found.surface.revision, found.to_move):
                return found, table
            store.cache.put_right({surface.game: None})  # an operator may have changed the file by other means
            again = await store.surfaces.get_with_notices(surface.id)
            if again is None:
                return replace(found, surface=replace(surface, gone=True)), table
            found = again

    async def _table(self, game: str) -> Table:
        """Return a game's table; of a game that ended while not installed, only what can be shown: that it ended."""
        try:
            return await self._context.table(game)
        except NotInstalled:
            table = await self._context.table_as_stored(game)
            reason = (table.row.outcome or {}).get("reason")
            if table.row.status != "over" or not self._context.speaker(None).has(f"ended.{reason}"):
                raise
            return table

    async def card(self, table: Table, place: PlaceRow, here: PlayersHere | None = None) -> Card:
        """Return the card that shows a table in a place, in its language and theme."""
        speaker = self._context.place_speaker(place)
        if table.line is None:
            lobby = lobby_card(table, table.row, speaker, await read_lobby_context(self._context, table.row, place))
            return replace(lobby, headline=headline(table))
        extra = await load_board_extra(self._context, table, place, speaker)
        if self._context.draws_for_readers(place.platform):
            return extra.added_to(replace(board_card(table, speaker), headline=headline(table)))
        picture = await self._picture(table, place, extra, here)
        spots = picture.spots if picture is not None else NO_SPOTS
        alone = self._context.edits_alone(place)
        board = board_card(table, speaker, spots=spots, typed=not alone)
        card = extra.added_to(replace(board, headline=headline(table)))
        if table.row.status == "playing" and alone:
            card = with_offers(card, table, speaker.of(table.row.game))
        if wants_text(place.effective):
            card = with_position_in_words(card, table, speaker)
        return replace(card, picture=picture)

    async def _picture(
        self, table: Table, place: PlaceRow, extra: BoardExtra, here: PlayersHere | None = None
    ) -> Picture | None:
        """Return the picture of a table's board as everybody in a place sees it."""
        speaker = self._context.place_speaker(place)
        view = replace(await shared_view(self._context, table, place, here), hint=extra.hint)
        return await self._context.artist.picture(table, speaker, view)

    def _place(self, surface: Surface) -> Place:
        return place_of(surface.place, self._context.place_language(surface.place))

    async def _retire_in_time(self, adapter: Adapter, surface: Surface) -> Surface:
        """Retire old messages, now or when the platform allows it: the new board is there, so nobody waits for this.

        Returns the surface as it is then; `due_at` is when it is due next.
        """
        surface, waits = await self._retire(adapter, surface)
        if waits is None:
            return surface
        if waits.seconds is None:
            raise waits
        now = self._context.clock()
        at = now + timedelta(seconds=waits.seconds)
        return replace(
            surface, due_at=at if await self._context.store.surfaces.schedule_retirement(surface, at) else now
        )

    async def _retire(self, adapter: Adapter, surface: Surface) -> tuple[Surface, TryLater | None]:
        """Retire old messages; return the updated surface, and the error that makes the remaining ones wait, if any."""
        retired, waits = list[str](), None
        for message in surface.stale_messages:
            try:
                await adapter.retire(self._place(surface), message, remove=removes_old_messages(surface))
            except Undeliverable as error:
                if error.reason == "picture-lost":
                    await self._redraw(adapter, surface, message)
                elif error.reason != "message-gone":
                    log.info("board-not-retired", game=surface.game, surface=surface.id, reason=error.reason)
            except TryLater as error:
                waits = error
                break
            retired.append(message)
        if retired:
            noted = await self._context.store.surfaces.record_retired(surface, retired, self._context.clock())
            surface = noted or replace(surface, due_at=None)
        return surface, waits

    async def _redraw(self, adapter: Adapter, surface: Surface, message: str) -> None:
        """Redraw an old board's lost picture; log one that cannot be drawn."""
        revision, picture, reason = surface.stale_messages.get(message), None, "cannot-be-drawn"
        try:
            if revision is not None:
                async with asyncio.timeout(RENDER_TIMEOUT_SECONDS):
                    then = await table_after(self._context, await self._context.table(surface.game), revision)
                    picture = await self._picture(then, surface.place, BoardExtra())
                if picture is not None:
                    await adapter.redraw(self._place(surface), message, picture)
                    log.info("picture-drawn-again", game=surface.game, surface=surface.id, revision=revision)
                    return
        except (Refused, Undeliverable, TimeoutError, *DECODE_ERRORS) as error:
            # No old picture is worth delaying the boards behind it.
            reason = describe_outage(error)
        log.warning("picture-lost", game=surface.game, surface=surface.id, revision=revision, reason=reason)
