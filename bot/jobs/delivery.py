"""Bringing every board up to date: newest only, one chat never waiting for another, surviving a restart."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Final

import structlog

from bot.context.context import Context
from bot.interface.cards import Card, Picture
from bot.interface.refusals import Refused
from bot.interface.requests import Adapter, DrawsForReaders, Place, Redraws, Threads, TryLater, Undeliverable
from bot.jobs.beside import alone_there, show_offers
from bot.jobs.doubts import Delivered, Doubts, note
from bot.jobs.threads import LOBBY, begun_for_thread, may_move, moved_to_thread, opened_thread
from bot.notices.calling import called_in, calling, on_board
from bot.operations.metrics import DELIVERIES, DELIVERY_SECONDS
from bot.operations.outages import log_outage, reason_of
from bot.presenters.asking import NOWHERE
from bot.presenters.board import board_card
from bot.presenters.headline import headline
from bot.presenters.in_words import text_wanted, with_words
from bot.presenters.lobby import lobby_card
from bot.presenters.offers import with_offers
from bot.presenters.views import view_in
from bot.services.around_lobby import around_lobby
from bot.services.replaying import table_then
from bot.services.rounds import shown_in_channel
from bot.tables.broken import FAULTS, NotInstalled, report
from bot.tables.table import Table
from engine import EngineError
from storage import PlaceRow, StorageError, Surface

FIRST_PAUSE: Final = 2.0
LONGEST_PAUSE: Final = 600.0
PATIENCE: Final = 60.0
"""How many seconds a platform may take over one call."""
DRAWING: Final = 20.0
"""How many of them a picture that was lost may take to be drawn again."""
IDLE: Final = 60.0
MOMENT: Final = 0.02
LEFT: Final = 20.0
"""Every how many seconds to look for what a process that died has left, without its having told anybody."""
ANOTHERS: Final = 3.0
"""After how many seconds a chat that another process was serving is looked at again."""
LENIENCE: Final = timedelta(minutes=1)
"""By so much clocks are set back without anybody noticing."""


log = structlog.get_logger(__name__)


def announcement(table: Table) -> int:
    """Return a number for what a new message is due for: the lobby, each turn of each player, the end."""
    if table.line is None:
        return LOBBY
    return (table.line.state.turn << 4) | (1 if table.mover is None else table.mover + 2)


def pause_after(attempts: int, asked: float | None = None) -> timedelta:
    """Return how long to wait after so many failures in a row, at least as long as the platform asked for."""
    pause = min(FIRST_PAUSE * 2 ** min(attempts, 12), LONGEST_PAUSE)
    return timedelta(seconds=max(pause if asked is None else asked, 0.0))


class _ClaimLost(Exception):
    """The connection that a chat was claimed by is gone: another process may serve it by now."""


class Delivery:
    """A worker with a queue for each chat."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._adapters: Mapping[str, Adapter] = context.adapters
        self._wanted = context.signals.boards
        self._chats: dict[tuple[str, str], asyncio.Task[None]] = {}
        self._loop: asyncio.Task[None] | None = None
        self._seen: datetime | None = None
        self._looked: datetime | None = None
        self._elsewhere: dict[tuple[str, str], float] = {}
        self._doubts = Doubts(context.store, context.clock)

    def start(self) -> None:
        """Begin; what an earlier process left undone is done first."""
        self._loop = asyncio.create_task(self._run(), name="delivery")
        self._wanted.set()

    async def close(self, patience: float = 5.0) -> None:
        """End, finishing what has begun if it takes no longer than `patience` seconds."""
        if self._loop is not None:
            self._loop.cancel()
            await asyncio.gather(self._loop, return_exceptions=True)
            self._loop = None
        running = list(self._chats.values())
        if running:
            _, late = await asyncio.wait(running, timeout=patience)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    def wake(self) -> None:
        """Have due surfaces looked at soon."""
        self._wanted.set()

    async def settle(self) -> None:
        """Deliver everything that is due by now and return when all of it was tried."""
        while True:
            begun = await self._dispatch()
            if not begun and not self._chats:
                return
            if self._chats:
                # Whoever has no time to wait for it must not cut it off: it would be begun anew.
                await asyncio.wait(self._chats.values())

    async def _run(self) -> None:
        while True:
            self._wanted.clear()
            pause = IDLE
            try:
                await self._dispatch()
                if self._chats:
                    # Where much is going on, what comes in the next moment is looked at in one go.
                    await asyncio.sleep(MOMENT)
                if self._wanted.is_set():
                    continue
                due = await self._due()
            except StorageError as error:
                log_outage(log, "delivery-waits-for-the-database", error)
                due, pause = None, FIRST_PAUSE
            except Exception:
                # Whatever it is: one row that cannot be read must not end the delivery of all others for good.
                log.exception("delivery-stumbled")
                due, pause = None, FIRST_PAUSE
            now = self._context.clock()
            if due is not None:
                pause = min(pause, max(0.0, (due - now).total_seconds()))
            if self._context.store.shared:
                pause = min(pause, ANOTHERS if self._elsewhere else LEFT)
            try:
                async with asyncio.timeout(pause):
                    await self._wanted.wait()
            except TimeoutError:
                continue

    async def _due(self) -> datetime | None:
        """Return when something is due next; a clock that was set back must not hold anything up."""
        now = self._context.clock()
        if self._seen is None or now < self._seen - LENIENCE:
            boards = await self._context.store.hasten_surfaces(now + timedelta(seconds=LONGEST_PAUSE), now)
            if boards:
                log.warning("due-too-late", boards=boards)
        self._seen = now
        # What was due when we looked is being delivered, here or elsewhere: its end has us look again.
        return await self._context.store.next_due(self._looked)

    async def _dispatch(self) -> bool:
        """Start a queue for every chat that has something due and none running; say whether any was started."""
        self._look_again()
        busy = len(self._chats)
        self._looked = self._context.clock()
        # Boards of a platform that others serve, or nobody now, must not be all that is seen of what is due.
        mine = tuple(self._adapters) if self._context.store.shared else None
        due = await self._context.store.due_chats(self._looked, 100 + 10 * busy, mine)
        queues: dict[tuple[str, str], list[int]] = {
            chat: [] for chat in self._doubts.chats if chat not in self._chats and chat not in self._elsewhere
        }
        for surface, *place in due:
            chat = (place[0], place[1])
            if chat not in self._chats and chat not in self._elsewhere:
                queues.setdefault(chat, []).append(surface)
        for chat, surfaces in queues.items():
            task = asyncio.create_task(self._serve_chat(chat, surfaces), name=f"delivery {chat[0]}")
            self._chats[chat] = task
            task.add_done_callback(partial(self._ended, chat))
        return bool(queues)

    def _ended(self, chat: tuple[str, str], _: asyncio.Task[None]) -> None:
        del self._chats[chat]
        self._wanted.set()

    def _look_again(self) -> None:
        """Forget which chats another process was serving long enough ago: it may have died."""
        now = asyncio.get_running_loop().time()
        self._elsewhere = {chat: until for chat, until in self._elsewhere.items() if until > now}

    async def _serve_chat(self, chat: tuple[str, str], surfaces: list[int]) -> None:
        """Serve a chat unless another process does."""
        try:
            async with self._context.store.claimed(f"chat {chat[0]} {chat[1]}") as ours:
                if ours:
                    await self._doubts.settle(chat)
                    await self._serve(surfaces)
                else:
                    self._elsewhere[chat] = asyncio.get_running_loop().time() + ANOTHERS
        except StorageError:
            log.warning("delivery-without-a-claim", platform=chat[0])
            self._elsewhere[chat] = asyncio.get_running_loop().time() + ANOTHERS

    async def _serve(self, surfaces: list[int]) -> None:
        era = self._context.store.era
        for listed in surfaces:
            if era != self._context.store.era:
                return  # another process may serve this chat by now
            try:
                # Listed before the queue that served it last had ended, it may be up to date by now.
                surface = await self._context.store.surface(listed)
                if surface is not None and surface.due_at is not None and surface.due_at <= self._context.clock():
                    await self._deliver(surface)
            except StorageError as error:
                log_outage(log, "delivery-not-noted", error, surface=listed)
                await asyncio.sleep(FIRST_PAUSE)
            except Exception:
                log.exception("delivery-stumbled", surface=listed)

    async def _deliver(self, surface: Surface) -> None:
        """Bring one surface up to date, or note when to try again."""
        store, now = self._context.store, self._context.clock()
        platform, ended = surface.place.platform, "shown"
        adapter = self._adapters.get(platform)
        try:
            if adapter is None:
                raise TryLater(LONGEST_PAUSE)
            async with asyncio.timeout(PATIENCE):
                shown = await self._show(adapter, surface)
                await self._retire_in_time(adapter, shown)
            if surface.due_at is not None:
                DELIVERY_SECONDS.labels(platform).observe(
                    max(0.0, (self._context.clock() - surface.due_at).total_seconds())
                )
        except Undeliverable as error:
            ended = "undeliverable"
            log.warning("undeliverable", game=surface.game, surface=surface.id, reason=error.reason)
            if error.reason == "forbidden":
                ended = "waiting"
            async with store.transaction():
                await (store.surface_waits if ended == "waiting" else store.surface_gone)(surface.id)
                # Whoever was to be called there is called elsewhere, or once it is open again.
                await store.notices_reopened(now, game=surface.game, place=surface.place.id)
                await shown_in_channel(self._context, surface)
            self._context.signals.notices.set()
        except (TryLater, TimeoutError) as error:
            ended = "later"
            asked = error.seconds if isinstance(error, TryLater) else None
            pause = pause_after(surface.attempts, asked)
            log.info("delivery-later", game=surface.game, surface=surface.id, seconds=pause.total_seconds())
            await store.surface_failed(surface.id, now + pause)
        except (Refused, EngineError) as error:
            ended = "broken"
            report(log, error, game=surface.game, surface=surface.id)
            await store.surface_failed(surface.id, now + pause_after(surface.attempts, LONGEST_PAUSE))
        except StorageError:
            ended = "not-noted"
            raise
        except _ClaimLost:
            ended = "elsewhere"
        except Exception:
            ended = "failed"
            log.exception("delivery-failed", game=surface.game, surface=surface.id)
            await store.surface_failed(surface.id, now + pause_after(surface.attempts))
        finally:
            DELIVERIES.labels(platform, ended).inc()

    async def _show(self, adapter: Adapter, surface: Surface) -> Surface:
        """Show the newest revision: by a new message where there is something to announce, else by an edit."""
        if surface.shown_revision == surface.revision and surface.announced_turn is not None:
            return await self._nothing_to_show(surface)
        era = self._context.store.era
        table = await self._table(surface.game)
        if isinstance(adapter, Threads):
            surface = await begun_for_thread(self._context, adapter, self._place(surface), surface, table)
            if may_move(surface, table):
                thread = await opened_thread(self._context, adapter, self._place(surface), surface, table)
                if thread is not None:
                    await self._retire(adapter, surface)
                    await moved_to_thread(self._context, adapter, self._place(surface), surface, table, thread)
                    self.wake()
                    return replace(surface, retiring=())
        number = announcement(table)
        if surface.message is not None and surface.announced_turn and table.level_at(table.mover) is not None:
            number = surface.announced_turn  # nobody is called to a computer's turn: what stands there says it thinks
        place, message = self._place(surface), surface.message
        called = await called_in(self._context, surface)
        await alone_there(self._context, surface)
        surface = await show_offers(self._context, adapter, place, surface, table, called)
        called = on_board(called, table.row)
        telling = [each for each in called if each.told_at is None]
        card = await self.card(table, surface.place)
        # Where everybody is drawn their own board, one message stands for the game; the place tells of its turns.
        stays = isinstance(adapter, DrawsForReaders) and surface.announced_turn is not None
        told, chat = tuple(each.id for each in telling), (place.platform, place.channel)
        if era != self._context.store.era:
            raise _ClaimLost
        if message is not None and (stays or (surface.announced_turn == number and not telling)):
            edited = Delivered(surface, message, table.row.revision, number, told)
            try:
                await adapter.edit(place, message, calling(self._context, card, table, surface, called))
            except BaseException as error:
                if not isinstance(error, Undeliverable):
                    # Nobody knows whether it lands after all, perhaps on what another process shows there by then.
                    self._look_later(era, chat, replace(edited, sure=False))
                    raise
                if error.reason != "message-gone":
                    raise
                message = None
            else:
                if self._look_later(era, chat, edited):
                    return surface
        else:
            message = None
        if message is None:
            card = calling(self._context, card, table, surface, telling)
            message = await adapter.send(place, card, f"{surface.id}-{number}-{surface.message or ''}")
            if self._look_later(era, chat, Delivered(surface, message, table.row.revision, number, told)):
                return surface
        shown = Delivered(surface, message, table.row.revision, number, told)
        return await note(self._context.store, shown, self._context.clock()) or surface

    async def _nothing_to_show(self, surface: Surface) -> Surface:
        """Return a surface that is up to date; with no old messages to retire nothing is due there."""
        if surface.retiring or surface.message is None or surface.announced_turn is None:
            return surface
        found = Delivered(surface, surface.message, surface.revision, surface.announced_turn)
        return await note(self._context.store, found, self._context.clock()) or surface

    def _look_later(self, era: int, chat: tuple[str, str], delivered: Delivered) -> bool:
        """Say whether the claim was lost in which something was shown; then it is looked at under another one."""
        if era == self._context.store.era:
            return False
        self._doubts.add(chat, delivered)
        return True

    async def _table(self, game: str) -> Table:
        """Return a game at its table; of one ended while it is not installed what can be shown: that it was ended."""
        try:
            return await self._context.table(game)
        except NotInstalled:
            table = await self._context.table_as_stored(game)
            reason = (table.row.outcome or {}).get("reason")
            if table.row.status != "over" or not self._context.speaker(None).has(f"ended.{reason}"):
                raise
            return table

    async def card(self, table: Table, place: PlaceRow) -> Card:
        """Return the card that shows a table in a place, in its language and theme."""
        speaker = self._context.speaker(self._context.place_language(place))
        if table.line is None:
            lobby = lobby_card(table, table.row, speaker, await around_lobby(self._context, table.row, place))
            return replace(lobby, headline=headline(table))
        if self._context.draws_for_readers(place.platform):
            return replace(board_card(table, speaker), headline=headline(table))
        picture = await self._picture(table, place)
        spots = picture.spots if picture is not None else NOWHERE
        card = replace(board_card(table, speaker, spots=spots), headline=headline(table))
        if table.row.status == "playing" and self._context.edits_alone(place):
            card = with_offers(card, table, speaker.of(table.row.game))
        if text_wanted(place.effective):
            card = with_words(card, table, speaker)
        return replace(card, picture=picture)

    async def _picture(self, table: Table, place: PlaceRow) -> Picture | None:
        """Return the picture of a table's board as all in a place see it."""
        speaker = self._context.speaker(self._context.place_language(place))
        view = await view_in(self._context, table, place)
        return await self._context.artist.picture(table, speaker, view)

    def _place(self, surface: Surface) -> Place:
        return place_of(surface.place, self._context.place_language(surface.place))

    async def _retire_in_time(self, adapter: Adapter, surface: Surface) -> None:
        """Retire old messages, now or when the platform allows it: the board is there, so nobody waits for that."""
        try:
            await self._retire(adapter, surface)
        except TryLater as error:
            if error.seconds is None:
                raise
            at = self._context.clock() + timedelta(seconds=error.seconds)
            await self._context.store.surface_retires_later(surface.id, at)

    async def _retire(self, adapter: Adapter, surface: Surface) -> None:
        remove = bool(surface.place.effective.get("newest_only"))
        for message in surface.retiring:
            try:
                await adapter.retire(self._place(surface), message, remove=remove)
            except Undeliverable as error:
                if error.reason == "picture-lost":
                    await self._redraw(adapter, surface, message)
                elif error.reason != "message-gone":
                    log.info("not-retired", game=surface.game, surface=surface.id, reason=error.reason)
            await self._context.store.surface_retired(surface.id, message, self._context.clock())

    async def _redraw(self, adapter: Adapter, surface: Surface, message: str) -> None:
        """Show an old board's picture again where it was lost, drawn anew; what cannot be drawn is noted, and lost."""
        revision, picture, reason = surface.shown_then.get(message), None, "cannot-be-drawn"
        try:
            if isinstance(adapter, Redraws) and revision is not None:
                async with asyncio.timeout(DRAWING):
                    then = await table_then(self._context, await self._context.table(surface.game), revision)
                    picture = await self._picture(then, surface.place)
                if picture is not None:
                    await adapter.redraw(self._place(surface), message, picture)
                    log.info("picture-drawn-again", game=surface.game, surface=surface.id, revision=revision)
                    return
        except (Refused, Undeliverable, TimeoutError, *FAULTS) as error:
            # No old picture is worth keeping the boards behind it waiting.
            reason = reason_of(error)
        log.warning("picture-lost", game=surface.game, surface=surface.id, revision=revision, reason=reason)


def place_of(row: PlaceRow, language: str | None = None) -> Place:
    """Return a stored place as adapters know it, with the language of what all see there."""
    return Place(row.platform, row.channel, row.thread, row.group, row.kind, row.title, language, guest=row.guest)
