"""The application as adapters see it: requests in, replies out; `Delivery` sends the boards."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from time import perf_counter
from typing import Final

import structlog
from cachetools import FIFOCache

from bot.alarms.job import Alarms
from bot.completion import completion
from bot.core.commands import Command, check_values
from bot.core.context import Context, Public
from bot.core.features import commands_on, load_commands, load_features, load_presses
from bot.core.form_presses import fill_form
from bot.core.interaction_passes import activate_pass
from bot.core.permissions import check_right
from bot.core.request_context import RequestContext, reply_from_json, resolve_request, resolve_request_cached, throttle
from bot.core.run_presses import keep_personal, link_of
from bot.delivery.messenger import Messenger
from bot.entry.commandline import is_command_line, parse_command, unknown_command
from bot.help.commands import list_commands
from bot.interface.cards import Card, Picture
from bot.interface.presses import FORM_PRESS, BrokenPress, game_of_press, read_press
from bot.interface.refusals import Refused, engine_words, refusal_words
from bot.interface.requests import Adapter, Completion, GameView, ListedTurn, Reply, Request
from bot.language.texts import Text, Texts
from bot.operations.clock import Clock, TimeSource
from bot.operations.metrics import REQUEST_SECONDS, REQUESTS
from bot.outbox.worker import Delivery
from bot.pictures.artist import Animator, Artist, Renderer
from bot.play.game_access import check_may_see_code
from bot.reader_views import views as reader_views
from bot.thinking.advice import SearchWatch
from bot.thinking.thinkers import SearchPool
from bot.typed_lines import cells
from bot.typed_lines import commands as private_boards
from engine import EngineError
from storage import AlreadyProcessed, News, StorageError, Store, Stranger, Unavailable
from storage.plain_text import make_plain

ANSWER_CACHE_BYTES: Final = 6 * 1024 * 1024
"""Maximum size of the answer cache, newest first: some thousands of answers, or a few with whole games in pictures."""
_ANSWER_BASE_BYTES: Final = 4096
"""Size that the cache counts for an answer without a picture."""

log = structlog.get_logger(__name__)


class Tavoliere:
    """The `Front` that every adapter calls."""

    def __init__(
        self,
        store: Store,
        *,
        language: str = "en",
        draw: Renderer | None = None,
        clock: TimeSource | None = None,
        entropy: Callable[[], bytes] = lambda: secrets.token_bytes(32),
        texts: Texts | None = None,
        adapters: Sequence[Adapter] = (),
        most_games: int = 100,
        animate: Animator | None = None,
        thinkers: SearchPool | None = None,
        web_address: str = "",
        is_chat_public: bool = False,
    ) -> None:
        """Create the application. `draw` renders pictures (`render.pool`); `language` is the default language.

        `web_address` is the public address of the page, if there is one; `is_chat_public` that the chat page is there,
        too. `animate` renders animations of whole games
        (`render.projector`). `clock` is what the time is read from, if that is not the system. `thinkers` run the
        computers' searches and are closed with the application. Nobody may have more than `most_games` running games.
        """
        artist = Artist(draw, animate=animate)
        self.context = Context(
            store,
            texts or Texts(),
            Clock(clock),
            entropy,
            artist,
            language,
            most_games,
            thinkers or SearchPool(),
            web_address=web_address.rstrip("/"),
            is_chat_public=is_chat_public,
        )
        self.delivery = Delivery(self.context)
        self.messenger = Messenger(self.context)
        self.alarms = Alarms(self.context)
        self.jobs = {
            name: feature.job(self.context) for name, feature in load_features().items() if feature.job is not None
        }
        store.add_listener(self._on_store_change, {"elsewhere", "moved"})
        self._answers: FIFOCache[tuple[str, str], Reply] = FIFOCache(ANSWER_CACHE_BYTES, _answer_bytes)
        self._under_way: dict[tuple[str, str], asyncio.Future[Reply]] = {}
        for adapter in adapters:
            self.add(adapter)

    def add(self, adapter: Adapter) -> None:
        """Add an adapter, so that boards are also delivered to its platform."""
        self.context.adapters[adapter.platform] = adapter
        self.context.store.brings.add(adapter.platform)
        self.delivery.wake()
        self.context.signals.wake_all()

    async def is_reopened(self, platform: str, group: str | None = None) -> None:
        """Retry the boards that were blocked by a missing permission, in a group or on a whole platform.

        Call this whenever we may have regained the permission to write there.
        """
        try:
            store, now = self.context.store, self.context.clock()
            self.delivery.openings.note(platform, group)
            boards = await store.posts.unblock(platform, group, now)
            # Boards that we served as a guest until now become ordinary ones.
            boards += await store.passes.promote_guest_places(platform, group, now) if group is not None else 0
        except StorageError as error:
            log.warning("places-not-reopened", platform=platform, group=group, reason=str(error))
            return
        if boards:
            log.info("boards-retried", platform=platform, group=group, boards=boards)

    def _on_store_change(self, news: News) -> None:
        """Wake the jobs for work that another process, or a move of the clock, has made due, or may have."""
        kind, what = news
        if kind == "elsewhere" and what is not None:
            kind, what = what
            if kind == "moved":
                self.alarms.follow(*what)
        if kind in ("elsewhere", "moved"):
            self.delivery.wake()
            self.context.signals.wake_all()
        else:
            self.context.signals.wake(kind)

    async def start(self) -> None:
        """Start delivery, jobs and clocks. What was not delivered before the last stop is delivered first."""
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

    async def command(self, request: Request, name: str, values: Mapping[str, str]) -> Reply:
        """Run a command of the table. Every failure that a person can cause becomes a reply; none is raised."""

        async def work(asker: RequestContext) -> Reply:
            known = commands_on(request.user.platform)
            command = known.get(name)
            if command is None:
                raise unknown_command(name, known, self.context.game_names)
            given = check_values(command, values)
            return await self._run_command(asker, command, given)

        known_here = load_commands().get(name)
        low_priority = known_here is not None and known_here.low_priority
        return await self._answer(request, work, low_priority=low_priority)

    async def press(self, request: Request, press: str) -> Reply:
        """Handle a press of a button or the choice of a menu option."""

        async def work(asker: RequestContext) -> Reply:
            try:
                pressed = read_press(press)
                known = load_presses()[pressed.deed]
            except (BrokenPress, KeyError) as error:
                raise Refused("refusal.stale") from error
            await check_right(self.context, asker, known.right_for(pressed))
            if game is not None:
                await check_may_see_code(self.context, asker, game)
            reply = await throttle(
                self.context, asker, known.kind(pressed), lambda: known.handler(self.context, asker, pressed)
            )
            return keep_personal(self.context, asker, reply, press) if known.personal else reply

        rule, game = load_presses().get(press.partition(":")[0]), game_of_press(press)
        return await self._answer(request, work, game=game, low_priority=rule is not None and rule.low_priority)

    async def fill(self, request: Request, press: str, values: Mapping[str, str]) -> Reply:
        """Handle a form that was filled in: the press that it carries, and the values of its fields by name."""

        async def work(asker: RequestContext) -> Reply:
            try:
                pressed = read_press(press)
            except BrokenPress as error:
                raise Refused("refusal.stale") from error
            if pressed.deed != FORM_PRESS:
                raise Refused("refusal.stale")
            return await fill_form(self.context, asker, pressed, values)

        return await self._answer(request, work)

    async def typed_text(self, request: Request, text: str) -> Reply:
        """Handle a typed text as a command or, if it answers a board or there is only one game it can mean, as a move.

        A text that is no move gets a reply that says so.
        """

        async def work(asker: RequestContext) -> Reply:
            if plain.strip() == "/":
                return await list_commands(self.context, asker)
            if is_command:
                known = commands_on(request.user.platform)
                parameters = {each: command.parameters for each, command in known.items()}
                name, values = parse_command(text, parameters, self.context.game_names)
                return await self._run_command(asker, known[name], check_values(known[name], values))
            await check_right(self.context, asker, None)
            return await throttle(
                self.context, asker, Public.MOVE, lambda: private_boards.play_typed_text(self.context, asker, plain)
            )

        plain, is_command = make_plain(text), is_command_line(text)
        command = load_commands().get(plain.split(maxsplit=1)[0][1:].lower()) if is_command else None
        return await self._answer(request, work, low_priority=command is not None and command.low_priority)

    async def _run_command(self, asker: RequestContext, command: Command, given: Mapping[str, str]) -> Reply:
        await check_right(self.context, asker, command.right_for(given))
        reply = await throttle(
            self.context, asker, command.kind(given), lambda: command.handler(self.context, asker, given)
        )
        if not command.is_personal(given):
            return reply
        return keep_personal(self.context, asker, reply, link_of(command, given))

    async def refuse_to_see(self, request: Request, game: str) -> Reply | None:
        """Return a reply that says why the asker may not see a game; None if they may."""
        speaker = self.context.speaker(request.user.language, request.user.platform)
        try:
            asker = await resolve_request_cached(self.context, request)
            speaker = asker.mine
            await check_may_see_code(self.context, asker, game)
        except Refused as refused:
            return Reply(Card(refusal_words(speaker, refused)), private=True)
        return None

    async def press_answered(self, request: Request) -> None:
        """Use the token that a press has brought for the boards in its place, once the press itself is answered."""
        try:
            await activate_pass(self.context, request)
        except StorageError as error:
            log.warning("interaction-token-not-used", platform=request.user.platform, reason=str(error))

    async def complete(
        self, request: Request, name: str, parameter: str, values: Mapping[str, str]
    ) -> list[Completion]:
        """Return at most 25 completions for a command's parameter that match what is typed."""
        try:
            asker = await resolve_request_cached(self.context, request)
            plain = {each: make_plain(value) for each, value in values.items()}
            return await completion.complete(self.context, asker, load_commands()[name], parameter, plain)
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
        theme: str | None = None,
    ) -> GameView | Reply:
        """Return a game as the asker sees it, after some answers or after a turn; otherwise a reply saying why not."""
        speaker = self.context.speaker(request.user.language, request.user.platform)
        try:
            asker = await resolve_request_cached(self.context, request)
            speaker = asker.mine
            return await reader_views.view_game(self.context, asker, game, path=path, turn=turn, theme=theme)
        except Refused as refused:
            return Reply(Card(refusal_words(speaker, refused)), private=True)
        except EngineError as error:
            return Reply(Card(engine_words(speaker, "", error)), private=True)

    async def view_thumbnail(self, game: str, theme: str, language: str | None) -> Picture | None:
        """Return a sample picture of a game, for people who do not know it; None where boards are not drawn."""
        return await reader_views.view_thumbnail(self.context, self.context.speaker(language), game, theme)

    async def explain_cell(self, request: Request, cell: str, path: Sequence[str]) -> Text:
        """Return why a cell of the open board cannot be pressed after some answers; empty if no rule says so."""
        speaker = self.context.speaker(request.user.language, request.user.platform)
        try:
            asker = await resolve_request_cached(self.context, request)
            speaker = asker.mine
            return await cells.explain_cell(self.context, asker, cell, path)
        except Refused as refused:
            return refusal_words(speaker, refused)
        except EngineError as error:
            return engine_words(speaker, "", error)

    def watch_searches(self, person: int) -> AbstractContextManager[SearchWatch]:
        """Return a context manager that reports the background searches that a person waits for."""
        return self.context.advice.watch(person)

    async def list_turns(self, request: Request, game: str) -> list[ListedTurn]:
        """Return the turns of a game; empty if they cannot be shown."""
        try:
            return await reader_views.list_turns(
                self.context, await resolve_request_cached(self.context, request), game
            )
        except (Refused, EngineError):
            return []

    async def _answer(
        self,
        request: Request,
        work: Callable[[RequestContext], Awaitable[Reply]],
        *,
        game: str | None = None,
        low_priority: bool = False,
    ) -> Reply:
        """Answer an event once: a repeated event gets the same answer, or waits for the one in progress."""
        key = (request.user.platform, request.event)
        if (given := self._answers.get(key)) is not None:
            return given
        known = self._under_way.get(key)
        if known is not None:
            return await asyncio.shield(known)
        answer: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._under_way[key] = answer
        try:
            async with self.context.low_priority.turn() if low_priority else nullcontext():
                reply, ended = await self._carry_out(request, work, game)
        except asyncio.CancelledError:
            answer.cancel()
            raise
        finally:
            self._under_way.pop(key, None)
        answer.set_result(reply)
        # If nothing was done, the same event may be retried.
        if ended not in ("unavailable", "failed") and _answer_bytes(reply) <= self._answers.maxsize:
            self._answers[key] = reply
        return reply

    async def _carry_out(
        self, request: Request, work: Callable[[RequestContext], Awaitable[Reply]], game: str | None
    ) -> tuple[Reply, str]:
        """Return the answer to a request and its outcome."""
        platform, began, ended = request.user.platform, perf_counter(), "answered"
        speaker, store = self.context.speaker(request.user.language, request.user.platform), self.context.store
        try:
            asker = await resolve_request(self.context, request, game)
            speaker = asker.mine
            try:
                return await work(asker), ended
            except (Refused, EngineError):
                # What is refused may have been done by another process that was brought the same event.
                processed = await store.processed_events.get(platform, request.event) if store.is_shared else None
                if processed is None:
                    raise
                raise AlreadyProcessed(platform, request.event, processed.reply) from None
        except AlreadyProcessed as error:
            ended = "again"
            return reply_from_json(error.reply), ended
        except Refused as refused:
            ended = "refused"
            card, stale = Card(refusal_words(speaker, refused), rows=refused.rows), refused.key == "refusal.moved-on"
            return Reply(card, private=True, stale=stale), ended
        except Stranger as error:
            ended = "refused"
            key = "refusal.kept-out" if error.params["banned"] else "refusal.author-changed"
            return Reply(Card(speaker.say(key)), private=True), ended
        except EngineError as error:
            ended = "refused"
            return Reply(Card(engine_words(speaker, "", error)), private=True), ended
        except Unavailable as error:
            ended = "unavailable"
            log.error("database-unavailable", code=error.code, event_id=request.event)
            return Reply(Card(speaker.say("refusal.unavailable")), private=True, failed="unavailable"), ended
        except Exception:
            ended = "failed"
            log.exception("request-failed", platform=platform, event_id=request.event)
            return Reply(Card(speaker.say("refusal.unexpected")), private=True, failed="failed"), ended
        finally:
            REQUESTS.labels(platform, ended).inc()
            REQUEST_SECONDS.labels(platform).observe(perf_counter() - began)


def _answer_bytes(reply: Reply) -> int:
    card = reply.card
    if card is None:
        return _ANSWER_BASE_BYTES
    picture, moving = card.picture, card.picture and card.picture.animation
    drawn = (len(picture.png) if picture else 0) + (len(moving.gif) if moving else 0)
    return _ANSWER_BASE_BYTES + drawn + (len(card.file.content) if card.file else 0)
