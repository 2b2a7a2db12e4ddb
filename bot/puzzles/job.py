"""Posts the daily puzzle in the places that want it: once a date, edited with low priority, then the solution.

What is to be sent stands in the database before it is sent, one row for each place and date; of several processes the
one with the claim of the place sends it. Whether a message was sent and not noted before the program died is looked up
in the chat's history where that can be read; else it is sent again under the same key, which makes no second one where
the platform can tell.
"""

import asyncio
import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Final

import structlog
from cachetools import FIFOCache

from bot.core.context import Context
from bot.core.due_worker import MAX_SLEEP_SECONDS, DueWorker
from bot.core.places import place_of
from bot.delivery.boards import PLATFORM_CALL_TIMEOUT_SECONDS, pause_after
from bot.interface.cards import Card, Picture
from bot.interface.requests import Adapter, Place, TryLater, Undeliverable
from bot.language.texts import strip_styles
from bot.operations.metrics import DAILY_PUZZLES
from bot.pictures.artist import BoardView, choose_theme
from bot.play.card_parts import wants_text
from bot.puzzles.calendar import puzzle_on
from bot.puzzles.cards import open_puzzle_press
from bot.puzzles.daily import MAX_MESSAGE_AGE, today_at
from bot.puzzles.daily_cards import puzzle_scene, question_card, solution_card
from bot.puzzles.puzzle import Puzzle, puzzle_by_id
from bot.puzzles.service import opens_at
from storage import Daily, DailyMessage, News, PlaceRow, SolvedSummary, StorageError

CLAIM_RETRY_SECONDS: Final = 20.0
"""Seconds before a task claimed by another process is checked again."""
STORING_TOLERANCE: Final = timedelta(minutes=1)
"""How long before the moment in which news of an attempt arrive it may have been stored."""
EDIT_DEBOUNCE_SECONDS: Final = 2.0
"""Seconds for which attempts are collected before messages are updated."""
BLOCKED_RETRY_DELAY: Final = timedelta(seconds=2)
"""Delay before a message that had to give way to a board is tried again."""
RECENT_MESSAGE_AGE: Final = timedelta(hours=1)
"""How long a message counts as fresh and is edited more often."""
EDIT_INTERVALS_SECONDS: Final[Mapping[tuple[str, str], tuple[float, float]]] = {
    ("discord", "group"): (5.0, 60.0),
    ("telegram", "group"): (30.0, 120.0),
}
"""Minimum seconds between edits in a chat, by platform and kind: while a message is fresh, and later."""
DEFAULT_EDIT_INTERVALS_SECONDS: Final = (5.0, 60.0)
SHUTDOWN_WAIT_SECONDS: Final = 4.0
"""Seconds that the shutdown waits for messages being posted."""
_PICTURE_CACHE_SIZE: Final = 32
_MAX_UNTRIED: Final = 1000

log = structlog.get_logger(__name__)


def edit_interval(platform: str, kind: str, age: timedelta) -> timedelta:
    """Return the minimum interval between edits in a chat, by the age of the message."""
    fresh, later = EDIT_INTERVALS_SECONDS.get((platform, kind), DEFAULT_EDIT_INTERVALS_SECONDS)
    return timedelta(seconds=fresh if age < RECENT_MESSAGE_AGE else later)


