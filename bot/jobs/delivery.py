"""Bringing every board up to date: newest only, one chat never waiting for another, surviving a restart."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Final

import structlog

from bot.context.context import Context
from bot.interface.cards import Card, Picture
from bot.interface.refusals import Refused
from bot.interface.requests import Adapter, Place, Redraws, Threads, TryLater, Undeliverable
from bot.language.rich_text import Span
from bot.operations.metrics import DELIVERIES, DELIVERY_SECONDS
from bot.operations.outages import log_outage, reason_of
from bot.pictures.artist import View, theme_of
from bot.presenters.board import board_card
from bot.presenters.in_words import text_wanted, with_words
from bot.presenters.lobby import lobby_card
from bot.services.replaying import table_then
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

LOBBY: Final = 0
"""What is announced while a game has not started."""

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
        queues: dict[tuple[str, str], list[int]] = {}
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
                    await self._serve(surfaces)
                else:
                    self._elsewhere[chat] = asyncio.get_running_loop().time() + ANOTHERS
        except StorageError:
            log.warning("delivery-without-a-claim", platform=chat[0])
            self._elsewhere[chat] = asyncio.get_running_loop().time() + ANOTHERS

    async def _serve(self, surfaces: list[int]) -> None:
        for listed in surfaces:
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
                await self._retire(adapter, shown)
            if surface.due_at is not None:
                DELIVERY_SECONDS.labels(platform).observe(
                    max(0.0, (self._context.clock() - surface.due_at).total_seconds())
                )
        except Undeliverable as error:
            ended = "undeliverable"
            log.warning("undeliverable", game=surface.game, surface=surface.id, reason=error.reason)
            await store.surface_gone(surface.id)
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
        except Exception:
            ended = "failed"
            log.exception("delivery-failed", game=surface.game, surface=surface.id)
            await store.surface_failed(surface.id, now + pause_after(surface.attempts))
        finally:
            DELIVERIES.labels(platform, ended).inc()

    async def _show(self, adapter: Adapter, surface: Surface) -> Surface:
        """Show the newest revision: by a new message where there is something to announce, else by an edit."""
        if surface.shown_revision == surface.revision and surface.announced_turn is not None:
            return surface
        table = await self._table(surface.game)
        surface = await self._begun_for_thread(adapter, surface, table)
        if await self._moved_to_thread(adapter, surface, table):
            return replace(surface, retiring=())
        number = announcement(table)
        if surface.message is not None and surface.announced_turn and table.level_at(table.mover) is not None:
            number = surface.announced_turn  # nobody is called to a computer's turn: what stands there says it thinks
        card = await self.card(table, surface.place)
        place = self._place(surface)
        message = surface.message
        if message is not None and surface.announced_turn == number:
            try:
                await adapter.edit(place, message, card)
            except Undeliverable as error:
                if error.reason != "message-gone":
                    raise
                message = None
        else:
            message = None
        if message is None:
            message = await adapter.send(place, card, f"{surface.id}-{number}-{surface.message or ''}")
        noted = await self._context.store.surface_shown(
            surface.id, revision=table.row.revision, message=message, turn=number, at=self._context.clock()
        )
        return noted or surface

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

    async def _begun_for_thread(self, adapter: Adapter, surface: Surface, table: Table) -> Surface:
        """Have a message that a thread can start from where a game against computers has begun without a lobby."""
        row, line = surface.place, table.line
        fresh = surface.message is None and surface.announced_turn is None and line is not None
        wished = row.thread is None and row.effective.get("threads") and isinstance(adapter, Threads)
        if not fresh or not wished or line is None or line.state.turn >= table.row.seat_count:
            return surface
        if not any(entry.computer for entry in table.row.seats):
            return surface
        voice = self._context.speaker(self._context.place_language(row)).of(table.row.game)
        who = voice.listing([Span(name, bold=True) for name in table.spoken(voice).names])
        card = Card(voice.say("lobby.begins", game=voice.line("name"), who=who))
        message = await adapter.send(self._place(surface), card, f"{surface.id}-{LOBBY}-")
        noted = await self._context.store.surface_shown(
            surface.id, revision=0, message=message, turn=LOBBY, at=self._context.clock()
        )
        return noted or surface

    async def _moved_to_thread(self, adapter: Adapter, surface: Surface, table: Table) -> bool:
        """Move a game that has just begun from where its lobby was into a thread of its own, where that is wished."""
        row, store = surface.place, self._context.store
        begun = table.line is not None and surface.announced_turn == LOBBY and surface.message is not None
        if not begun or row.thread is not None or not row.effective.get("threads") or not isinstance(adapter, Threads):
            return False
        voice = self._context.speaker(self._context.place_language(row)).of(table.row.game)
        name, place, message = voice.line("name"), self._place(surface), surface.message or ""
        table = table.spoken(voice)
        thread = await adapter.open_thread(place, message, f"{name}: {' – '.join(table.names)}")
        if thread is None:
            return False
        await self._retire(adapter, surface)
        who = voice.listing([Span(other, bold=True) for other in table.names])
        with suppress(Undeliverable):
            await adapter.edit(place, message, Card(voice.say("lobby.in-thread", game=name, who=who)))
        there = await store.place(row.platform, row.channel, thread, row.group, row.kind, row.title)
        async with store.transaction():
            await store.add_surface(surface.game, there.id, self._context.clock())
            await store.surface_gone(surface.id)
        self.wake()
        return True

    async def card(self, table: Table, place: PlaceRow) -> Card:
        """Return the card that shows a table in a place, in its language and theme."""
        speaker = self._context.speaker(self._context.place_language(place))
        if table.line is None:
            return lobby_card(table, table.row, speaker)
        card = board_card(table, speaker)
        if text_wanted(place.effective):
            card = with_words(card, table, speaker)
        picture = await self._picture(table, place)
        return Card(card.text, picture, card.rows, card.mention, card.presses, card.also)

    async def _picture(self, table: Table, place: PlaceRow) -> Picture | None:
        """Return the picture of a table's board as all in a place see it."""
        speaker = self._context.speaker(self._context.place_language(place))
        view = View(viewer=table.mover, theme=theme_of(place.effective))
        return await self._context.artist.picture(table, speaker, view)

    def _place(self, surface: Surface) -> Place:
        return place_of(surface.place, self._context.place_language(surface.place))

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
    return Place(row.platform, row.channel, row.thread, row.group, row.kind, row.title, language)
