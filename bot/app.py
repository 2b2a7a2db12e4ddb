"""The program as adapters see it: requests in, replies out, boards by delivery."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import nullcontext
from enum import Enum
from time import perf_counter
from typing import Final

import structlog
from cachetools import FIFOCache

from bot.commands import COMMANDS, PARAMETERS, PRESSES, checked, listed, offered
from bot.context.asker import Asker, arrived, remembered
from bot.context.context import Clock, Context, Public
from bot.context.guests import answered
from bot.entry.commandline import parse_command, unknown_command
from bot.handlers import cells, completion, looking, publicity, table
from bot.interface.cards import Card, Picture
from bot.interface.presses import PUZZLE, PUZZLE_ANSWER, PUZZLE_WAY, BrokenPress, read_press
from bot.interface.refusals import Refused, engine_words, worded
from bot.interface.requests import Adapter, Completion, ListedTurn, Reply, Request, Sight
from bot.interface.stored_replies import reply_from_json
from bot.jobs.alarms import Alarms
from bot.jobs.computers import Computers
from bot.jobs.daily import DailyPuzzles
from bot.jobs.delivery import Delivery
from bot.jobs.messenger import Messenger
from bot.jobs.rounds import Rounds
from bot.language.rich_text import Text
from bot.language.texts import Texts
from bot.operations.metrics import REQUEST_SECONDS, REQUESTS
from bot.pictures.artist import Animator, Artist, Renderer
from bot.presenters.asking import PRIVATE, PUBLIC
from bot.services.pace import paced
from bot.thinking.thinkers import Thinkers
from engine import EngineError
from storage import AlreadyProcessed, News, Recalled, StorageError, Store, Stranger, Unavailable, utc_now

MOST_REMEMBERED: Final = 6 * 1024 * 1024
"""How many bytes of answers are remembered, the newest: some thousands, or a few with whole games in pictures."""
_WORDS: Final = 4096
"""How much an answer without a picture counts."""

LEISURELY: Final = frozenset({PUZZLE, PUZZLE_ANSWER, PUZZLE_WAY})
"""The command and the presses for which boards of games go first."""

MOVE: Final = "/move"
"""The command by which a move is typed."""

BY_RECEIPT: Final = frozenset({PUBLIC, PRIVATE})
"""The presses that change nothing but by a commit with their receipt: answers in the tree of choices."""

log = structlog.get_logger(__name__)


class Remembered(Enum):
    """Whether memory may say who asks for what changes nothing but by a commit with its receipt (see `arrived`).

    Whether the event was carried out before is then only found out by that commit, and where somebody is refused;
    or also where nothing is stored; or not at all.
    """

    NOT = "not"
    UNLESS_NOTHING_IS_STORED = "unless nothing is stored"
    EVEN_SO = "even so"


class Tavoliere:
    """The Front that every adapter calls."""

    def __init__(
        self,
        store: Store,
        *,
        language: str = "en",
        draw: Renderer | None = None,
        clock: Clock = utc_now,
        entropy: Callable[[], bytes] = lambda: secrets.token_bytes(32),
        texts: Texts | None = None,
        adapters: Sequence[Adapter] = (),
        most_games: int = 100,
        animate: Animator | None = None,
        thinkers: Thinkers | None = None,
    ) -> None:
        """Make the program; `draw` makes pictures (`render.pool`), `language` is spoken where none is known.

        `animate` makes those of whole games (`render.projector`), `thinkers` think for computers; closed with it.

        Nobody may have more than `most_games` going at once.
        """
        artist = Artist(draw, animate=animate)
        self.context = Context(
            store, texts or Texts(), clock, entropy, artist, language, most_games, thinkers or Thinkers()
        )
        self.delivery = Delivery(self.context)
        self.messenger = Messenger(self.context)
        self.alarms = Alarms(self.context)
        self.computers = Computers(self.context)
        self.dailies = DailyPuzzles(self.context)
        self.rounds = Rounds(self.context)
        store.listen(self._heard)
        self._answers: FIFOCache[tuple[str, str], Reply] = FIFOCache(MOST_REMEMBERED, _weight)
        self._under_way: dict[tuple[str, str], asyncio.Future[Reply]] = {}
        for adapter in adapters:
            self.add(adapter)

    def add(self, adapter: Adapter) -> None:
        """Have boards delivered by an adapter, too."""
        self.context.adapters[adapter.platform] = adapter
        self.context.store.brings.add(adapter.platform)
        self.delivery.wake()
        self.context.signals.dailies.set()

    def adapter(self, platform: str) -> Adapter | None:
        """Return what delivers to a platform, None while there is nothing."""
        return self.context.adapters.get(platform)

    async def reopened(self, platform: str, group: str | None = None) -> None:
        """Have boards tried again that could not be shown in a group, or on a whole platform, for lack of a permission.

        To be called whenever it may be that we may write there again.
        """
        try:
            store, now = self.context.store, self.context.clock()
            boards = await store.reopen_surfaces(platform, group, now)
            dailies = await store.reopen_dailies(platform, group, now)
            # Where we were a guest until now, boards go on as ordinary ones.
            boards += await store.made_member(platform, group, now) if group is not None else 0
        except StorageError as error:
            log.warning("not-reopened", platform=platform, group=group, reason=str(error))
            return
        if boards:
            log.info("tried-again", platform=platform, group=group, boards=boards)
        if dailies:
            self.context.signals.dailies.set()

    def _heard(self, news: News) -> None:
        """Wake the jobs for what another process has made due, or may have."""
        kind, what = news
        if kind != "elsewhere":
            return
        signals, told = self.context.signals, None if what is None else what[0]
        jobs = {"thinking": signals.computers, "notices": signals.notices, "competition": signals.competitions}
        for kind, job in jobs.items():
            if told in (None, kind):
                job.set()

    async def start(self) -> None:
        """Begin delivering, first of all what was not delivered when the program last ended; let clocks run."""
        self.delivery.start()
        self.messenger.start()
        self.alarms.start()
        self.computers.start()
        self.dailies.start()
        self.rounds.start()

    async def close(self, patience: float = 5.0) -> None:
        """End, finishing what has begun if it takes no longer than `patience` seconds."""
        await self.alarms.close()
        await self.dailies.close()
        await self.rounds.close()
        await self.computers.close()
        await self.messenger.close()
        await self.delivery.close(patience)
        await self.context.advice.close()
        await self.context.thinkers.close()

    async def command(self, request: Request, name: str, values: Mapping[str, str]) -> Reply:
        """Carry out a command of the table; every failure a person can cause is answered, not raised."""

        async def work(asker: Asker) -> Reply:
            known = offered(request.user.platform)
            command = known.get(name)
            if command is None:
                raise unknown_command(name, known, self.context.game_names)
            given = checked(command, values)
            kind = publicity.of_command(name, given)
            return await paced(self.context, asker, kind, lambda: command.handler(self.context, asker, given))

        remembered = Remembered.UNLESS_NOTHING_IS_STORED if name == MOVE[1:] and _is_usual(request) else Remembered.NOT
        return await self._answer(request, work, leisurely=name in LEISURELY, remembered=remembered)

    async def press(self, request: Request, press: str) -> Reply:
        """Carry out a press of a button or the choice of an option of a menu."""

        async def work(asker: Asker) -> Reply:
            try:
                pressed = read_press(press)
                handler = PRESSES[pressed.deed]
            except (BrokenPress, KeyError) as error:
                raise Refused("refusal.stale") from error
            kind = publicity.of_press(pressed)
            return await paced(self.context, asker, kind, lambda: handler(self.context, asker, pressed))

        deed = press.partition(":")[0]
        remembered = Remembered.EVEN_SO if deed in BY_RECEIPT and _is_usual(request) else Remembered.NOT
        return await self._answer(request, work, leisurely=deed in LEISURELY, remembered=remembered)

    async def typed(self, request: Request, text: str) -> Reply:
        """Take a text that answers a board, or is meant for the one game at hand, as a move; or as a command.

        Talk that is no move is answered by a reply that says so.
        """

        async def work(asker: Asker) -> Reply:
            if text.strip() == "/":
                return listed(asker)
            if text.lstrip().startswith("/"):
                known = offered(request.user.platform)
                name, values = parse_command(text, {each: PARAMETERS[each] for each in known}, self.context.game_names)
                command, given = known[name], checked(known[name], values)
                kind = publicity.of_command(name, given)
                return await paced(self.context, asker, kind, lambda: command.handler(self.context, asker, given))
            return await paced(self.context, asker, Public.MOVE, lambda: table.typed(self.context, asker, text))

        leisurely = text.lstrip().lower().startswith(f"/{PUZZLE}")
        plays = not text.lstrip().startswith("/") or text.split(maxsplit=1)[0] == MOVE
        remembered = Remembered.UNLESS_NOTHING_IS_STORED if plays and _is_usual(request) else Remembered.NOT
        return await self._answer(request, work, leisurely=leisurely, remembered=remembered)

    async def answered(self, request: Request) -> None:
        """Have what a press has brought used for the boards there, once the press itself is answered."""
        try:
            await answered(self.context, request)
        except StorageError as error:
            log.warning("pass-not-used", platform=request.user.platform, reason=str(error))

    async def complete(
        self, request: Request, name: str, parameter: str, values: Mapping[str, str]
    ) -> list[Completion]:
        """Return at most 25 completions for a parameter of a command that match what is typed."""
        try:
            asker = await remembered(self.context, request)
            return await completion.complete(self.context, asker, COMMANDS[name], parameter, values)
        except (KeyError, Refused, EngineError, Unavailable):
            return []
        except Exception:
            log.exception("completion-failed", command=name, parameter=parameter)
            return []

    async def look(
        self,
        request: Request,
        game: str,
        *,
        path: tuple[str, ...] = (),
        turn: int | None = None,
        theme: str | None = None,
    ) -> Sight | Reply:
        """Return a game as the one who asks sees it, after some answers or as it was after a turn; else why not."""
        speaker = self.context.speaker(request.user.language)
        try:
            asker = await remembered(self.context, request)
            speaker = asker.mine
            return await looking.look(self.context, asker, game, path=path, turn=turn, theme=theme)
        except Refused as refused:
            return Reply(Card(worded(speaker, refused)), private=True)
        except EngineError as error:
            return Reply(Card(engine_words(speaker, "", error)), private=True)

    async def glimpse(self, game: str, theme: str, language: str | None) -> Picture | None:
        """Return what a game looks like at play, for those who do not know it; None where boards are not drawn."""
        return await looking.glimpse(self.context, self.context.speaker(language), game, theme)

    async def explain_cell(self, request: Request, cell: str, path: Sequence[str]) -> Text:
        """Return why a cell of the open board cannot be pressed after some answers; nothing where no rule says so."""
        speaker = self.context.speaker(request.user.language)
        try:
            asker = await remembered(self.context, request)
            speaker = asker.mine
            return await cells.explain_cell(self.context, asker, cell, path)
        except Refused as refused:
            return worded(speaker, refused)
        except EngineError as error:
            return engine_words(speaker, "", error)

    async def moves(self, request: Request, game: str) -> list[ListedTurn]:
        """Return the turns of a game, none where that cannot be told."""
        try:
            return await looking.moves(self.context, await remembered(self.context, request), game)
        except (Refused, EngineError):
            return []

    async def _answer(
        self,
        request: Request,
        work: Callable[[Asker], Awaitable[Reply]],
        *,
        leisurely: bool = False,
        remembered: Remembered = Remembered.NOT,
    ) -> Reply:
        """Answer an event once: handled again it gets the same answer, while it is being handled it waits for it."""
        key = (request.user.platform, request.event)
        if (given := self._answers.get(key)) is not None:
            return given
        known = self._under_way.get(key)
        if known is not None:
            return await asyncio.shield(known)
        answer: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._under_way[key] = answer
        try:
            async with self.context.leisure.turn() if leisurely else nullcontext():
                reply, ended = await self._carry_out(request, work, remembered=remembered)
        except asyncio.CancelledError:
            answer.cancel()
            raise
        finally:
            self._under_way.pop(key, None)
        answer.set_result(reply)
        # Where nothing was done the same event may be tried again.
        if ended not in ("unavailable", "failed") and _weight(reply) <= self._answers.maxsize:
            self._answers[key] = reply
        return reply

    async def _worked(
        self,
        request: Request,
        work: Callable[[Asker], Awaitable[Reply]],
        asker: Asker,
        recalled: Recalled,
        remembered: Remembered,
    ) -> Reply:
        """Return the answer to a request; AlreadyProcessed, also where another process was quicker with the event."""
        store, platform = self.context.store, request.user.platform
        recalled.has_stored = False
        try:
            reply = await work(asker)
        except (Refused, EngineError):
            asks = store.shared or remembered is not Remembered.NOT
            processed = await store.processed(platform, request.event) if asks else None
            if processed is None:
                raise
            raise AlreadyProcessed(platform, request.event, processed.reply) from None
        if remembered is Remembered.UNLESS_NOTHING_IS_STORED and not recalled.has_stored:
            processed = await store.processed(platform, request.event)
            if processed is not None:
                raise AlreadyProcessed(platform, request.event, processed.reply)
        return reply

    async def _carry_out(
        self, request: Request, work: Callable[[Asker], Awaitable[Reply]], *, remembered: Remembered
    ) -> tuple[Reply, str]:
        """Return the answer to a request and how it ended."""
        platform, began, ended = request.user.platform, perf_counter(), "answered"
        speaker, store = self.context.speaker(request.user.language), self.context.store
        try:
            for anew in (False, True):
                try:
                    with store.recalling(anew=anew) as recalled:
                        asker = await arrived(self.context, request, remembered=remembered is not Remembered.NOT)
                        speaker = asker.mine
                        return await self._worked(request, work, asker, recalled, remembered), ended
                except (Refused, EngineError, Stranger) as error:
                    # What memory knows of other processes' doings may be behind: nobody is refused by it alone.
                    if anew or not (isinstance(error, Stranger) or (store.shared and recalled.used)):
                        raise
            raise AssertionError
        except AlreadyProcessed as error:
            ended = "again"
            return reply_from_json(error.reply), ended
        except Refused as refused:
            ended = "refused"
            return Reply(Card(worded(speaker, refused), rows=refused.rows), private=True), ended
        except Stranger:
            ended = "refused"
            return Reply(Card(speaker.say("refusal.kept-out")), private=True), ended
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


def _is_usual(request: Request) -> bool:
    """Say whether a request neither comes from where the bot is no member nor brings a way of writing there."""
    return not request.nonmember and request.brings is None


def _weight(reply: Reply) -> int:
    card = reply.card
    if card is None:
        return _WORDS
    picture, moving = card.picture, card.picture and card.picture.animation
    drawn = (len(picture.png) if picture else 0) + (len(moving.gif) if moving else 0)
    return _WORDS + drawn + (len(card.file.content) if card.file else 0)