class DailyPuzzles(DueWorker):
    """Carries out due tasks of the daily puzzle, one at a time on each platform."""

    def __init__(self, context: Context) -> None:
        super().__init__(context, context.signals.event("daily"), "daily")
        self._elsewhere: dict[int, float] = {}
        self._stirred: dict[str, datetime] = {}
        self._told_before = False
        self._timer: asyncio.TimerHandle | None = None
        self._pictures: FIFOCache[tuple[str, str, bool, str, bool], Picture | None] = FIFOCache(_PICTURE_CACHE_SIZE)
        self._untried: FIFOCache[tuple[int, str], bool] = FIFOCache(_MAX_UNTRIED)
        self._unnoted: FIFOCache[int, str] = FIFOCache(_MAX_UNTRIED)
        self._posting: set[asyncio.Task[None]] = set()
        context.store.add_listener(self._on_store_change, {"puzzle"})

    async def close(self) -> None:
        """Stop: messages being posted are recorded; everything else unfinished is done after the next start."""
        if self._timer is not None:
            self._timer.cancel()
        await super().close()
        if self._posting:
            _, late = await asyncio.wait(self._posting, timeout=SHUTDOWN_WAIT_SECONDS)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    async def _next_due_at(self) -> datetime | None:
        return await self._context.store.daily.next_due_at(tuple(self._context.adapters))

    def _on_store_change(self, news: News) -> None:
        # From a little before: what was stored in the same moment is meant, too.
        self._stirred.setdefault(str(news[1]), self._context.clock() - STORING_TOLERANCE)
        if self._loop is not None and self._timer is None:
            # However many there are in the next moments, they are told in one go, and nobody waits for that.
            self._timer = self._loop.get_loop().call_later(EDIT_DEBOUNCE_SECONDS, self._flush_edits)

    def _flush_edits(self) -> None:
        self._timer = None
        self._wanted.set()

    async def _run_due(self) -> bool:
        store, now = self._context.store, self._context.clock()
        if not self._told_before:
            # What was solved just before the program died may not be told yet.
            await store.daily.mark_messages_due(None, now - MAX_MESSAGE_AGE, now)
            self._told_before = True
        while self._stirred:
            puzzle, since = self._stirred.popitem()
            await store.daily.mark_messages_due(puzzle, since, now)
        seconds = self._context.clock.monotonic()
        self._elsewhere = {place: until for place, until in self._elsewhere.items() if until > seconds}
        platforms = tuple(self._context.adapters)
        done = [await self._promise_if_due(daily) for daily in await store.daily.list_due(now, platforms)]
        due = defaultdict[str, list[int]](list)
        for message, platform in await store.daily.list_due_messages(now, platforms):
            due[platform].append(message)
        done += await asyncio.gather(*map(self._serve_all, due.values()))
        return any(done)

    async def _promise_if_due(self, listed: Daily) -> bool:
        """Promise today's message to a place where it is time for it; say whether anything was done."""
        if listed.place.id in self._elsewhere:
            return False
        try:
            return await self._promise_message(listed.place.id)
        except StorageError:
            raise
        except Exception:
            # Whatever it is: one row that cannot be read must not keep all others waiting for good.
            log.exception("daily-failed", place=listed.place.id)
            self._give_up_place(listed.place.id)
            return False

    async def _promise_message(self, place: int) -> bool:
        store = self._context.store
        async with store.lock(f"daily {place}") as ours:
            if not ours:
                self._give_up_place(place)
                return False
            daily, now = await store.daily.get(place), self._context.clock()
            if daily is None or daily.due_at > now:
                return False
            today = today_at(daily.place, daily.hour, now)
            if now < today.due_at:
                await store.daily.postpone(place, today.due_at)
            else:
                puzzle, date = puzzle_on(today.date), today.date.isoformat()
                if await store.daily.promise_message(place, date, puzzle.id, now, today.next_at):
                    self._untried[place, date] = True
                    log.info("daily-scheduled", platform=daily.place.platform, place=place, date=date)
        return True

    async def _serve_all(self, messages: Sequence[int]) -> bool:
        return any([await self._serve(message) for message in messages])

    async def _serve(self, number: int) -> bool:
        """Do what is due for a message, unless another process does; say whether anything was done."""
        store = self._context.store
        listed = await store.daily.get_message(number)
        if listed is None or listed.place.id in self._elsewhere:
            return False
        async with store.lock(f"daily {listed.place.id}") as ours:
            if not ours:
                self._give_up_place(listed.place.id)
                return False
            message = await store.daily.get_message(number)
            if message is None or message.due_at is None or message.due_at > self._context.clock():
                return False
            await self._bring_up_to_date(message)
        return True

    async def _bring_up_to_date(self, message: DailyMessage) -> None:
        """Send or edit a message, or note why that cannot be done."""
        store, platform, ended = self._context.store, message.place.platform, "failed"
        puzzle, adapter = puzzle_by_id(message.puzzle), self._context.adapters.get(platform)
        try:
            if adapter is None:
                raise TryLater(MAX_SLEEP_SECONDS)
            if puzzle is None:
                # Of a game that is not here any more: there is nothing to ask, and nothing to tell.
                ended = "unknown"
                await store.daily.close_message(message.id, None, self._context.clock())
            elif message.message is None:
                ended = await self._post(adapter, message, puzzle)
            else:
                ended = await self._change(adapter, message, message.message, puzzle)
        except Undeliverable as error:
            ended = "undeliverable"
            log.info("daily-undeliverable", platform=platform, place=message.place.id, reason=error.reason)
            await self._undelivered(message, error)
        except (TryLater, TimeoutError) as error:
            ended = "later"
            await self._retry_later(message, error.seconds if isinstance(error, TryLater) else None)
        except StorageError:
            ended = "not-noted"
            raise
        except Exception:
            log.exception("daily-failed", platform=platform, place=message.place.id)
            await self._retry_later(message, None)
        finally:
            DAILY_PUZZLES.labels(platform, ended).inc()

    async def _post(self, adapter: Adapter, message: DailyMessage, puzzle: Puzzle) -> str:
        """Send a message if it is still that of the day; return how that ended."""
        store, now, epoch = self._context.store, self._context.clock(), self._context.store.lock_epoch
        daily = await store.daily.get(message.place.id)
        if daily is None or today_at(daily.place, daily.hour, now).date.isoformat() != message.date:
            await store.daily.delete_unsent(message.id)
            return "too-late"
        if not self._untried.pop((message.place.id, message.date), False):
            # Sent by a process that died before it was noted, or by a request whose answer never came?
            found = self._unnoted.get(message.id) or await self._sent_before(adapter, message, puzzle)
            if found is not None:
                await self._note(message, found, "")
                return "found"
        card = await self._question(message, puzzle)
        shown = replace(card, picture=await self._picture(message.place, puzzle, solved=False))
        if epoch != store.lock_epoch:
            return "elsewhere"
        # A shutdown must not come between sending and recording it.
        posting = asyncio.create_task(self._send(adapter, message, shown, digest_of_card(card)))
        self._posting.add(posting)
        posting.add_done_callback(self._posting.discard)
        await asyncio.shield(posting)
        return "posted"

    async def _send(self, adapter: Adapter, message: DailyMessage, card: Card, shown: str) -> None:
        """Send a message and note it at once."""
        async with asyncio.timeout(PLATFORM_CALL_TIMEOUT_SECONDS):
            sent = await adapter.send(self._place(message), card, f"daily-{message.place.id}-{message.date}")
        self._unnoted[message.id] = sent
        await self._note(message, sent, shown)
        log.info("daily-posted", platform=message.place.platform, place=message.place.id, date=message.date)

    async def _note(self, message: DailyMessage, sent: str, shown: str) -> None:
        await self._context.store.daily.record_posted(message.id, sent, shown, self._context.clock())
        self._unnoted.pop(message.id, None)

    async def _sent_before(self, adapter: Adapter, message: DailyMessage, puzzle: Puzzle) -> str | None:
        """Return the id of a message of this date that was sent and not noted, where that can be found out."""
        if message.posted_at is None:
            return None
        async with asyncio.timeout(PLATFORM_CALL_TIMEOUT_SECONDS):
            return await adapter.find_sent(
                self._place(message), open_puzzle_press(puzzle.id), message.posted_at - STORING_TOLERANCE
            )

    async def _change(self, adapter: Adapter, message: DailyMessage, sent: str, puzzle: Puzzle) -> str:
        """Bring what stands there up to date, if nothing that matters more is in the way; return how that ended."""
        store, now = self._context.store, self._context.clock()
        card = await (self._solution if message.past else self._question)(message, puzzle)
        shown = digest_of_card(card)
        if shown == message.shown and not message.past:
            await store.daily.record_unchanged(message)
            return "as-shown"
        if (free := await self._next_edit_at(message, now)) > now:
            await store.daily.postpone_message(message.id, free)
            return "put-off"
        if message.past:
            # Noted before anybody can read it.
            await store.puzzles.publish_solution(message.puzzle, now)
        whole = replace(card, picture=await self._picture(message.place, puzzle, solved=message.past))
        async with asyncio.timeout(PLATFORM_CALL_TIMEOUT_SECONDS):
            await adapter.edit_low_priority(self._place(message), sent, whole)
        if message.past:
            await store.daily.close_message(message.id, shown, self._context.clock())
            return "solved"
        await store.daily.record_shown(message, shown, self._context.clock())
        return "edited"

    async def _next_edit_at(self, message: DailyMessage, now: datetime) -> datetime:
        """Return when a message may be edited: not too soon after the last edit in its chat, and after any board."""
        store, place = self._context.store, message.place
        last = await store.daily.last_shown_at(place.platform, place.channel)
        age = timedelta() if message.past or message.posted_at is None else now - message.posted_at
        if last is not None and (free := last + edit_interval(place.platform, place.kind, age)) > now:
            return free
        return (
            now + BLOCKED_RETRY_DELAY if await store.daily.are_boards_due(place.platform, place.channel, now) else now
        )

    async def _undelivered(self, message: DailyMessage, error: Undeliverable) -> None:
        store, now = self._context.store, self._context.clock()
        if error.reason == "forbidden":
            await store.daily.block_message(message.id)
        elif error.reason == "channel-gone":
            await store.daily.end(message.place.id)
        else:
            await store.daily.close_message(message.id, None, now)

    async def _retry_later(self, message: DailyMessage, asked: float | None) -> None:
        next_try = self._context.clock() + pause_after(message.attempts, asked)
        await self._context.store.daily.record_failure(message.id, message.attempts + 1, next_try)

    # What it shows.

    async def _question(self, message: DailyMessage, puzzle: Puzzle) -> Card:
        summary = await self._summary(message)
        speaker = self._context.place_speaker(message.place)
        in_words = wants_text(message.place.effective)
        return question_card(puzzle, message.date, speaker, summary, in_words=in_words)

    async def _summary(self, message: DailyMessage) -> SolvedSummary:
        """Return how many have tried it in a place since its date began; what was tried before is not told."""
        opened_at = opens_at(date.fromisoformat(message.date))
        return await self._context.store.puzzles.get_solved_summary(message.puzzle, message.place.id, since=opened_at)

    async def _solution(self, message: DailyMessage, puzzle: Puzzle) -> Card:
        summary = await self._summary(message)
        speaker = self._context.place_speaker(message.place)
        return solution_card(puzzle, message.date, speaker, summary)

    def _place(self, message: DailyMessage) -> Place:
        return place_of(message.place, self._context.place_language(message.place))

    def _give_up_place(self, place: int) -> None:
        self._elsewhere[place] = self._context.clock.monotonic() + CLAIM_RETRY_SECONDS

    async def _picture(self, place: PlaceRow, puzzle: Puzzle, *, solved: bool) -> Picture | None:
        """Return the picture of a puzzle, or of its solution, as all in a place see it; drawn once for many places."""
        language = self._context.place_language(place)
        theme, wide = choose_theme(place.effective, place.settings), self._context.shows_small_pictures(place.platform)
        key = (puzzle.id, theme, wide, language, solved)
        if key not in self._pictures:
            scene = puzzle_scene(puzzle, self._context.speaker(language), solved=solved)
            voice = self._context.speaker(language).of(puzzle.game)
            caption = voice.line("puzzle.caption")
            view = BoardView(viewer=puzzle.seat, theme=theme, wide=wide, goals_of=puzzle.seat, caption=caption)
            line, names, spoken_names = scene.line, scene.names, scene.names_in_sentences
            picture = await self._context.artist.scene(
                line.state, line.shown_turn, voice, view, names, spoken_names=spoken_names
            )
            if picture is None:
                return None
            self._pictures[key] = picture
        return self._pictures[key]


def digest_of_card(card: Card) -> str:
    """Return what stands for the words of a card, so that nobody's name is kept."""
    return hashlib.sha256(strip_styles(card.text).encode()).hexdigest()[:16]
