"""The application as adapters see it: requests in, replies out; `Delivery` sends the boards."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import replace
from datetime import date, datetime, timedelta
from functools import partial
from time import perf_counter
from typing import Any, Final, TypeVar

import structlog
from cachetools import FIFOCache

from bot.boards.tries import RETENTION
from bot.kernel.advice import SearchWatch
from bot.kernel.cards import Card, Picture
from bot.kernel.commandline import Parameter, is_command_line, parse_command, unknown_command
from bot.kernel.context import Context, Public
from bot.kernel.features import (
    Command,
    PressRule,
    check_values,
    commands_on,
    load_commands,
    load_features,
)
from bot.kernel.form_presses import fill_form, find_rule, link_of
from bot.kernel.forms import Values, get_for
from bot.kernel.operations.clock import HEARTBEAT_NAME, HEARTBEAT_SECONDS, MAX_STALL_SECONDS
from bot.kernel.operations.listening import describe_outage
from bot.kernel.operations.metrics import REQUEST_SECONDS, REQUESTS
from bot.kernel.operations.tasks import cancel_tasks
from bot.kernel.permissions import check_right
from bot.kernel.post_kinds import DueWorker
from bot.kernel.presses import FORM_PRESS, find_press
from bot.kernel.refusals import OutOfStep, Refused, engine_words, refusal_words
from bot.kernel.request_context import (
    RequestContext,
    activate_pass,
    reply_from_json,
    resolve_request,
    resolve_request_cached,
    throttle,
)
from bot.kernel.requests import Adapter, Completion, GameView, ListedTurn, Reply, Request, UndeliverableReason
from bot.kernel.table import NotInstalled, Table, missing_seats
from bot.kernel.texts import Text
from bot.lobby.service import call_off
from bot.outbox.messenger import Messenger
from bot.outbox.worker import Delivery
from bot.people.advice import typed_lines
from bot.people.advice.typed_lines import play_typed_text
from bot.people.help.commands import list_commands
from bot.people.standings.service import Rank, rank_in_place
from bot.platforms import completion, reader_views
from bot.table.clocks import alarm_stage
from bot.table.game_lookup import check_may_see_code
from bot.table.service import drop_seat, store_step
from engine import EngineError, games as installed
from storage import (
    MISSED_NEWS,
    AlreadyProcessed,
    GameBrief,
    GameRow,
    NewEvent,
    News,
    OfferKind,
    Offers,
    PlaceRow,
    Reminder,
    StorageError,
    Stranger,
    Unavailable,
)
from storage.addresses import make_plain

COMMANDS: Final[Mapping[str, Command]] = load_commands()
PARAMETERS: Final[Mapping[str, tuple[Parameter, ...]]] = {
    name: command.parameters for name, command in COMMANDS.items()
}


PROCESSED_EVENT_RETENTION: Final = timedelta(days=14)
"""Retention of processed platform events and notices, so that none is handled twice."""
CLEANUP_INTERVAL_SECONDS: Final = 6 * 3600.0
JOB_NEWS: Final = ("thinking", "notices", "competition", "teams")
"""The kinds of store news after which a job may have something to do."""

log = structlog.get_logger(__name__)


PEER_GRACE: Final = timedelta(seconds=2)
"""Time after the end of a live turn in which a peer can report that a press is waiting there."""
HOLD_STEP: Final = timedelta(seconds=0.5)
"""Interval of the checks whether a press that came in time is still waiting here."""
MAX_HOLD: Final = timedelta(seconds=20)
"""Maximum time for which the end of a live turn is delayed for such a press."""
ALARM_DELAY_SECONDS: Final = 0.1
"""Seconds from the due time of an alarm until it is handled: earlier events have been received by then."""


class Alarms(DueWorker):
    """A worker that handles due alarms and cleans up."""

    failure_pause_seconds = HEARTBEAT_SECONDS
    min_pause_seconds = ALARM_DELAY_SECONDS

    def __init__(self, context: Context) -> None:
        super().__init__(context, asyncio.Event(), "alarms")
        self._tidied: float | None = None
        self._next_at: datetime | None = None
        self._announced: set[str] = set()
        self._beats_at = 0.0
        self._watch: asyncio.Task[None] | None = None
        self._stalls = 0
        self.cleanup: list[Callable[[], Awaitable[object]]] = []
        """Callbacks of the periodic clean-up."""
        self.watching: list[Callable[[], Awaitable[object]]] = []
        """Callbacks of every heartbeat."""
        context.store.add_listener(self._on_store_change, {"game", "table", "clock"})

    def start(self) -> None:
        """Start; from now on the clock stops while heartbeats fail."""
        self._clock.stops = True
        super().start()
        if self._watch is None:
            self._watch = asyncio.create_task(self._watch_loop(), name="clock")

    async def close(self) -> None:
        """Stop, with a last heartbeat; unfinished work is done at the next start."""
        if self._loop is not None:
            await cancel_tasks(self._watch)
            self._watch = None
            await super().close()
            # Without it, the time since the last heartbeat would not be counted.
            with suppress(StorageError):
                await self.beat()

    def _beat_soon(self) -> None:
        self._beats_at = 0.0
        self._wanted.set()

    async def _watch_loop(self) -> None:
        while True:
            self.note_running()
            await asyncio.sleep(MAX_STALL_SECONDS / 4)

    def note_running(self) -> None:
        """Record that the event loop runs; if it has stalled, record a heartbeat soon."""
        clock, store = self._clock, self._store
        clock.is_alone = not store.is_shared or store.peer_count(HEARTBEAT_NAME) <= 1
        clock.run_seconds()
        if clock.stalls > self._stalls:
            self._stalls = clock.stalls
            self._beat_soon()

    def _on_store_change(self, news: News) -> None:
        """Schedule a game's next alarm if it is due before the next heartbeat; follow the clock of a peer."""
        kind, what, is_remote = news
        if kind == "clock" and is_remote:
            # A peer has noticed a clock difference.
            self._clock.follow(*what)
            self._beat_soon()
        elif kind == "table" and is_remote:
            # A press for a game that a peer has changed without a step may be waiting here.
            if self._context.arrivals.is_busy:
                self._announced.add(what)
                self._wanted.set()
        elif kind == "table":
            self._wanted.set()  # its clock may have been set
        elif isinstance(what, GameRow) and (at := what.alarm_at) is not None:
            ahead = self._clock() + timedelta(seconds=HEARTBEAT_SECONDS)
            if at < ahead and (self._next_at is None or at < self._next_at):
                self._next_at = at
                self._wanted.set()

    async def beat(self) -> None:
        """Record a heartbeat, and have stored times follow the clock."""
        await self._clock.beat(self._store, tuple(installed))

    async def tick(self) -> None:
        """Record a heartbeat, have stored times follow the clock, handle due alarms and clean up."""
        await self.beat()
        store, now, seconds = self._store, self._clock(), self._clock.monotonic()
        if self._tidied is None or seconds - self._tidied >= CLEANUP_INTERVAL_SECONDS:
            self._tidied = seconds
            await store.processed_events.delete_before(now - PROCESSED_EVENT_RETENTION)
            await store.notices.delete_before(now - PROCESSED_EVENT_RETENTION)
            await store.bans.delete_expired(now)
            await store.trees.delete_expired(now - RETENTION)
            await store.drafts.delete_expired(now)
            for tidy in self.cleanup:
                await tidy()
        await store.passes.delete_expired(now)
        for watch in self.watching:
            await watch()
        await self.ring()

    async def ring(self) -> None:
        """Handle due alarms, and store the time of the next one if it is due before the next heartbeat."""
        store, handled, now = self._store, set[str](), self._clock()
        while self._announced:
            await self._hold_for_waiting(self._announced.pop())
        ahead = now + timedelta(seconds=HEARTBEAT_SECONDS)
        while True:
            self._next_at = None
            listed = await store.alarms.list_due(ahead, 100 + len(handled))
            due = [
                each for each in listed if each.alarm_at is not None and each.alarm_at <= now and each.id not in handled
            ]
            if not due:
                break
            for brief in due:
                handled.add(brief.id)
                await self._handle_alarm(brief)
        times = [self._next_at, *(brief.alarm_at for brief in listed)]
        self._next_at = min((at for at in times if at is not None and at > now), default=None)

    async def _run_due(self) -> bool:
        now = asyncio.get_running_loop().time()
        if now >= self._beats_at:
            self._beats_at = now + HEARTBEAT_SECONDS
            await self.tick()
        else:
            await self.ring()
        return False

    async def _next_due_at(self) -> datetime:
        """Return the time of the next heartbeat or alarm; alarms are delayed so that earlier events come first."""
        beats_in = max(0.0, self._beats_at - asyncio.get_running_loop().time())
        times = [self._clock() + timedelta(seconds=beats_in)]
        if self._next_at is not None:
            times.append(self._next_at + timedelta(seconds=ALARM_DELAY_SECONDS))
        return min(times)

    async def _handle_alarm(self, brief: GameBrief) -> None:
        try:
            table = await self._context.table(brief.id)
            if table.row.alarm_at is None or table.row.alarm_at > self._clock():
                return
            if table.row.is_lobby:
                row = replace(call_off(table.row, "expired", self._clock()), alarm_at=None)
                await store_step(self._context, table, row, [NewEvent("expired")])
            elif table.row.deadline is not None and table.row.deadline <= self._clock():
                if not await self._hold_alarm(table.row, table.row.deadline):
                    await self._handle_timeout(table)
            else:
                await self._remind(table)
        except Refused:
            return  # the game has changed: its new alarm counts
        except NotInstalled:
            return  # its clocks stop at the next heartbeat
        except EngineError as error:
            log.error("broken-game", game=brief.id, reason=describe_outage(error))
            await self._store.alarms.disable(brief.id)
        except Unavailable:
            raise
        except Exception:
            # It is retried at the next heartbeat; the other alarms are handled now.
            log.exception("alarm-failed", game=brief.id)

    async def _hold_alarm(self, row: GameRow, deadline: datetime) -> bool:
        """Delay the end of a live turn while a timely press may be waiting, here or at a peer; True if delayed."""
        if not row.terms.is_live:
            return False
        context, now = self._context, self._clock()
        until = max(now, deadline) + PEER_GRACE
        if context.arrivals.has_waiting(deadline) and now < deadline + MAX_HOLD:
            until = now + HOLD_STEP
        elif not context.store.is_shared or row.alarm_at is None or row.alarm_at > deadline:
            return False
        # Peers learn of the new deadline: one with a waiting press extends it.
        return await context.store.alarms.set_deadline(row, deadline, until)

    async def _hold_for_waiting(self, game: str) -> None:
        """Delay the end of a live turn that a peer has announced, if a press that came in time is waiting here."""
        row, now = await self._store.games.get(game), self._clock()
        if row is None or not row.is_playing or not row.terms.is_live or row.deadline is None:
            return
        if row.deadline <= now < row.deadline + PEER_GRACE and self._context.arrivals.has_waiting(row.deadline):
            await self._store.alarms.set_deadline(row, row.deadline, row.deadline + MAX_HOLD)

    async def _remind(self, table: Table) -> None:
        """Remind the player to move, with a new board if they want to be notified there."""
        stage = alarm_stage(table.row, self._clock())
        row = replace(table.row, reminder=Reminder(stage=stage))
        await store_step(self._context, table, row, [NewEvent("reminder", {"stage": int(stage)})])

    async def _handle_timeout(self, table: Table) -> None:
        """Drop the player who is out of time, or stop the clock if all others have chosen to wait."""
        mover, offer = table.mover, table.row.offers.offer_of_kind(OfferKind.WAIT)
        if mover is None:
            row = replace(table.row, deadline=None)
        elif offer is not None and not missing_seats(table, offer):
            row = replace(table.row, deadline=None, offers=Offers(), reminder=None)
        else:
            await drop_seat(self._context, table, mover, "time")
            return
        await store_step(self._context, table, row, [NewEvent("waited")])


