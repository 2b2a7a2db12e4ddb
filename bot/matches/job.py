"""The job of competitions of one kind: it advances them and updates their messages.

The database says what is due; the process that holds the lock does it. Repeated steps change nothing.
"""

import asyncio
from abc import abstractmethod
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final, Generic, TypeVar

import structlog

from bot.core.context import Context
from bot.core.due_worker import DueWorker
from bot.core.features import NoticeContent
from bot.core.places import place_of
from bot.delivery.boards import MAX_RETRY_SECONDS, PLATFORM_CALL_TIMEOUT_SECONDS, pause_after
from bot.interface.cards import Card
from bot.interface.refusals import Refused
from bot.interface.requests import Adapter, Place, TryLater, Undeliverable
from bot.language.texts import Speaker
from bot.matches.keeper import CompetitionKeeper, CompetitionWithState
from bot.matches.stored import RECHECK_INTERVAL
from engine import EngineError
from storage import CompetitionKind, CompetitionPlace, CompetitionRow, Conflict, Notice, StorageError

MAX_STEPS: Final = 5000
"""Maximum number of steps in a row for one competition, before others are served."""

C = TypeVar("C", bound=CompetitionWithState[Any])

log = structlog.get_logger(__name__)


class CompetitionWorker(DueWorker, Generic[C]):
    """Advances the competitions of one kind and updates their messages."""

    def __init__(
        self,
        context: Context,
        keeper: CompetitionKeeper[Any, Any, Any, C],
        do_next_step: Callable[[Context, C], Awaitable[bool]],
        next_look: Callable[[C, datetime], datetime],
    ) -> None:
        """Create the worker.

        `do_next_step` does the first step that is due and returns whether there was one; Conflict if another writer
        was faster. `next_look` says when a competition that is not over is looked at again.
        """
        super().__init__(context, context.signals.event(f"competition/{keeper.kind}"), f"{keeper.kind}s")
        self._keeper = keeper
        self._kind: CompetitionKind = keeper.kind
        self._do_next_step = do_next_step
        self._next_look = next_look

    @abstractmethod
    async def _write_message(
        self, found: C, shown: CompetitionPlace, place: Place, adapter: Adapter
    ) -> tuple[Card, int]:
        """Send a competition's news to a place; return the card that shows it, and the number of news sent in all.

        The number is stored, so that each is sent once; Refused if the competition cannot be read.
        """

    async def _next_due_at(self) -> datetime | None:
        return await self._context.store.competitions.next_due_at(self._kind)

    async def _run_due(self) -> bool:
        done = False
        for code in await self._context.store.competitions.list_due(self._context.clock(), kind=self._kind):
            done = await self._advance_claimed(code) or done
        mine = tuple(self._context.adapters) if self._context.store.is_shared else None
        for shown in await self._context.store.competitions.list_due_places(
            self._context.clock(), platforms=mine, kind=self._kind
        ):
            done = await self._show(shown) or done
        return done

    async def _advance_claimed(self, code: str) -> bool:
        async with self._context.store.lock(f"competition {code}") as ours:
            if ours:
                await self._advance(code)
        return ours

    async def _advance(self, code: str) -> None:
        """Do everything that is due for a competition, and schedule the next look."""
        competitions = self._context.store.competitions
        for _ in range(MAX_STEPS):
            row = await competitions.get(code)
            if row is None:
                return
            try:
                found = await self._keeper.read(self._context, row)
                if row.status != "over" and await self._do_next_step(self._context, found):
                    continue
                later = None if row.status == "over" else self._next_look(found, self._context.clock())
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
            await competitions.postpone(code, row.due_at, self._context.clock() + RECHECK_INTERVAL)
            return

    async def _show(self, listed: CompetitionPlace) -> bool:
        """Update one place, unless another process serves its chat; return whether anything was done."""
        store, place = self._context.store, listed.place
        async with store.lock(f"chat {place.platform} {place.channel}") as ours:
            if not ours:
                return False
            fresh = [
                each for each in await store.competitions.list_places(listed.competition) if each.place.id == place.id
            ]
            if not fresh or fresh[0].gone or fresh[0].due_at is None or fresh[0].due_at > self._context.clock():
                return False
            await self._bring_up_to_date(fresh[0])
            return True

    async def _bring_up_to_date(self, shown: CompetitionPlace) -> None:
        store, now = self._context.store, self._context.clock()
        adapter = self._context.adapters.get(shown.place.platform)
        pause = pause_after(shown.attempts)
        try:
            if adapter is None:
                raise TryLater(MAX_RETRY_SECONDS)
            row = await store.competitions.get(shown.competition)
            if row is None:
                return
            async with asyncio.timeout(PLATFORM_CALL_TIMEOUT_SECONDS):
                message, announced = await self._show_in_place(adapter, shown, row)
            await store.competitions.record_shown(
                shown, message=message, revision=row.revision, announced_rounds=announced, at=self._context.clock()
            )
        except Undeliverable as error:
            log.info("competition-not-shown", competition=shown.competition, reason=error.reason)
            # Retry where the bot may not write now; give up where the chat no longer exists.
            gone = error.reason == "channel-gone"
            await store.competitions.record_failure(shown, None if gone else now + timedelta(seconds=MAX_RETRY_SECONDS))
        except (TryLater, TimeoutError) as error:
            asked = error.seconds if isinstance(error, TryLater) else None
            await store.competitions.record_failure(shown, now + pause_after(shown.attempts, asked))
        except Refused as refused:
            log.error("broken-competition", competition=shown.competition, reason=refused.key)
            await store.competitions.record_failure(shown, now + timedelta(seconds=MAX_RETRY_SECONDS))
        except StorageError:
            raise
        except Exception:
            log.exception("competition-not-shown", competition=shown.competition)
            await store.competitions.record_failure(shown, now + pause)

    async def _show_in_place(self, adapter: Adapter, shown: CompetitionPlace, row: CompetitionRow) -> tuple[str, int]:
        """Show a competition and its news in a place; return the row to store."""
        place = place_of(shown.place, self._context.place_language(shown.place))
        card, announced = await self._write_message(await self._keeper.read(self._context, row), shown, place, adapter)
        return await self._show_main_message(adapter, place, shown, card, message_key(shown)), announced

    async def _show_main_message(
        self, adapter: Adapter, place: Place, shown: CompetitionPlace, card: Card, key: str
    ) -> str:
        if shown.message is not None and shown.shown_revision is None:
            # A new message replaces it, so the old one loses its buttons.
            try:
                await adapter.retire(place, shown.message, remove=bool(shown.place.effective.get("newest_only")))
            except Undeliverable as error:
                log.info("competition-message-not-retired", competition=shown.competition, reason=error.reason)
        elif shown.message is not None:
            try:
                await adapter.edit(place, shown.message, card)
            except Undeliverable as error:
                if error.reason != "message-gone":
                    raise
            else:
                return shown.message
        # Each new post gets a key of its own.
        again = "" if shown.message is None and shown.shown_revision is None else f"-{shown.message or shown.revision}"
        return await adapter.send(place, card, f"{key}{again}")


def message_key(shown: CompetitionPlace) -> str:
    """Return the key of a competition's message in a place."""
    return f"cup-{shown.competition}-{shown.place.id}"


async def announce(adapter: Adapter, place: Place, shown: CompetitionPlace, newest: int, card: Card | None) -> int:
    """Send the news with a number to a place, if there is any, and return the number."""
    if card is not None:
        await adapter.send(place, card, f"{message_key(shown)}-round-{newest}")
    return newest


async def read_competition_notice(
    keeper: CompetitionKeeper[Any, Any, Any, C],
    write: Callable[[C, str, int, Speaker], Card | None],
    context: Context,
    notice: Notice,
) -> NoticeContent | None:
    """Return the content of a competition's notice: what `write` makes of its subject and its number."""
    code, about, number, *_ = (*notice.subject.split(":"), "", "")
    try:
        found = await keeper.find(context, code)
    except Refused:
        return None
    if not number.isdecimal() or found.stands.over:
        return None
    shown = await context.store.competitions.list_places(code)
    return NoticeContent([each for each in shown if not each.gone], partial(write, found, about, int(number)))