Seen = TypeVar("Seen")
ANSWER_CACHE_BYTES: Final = 6 * 1024 * 1024
"""Maximum size of the answer cache, newest first: some thousands of answers, or a few with whole games in pictures."""
MAX_ATTEMPTS_IN_STEP: Final = 5
"""Maximum number of attempts of a request while clocks of its game are set."""
_ANSWER_BASE_BYTES: Final = 4096
"""Size that the cache counts for an answer without a picture."""


class Tavoliere:
    """The application: requests of all platforms in, replies out, every event once."""

    def __init__(self, context: Context) -> None:
        """Create the application; it closes the context's searches when it is closed."""
        self.context = context
        self.presence = context.presence
        self.delivery = Delivery(context)
        self.messenger = Messenger(context)
        self.alarms = Alarms(context)
        self.alarms.cleanup.append(partial(self.delivery.delete_ended, PROCESSED_EVENT_RETENTION))
        self.jobs = {name: feature.job(context) for name, feature in load_features().items() if feature.job is not None}
        context.store.add_listener(self._on_store_change, {"moved", *JOB_NEWS})
        self._answers: FIFOCache[tuple[str, str], Reply] = FIFOCache(ANSWER_CACHE_BYTES, _answer_bytes)
        self._under_way: dict[tuple[str, str], asyncio.Future[Reply]] = {}
        self._closing = asyncio.Lock()

    def add(self, adapter: Adapter) -> None:
        """Add an adapter, so that boards are also delivered to its platform."""
        self.context.adapters[adapter.platform] = adapter
        self.context.store.delivered_platforms.add(adapter.platform)
        self.delivery.wake()
        self.context.signals.wake_all()

    async def is_reopened(self, platform: str, group: str | None = None) -> None:
        """Retry the boards that a missing permission has blocked, in a group or on a whole platform.

        Call this whenever we may have regained the permission to write there.
        """
        self.delivery.note_reopened(platform, group)
        async with self._closing:
            try:
                store, now = self.context.store, self.context.clock()
                boards = await store.posts.unblock(platform, group, now)
                # Boards that we served as a guest until now become ordinary ones.
                boards += await store.passes.promote_guest_places(platform, group, now) if group is not None else 0
            except StorageError as error:
                log.warning("places-not-reopened", platform=platform, group=group, reason=str(error))
                return
        if boards:
            log.info("boards-retried", platform=platform, group=group, boards=boards)

    async def is_closed(self, platform: str, reason: UndeliverableReason, **there: str) -> None:
        """Close the boards in some places, or suspend them until the places are open again, without asking the
        platform.

        Call this whenever a platform reports that a channel is gone or that we are no member of a group any more.
        """
        async with self._closing:
            try:
                boards = await self.delivery.close_places(reason, platform, **there)
            except StorageError as error:
                # The platform refuses the next call there, which then closes them.
                log.warning("places-not-closed", platform=platform, **there, reason=str(error))
                return
        if boards:
            log.info("boards-closed", platform=platform, **there, boards=boards)

    def _on_store_change(self, news: News) -> None:
        """Wake the jobs that may have work due after a step, a change by another process, or a clock change."""
        if news is MISSED_NEWS or news.kind == "moved":
            self.delivery.wake()
            self.context.signals.wake_all()
        else:
            self.context.signals.wake(news.kind)

    async def start(self) -> None:
        """Start delivery, jobs and clocks. Undelivered boards of the previous run are delivered first."""
        self.delivery.start()
        self.messenger.start()
        self.alarms.start()
        for job in self.jobs.values():
            job.start()

    async def close(self, timeout_seconds: float = 5.0) -> None:
        """Stop. Work in progress has `timeout_seconds` seconds to finish."""
        await self.alarms.close()
        for job in self.jobs.values():
            await job.close()
        await self.messenger.close()
        await self.delivery.close(timeout_seconds)
        await self.context.advice.close()
        await self.context.thinkers.close()

    async def command(self, request: Request, name: str, values: Values) -> Reply:
        """Run a command. Every failure that a person can cause becomes a reply; none is raised."""
        work = partial(self._run_command, name=name, values=values)
        return await self._answer(request, work, rule=load_commands().get(name))

    async def press(self, request: Request, press: str) -> Reply:
        """Handle a press of a button or the choice of a menu option."""
        pressed = find_press(press)
        rule, subject = find_rule(pressed)
        if isinstance(rule, Command):
            work = partial(self._run_command, name=rule.name, values=subject)
        else:
            work = partial(self._perform, rule=rule, subject=subject, link=press)
        return await self._answer(request, work, game=pressed.game_code if pressed and rule else None, rule=rule)

    async def fill(self, request: Request, press: str, values: Values) -> Reply:
        """Handle a submitted form: its press, and the values of its fields by name."""

        async def work(requester: RequestContext) -> Reply:
            pressed = find_press(press)
            if pressed is None or pressed.deed != FORM_PRESS:
                raise Refused("refusal.stale")
            return await fill_form(self.context, requester, pressed, values)

        return await self._answer(request, work)

    async def typed_text(self, request: Request, text: str) -> Reply:
        """Handle a typed text as a command, or as a move if it answers a board or only one game can be meant.

        A text that is no move gets a reply that says so.
        """

        plain, is_command = make_plain(text), is_command_line(text)
        command = load_commands().get(plain.split(maxsplit=1)[0][1:].lower()) if is_command else None

        async def work(requester: RequestContext) -> Reply:
            if plain.strip() == "/":
                return await list_commands(self.context, requester)
            if is_command:
                known = commands_on(request.user.platform)
                parameters = {each: command.parameters for each, command in known.items()}
                return await self._run_command(requester, *parse_command(text, parameters, self.context.game_names))
            await check_right(self.context, requester, None)
            return await throttle(
                self.context, requester, Public.MOVE, lambda: play_typed_text(self.context, requester, plain)
            )

        return await self._answer(request, work, rule=command)

    async def _run_command(self, requester: RequestContext, name: str, values: Values) -> Reply:
        known = commands_on(requester.request.user.platform)
        if name not in known:
            raise unknown_command(name, known, self.context.game_names)
        given = check_values(known[name], values)
        return await self._perform(requester, known[name], given, link_of(known[name], given))

    async def _perform(
        self, requester: RequestContext, rule: Command | PressRule | None, subject: Any, link: str
    ) -> Reply:
        """Carry out a command with its values, or a press; Refused for a press that has no rule (any more).

        A reply that concerns only its requester moves to their own chat if a group could read it; `link` is the press
        that shows it there.
        """
        if rule is None:
            raise Refused("refusal.stale")
        await check_right(self.context, requester, get_for(rule.right, subject))
        work = partial(rule.handler, self.context, requester, subject)
        reply = await throttle(self.context, requester, get_for(rule.public, subject), work)
        where = requester.request.place
        is_read_by_others = where.kind == "group" and not where.guest and reply.private and reply.card is not None
        if is_read_by_others and get_for(rule.personal, subject) and not self.context.is_private_place(requester.place):
            return replace(reply, apart=True, link=reply.link or link)
        return reply

    async def _look(self, request: Request, work: Callable[[RequestContext], Awaitable[Seen]]) -> Seen | Reply:
        """Return the result of `work` for the requester, or a reply that says why they may not see it."""
        speaker = self.context.speaker(request.user.language, request.user.platform)
        try:
            requester = await resolve_request_cached(self.context, request)
            speaker = requester.speaker
            return await work(requester)
        except Refused as refused:
            return Reply(Card(refusal_words(speaker, refused)))
        except EngineError as error:
            return Reply(Card(engine_words(speaker, "", error)))

    async def refuse_to_see(self, request: Request, game: str) -> Reply | None:
        """Return a reply that says why the requester may not see a game; None if they may."""
        return await self._look(request, lambda requester: check_may_see_code(self.context, requester, game))

    async def press_answered(self, request: Request) -> None:
        """Enable the token of an answered press, if it brought one, for the boards in its place."""
        try:
            await activate_pass(self.context, request)
        except StorageError as error:
            log.warning("interaction-token-not-used", platform=request.user.platform, reason=str(error))

    async def complete(self, request: Request, name: str, parameter: str, values: Values) -> list[Completion]:
        """Return at most 25 completions for a command's parameter that match the typed text."""
        try:
            requester = await resolve_request_cached(self.context, request)
            plain = {each: make_plain(value) for each, value in values.items()}
            return await completion.complete(self.context, requester, load_commands()[name], parameter, plain)
        except (KeyError, Refused, EngineError, Unavailable):
            return []
        except Exception:
            log.exception("completion-failed", command=name, parameter=parameter)
            return []

    async def view_game(
        self,
        request: Request,
        game: str,
        *,
        path: tuple[str, ...] = (),
        turn: int | None = None,
    ) -> GameView | Reply:
        """Return a game as the requester sees it, after answers or a turn; or a reply that says why not."""
        view = partial(reader_views.view_game, self.context, game=game, path=path, turn=turn)
        return await self._look(request, view)

    async def view_thumbnail(self, game: str, theme: str) -> Picture | None:
        """Return a sample picture of a game, for people who do not know it; None where boards are not drawn."""
        return await reader_views.view_thumbnail(self.context, game, theme)

    async def view_puzzle(self, day: date, theme: str) -> Picture | None:
        """Return a picture of the puzzle of a date; None where boards are not drawn."""
        return await reader_views.view_puzzle(self.context, day, theme)

    async def rank_in_place(self, place: PlaceRow) -> list[Rank]:
        """Return the leaderboard of a place: of all games, for all time."""
        return await rank_in_place(self.context, place)

    async def translate_post(self, request: Request, message: str) -> Card | None:
        """Return the card of a message in the requester's language; None if it is the same in all languages."""
        place = request.place
        post = await self.context.store.posts.find_by_message(place.platform, place.channel, message, kind=None)
        kind = None if post is None else self.delivery.kinds.get(post.kind)
        if post is None or kind is None:
            return None
        try:
            return await kind.translate(post, self.context.speaker(request.user.language, place.platform))
        except Refused:
            return None  # it cannot be read, and stays unchanged

    async def explain_cell(self, request: Request, cell: str, path: Sequence[str]) -> Text:
        """Return why a cell of the open board cannot be pressed after some answers; empty if no rule says so."""
        said = await self._look(
            request, lambda requester: typed_lines.explain_cell(self.context, requester, cell, path)
        )
        if isinstance(said, Reply):
            return said.card.text if said.card is not None else ()
        return said

    def watch_searches(self, person: int) -> AbstractContextManager[SearchWatch]:
        """Return a context manager that reports the background searches that a person waits for."""
        return self.context.advice.watch(person)

    async def list_turns(self, request: Request, game: str) -> list[ListedTurn]:
        """Return the turns of a game; empty if they cannot be shown."""
        turns = await self._look(request, partial(reader_views.list_turns, self.context, game=game))
        return [] if isinstance(turns, Reply) else turns

    async def _answer(
        self,
        request: Request,
        work: Callable[[RequestContext], Awaitable[Reply]],
        *,
        game: str | None = None,
        rule: Command | PressRule | None = None,
    ) -> Reply:
        """Handle an event once: a repeated event gets the same answer, or waits for the one in progress."""
        key = (request.user.platform, request.event)
        if (given := self._answers.get(key)) is not None:
            return given
        if (known := self._under_way.get(key)) is not None:
            return await asyncio.shield(known)
        answer: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._under_way[key] = answer
        try:
            with self.context.arrivals.arriving(on_screen=request.on_screen):
                async with self.context.low_priority.turn() if rule and rule.low_priority else nullcontext():
                    reply = await self._carry_out(request, work, game)
        except asyncio.CancelledError:
            answer.cancel()
            raise
        finally:
            self._under_way.pop(key, None)
        answer.set_result(reply)
        # A failed event may be retried; an answer that is too large is not cached.
        if not reply.failed:
            with suppress(ValueError):
                self._answers[key] = reply
        return reply

    async def _carry_out(
        self, request: Request, work: Callable[[RequestContext], Awaitable[Reply]], game: str | None
    ) -> Reply:
        """Return the answer to a request, which is refused if its author may not see the `game` that it is about."""
        platform, began, ended = request.user.platform, perf_counter(), "answered"
        speaker, store = self.context.speaker(request.user.language, platform), self.context.store
        try:
            requester = await resolve_request(self.context, request, game)
            self.context.presence.note_return(requester.id)
            speaker = requester.speaker
            try:
                if game is not None and not requester.is_game_here:
                    await check_may_see_code(self.context, requester, game)
                for _ in range(MAX_ATTEMPTS_IN_STEP - 1):
                    with suppress(OutOfStep):  # only the game's clock was set meanwhile
                        return await work(requester)
                return await work(requester)
            except (Refused, EngineError):
                # Another process that got the same event may already have done what is refused here.
                processed = await store.processed_events.get(platform, request.event) if store.is_shared else None
                if processed is None:
                    raise
                raise AlreadyProcessed(platform, request.event, processed.reply) from None
        except AlreadyProcessed as error:
            ended, reply = "again", reply_from_json(error.reply)
        except Refused as refused:
            ended, card = "refused", Card(refusal_words(speaker, refused), rows=refused.rows)
            reply = Reply(card, stale=refused.key == "refusal.moved-on")
        except Stranger as error:
            ended, key = "refused", "refusal.kept-out" if error.params["banned"] else "refusal.author-changed"
            reply = Reply(Card(speaker.say(key)))
        except EngineError as error:
            ended, reply = "refused", Reply(Card(engine_words(speaker, "", error)))
        except Unavailable as error:
            ended = "unavailable"
            log.error("database-unavailable", code=error.code, event_id=request.event)
            reply = Reply(Card(speaker.say("refusal.unavailable")), failed="unavailable")
        except Exception:
            ended = "failed"
            log.exception("request-failed", platform=platform, event_id=request.event)
            reply = Reply(Card(speaker.say("refusal.unexpected")), failed="failed")
        finally:
            REQUESTS.labels(platform, ended).inc()
            REQUEST_SECONDS.labels(platform).observe(perf_counter() - began)
        return reply


def _answer_bytes(reply: Reply) -> int:
    card = reply.card
    if card is None:
        return _ANSWER_BASE_BYTES
    picture, moving = card.picture, card.picture and card.picture.animation
    drawn = (len(picture.png) if picture else 0) + (len(moving.gif) if moving else 0)
    return _ANSWER_BASE_BYTES + drawn + (len(card.file.content) if card.file else 0)
