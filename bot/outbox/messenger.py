"""Chooses the message for a notice that no board shows to its person, and promises it as a post.

A private chat comes first. If none can be written to, a message next to the board is sent instead. The posts
themselves, including the daily digest, are in `bot/outbox/notice_posts.py`.
"""

import asyncio
import math
from collections.abc import Sequence
from datetime import datetime
from typing import Final

import structlog

from bot.kernel.context import Context
from bot.kernel.features import read_notice_content
from bot.kernel.post_kinds import MAX_SLEEP_SECONDS, DueWorker
from bot.kernel.preferences import NoticeKind, Route, next_digest_at
from bot.kernel.refusals import Refused
from bot.kernel.requests import TryLater, Undeliverable
from bot.kernel.table import report_broken_game
from bot.outbox.notice_posts import (
    DIGEST,
    NOTICE,
    fallback_place,
    fallback_places,
    list_digest_games,
    notice_subject,
    record_reminder,
)
from bot.outbox.worker import PLATFORM_CALL_TIMEOUT_SECONDS, pause_after
from bot.table.notices import route_notice
from engine import EngineError
from storage import NewPost, Notice, Person, Post, StorageError
from storage.notices import DIGEST_KIND

MAX_NOTICES_PER_ROUND: Final = 500
DIGEST_INTERVAL_SECONDS: Final = 3.0
"""Minimum interval between two digests."""

log = structlog.get_logger(__name__)


class _ForPeer(Exception):
    """Only a peer process can write to the person's private chat."""


class Messenger(DueWorker):
    """A worker that promises the messages of the notices that boards do not show.

    Processes that route the same notice concurrently promise the same post.
    """

    def __init__(self, context: Context) -> None:
        super().__init__(context, context.signals.event("notices"), "messenger")
        self._next_digest = -math.inf

    async def _next_due_at(self) -> datetime | None:
        return await self._store.notices.next_due_at()

    async def _run_due(self) -> bool:
        due = await self._store.notices.list_due(self._clock(), MAX_NOTICES_PER_ROUND)
        return any([await self._serve(notice) for notice in due])

    async def _serve(self, notice: Notice) -> bool:
        """Route a due notice; return True if anything was done."""
        pause: float | None = None
        try:
            return await (self._route_digest(notice) if notice.kind == DIGEST_KIND else self._route(notice))
        except _ForPeer:
            return False
        except TryLater as error:
            pause = error.seconds or MAX_SLEEP_SECONDS
        except (Refused, EngineError) as error:
            report_broken_game(log, error, game=notice.game or "")
        except StorageError:
            raise
        except Exception:
            log.exception("notice-failed", notice=notice.id)
        await self._retry_later(notice, pause)
        return True

    async def _route(self, notice: Notice) -> bool:
        store, now = self._store, self._clock()
        shown: Sequence[Post] | None
        if notice.game is not None:
            shown = await store.posts.list_for_game(notice.game)
        else:
            found = await read_notice_content(self._context, notice)
            shown = None if found is None else found.shown
        person = await store.people.get(notice.person)
        if shown is None or person is None:
            await store.notices.record_delivered([notice], now)
        elif notice.route is None:
            await self._decide(notice, shown)
        elif notice.route == Route.CHANNEL and notice.place is not None:
            await self._promise(notice, notice.place)
        elif (place := await self._find_private_place(person, shown, NOTICE, notice_subject(notice))) is not None:
            await self._promise(notice, place)
        else:
            await self._fall_back(notice, person, shown)
        return True

    async def _decide(self, notice: Notice, shown: Sequence[Post]) -> None:
        """Choose the route of a notice; if a board has to mention its person, announce the board again."""
        store, now = self._store, self._clock()
        decision = await route_notice(self._context, notice, shown)
        if notice.game is None and (decision is None or decision.route == Route.HERE):
            place = decision.place if decision is not None else next((each.place.id for each in shown), None)
            await store.notices.reroute(notice, Route.CHANNEL, place, now)
        elif decision is not None and decision.route == Route.HERE:
            for post in shown:
                if post.place.id == decision.place and post.is_current:
                    await store.posts.add(post.subject, post.place.id, now)

    async def _promise(self, notice: Notice, place: int) -> None:
        """Promise a separate message for a notice in a place; the notice waits for its delivery.

        If the place has refused the message since the notice was read, the notice stays due.
        """
        store, subject = self._store, notice_subject(notice)
        async with store.transaction():
            new = NewPost(NOTICE, subject, place, self._clock(), game=notice.game)
            if not await store.posts.promise(new, again=True):
                found = await store.posts.list_with(kind=NOTICE, subject=subject)
                if any(post.gone for post in found if post.place.id == place):
                    return
            await store.notices.wait_for_post(notice)

    async def _fall_back(self, notice: Notice, person: Person, shown: Sequence[Post]) -> None:
        """Send a notice to a channel because no private chat takes it; a private matter stays on the person's board."""
        store, now = self._store, self._clock()
        place = None
        if notice.kind != NoticeKind.PLAN and notice.route != Route.CHANNEL:
            place = await fallback_place(self._context, person, shown)
        if place is not None:
            log.info("notice-in-channel", notice=notice.id, place=place.id)
            await store.notices.reroute(notice, Route.CHANNEL, place.id, now)
            return
        log.info("notice-undeliverable", notice=notice.id)
        await record_reminder(self._context, notice, is_delivered=False)
        await store.notices.record_delivered([notice], now)

    async def _find_private_place(self, person: Person, shown: Sequence[Post], kind: str, subject: str) -> int | None:
        """Return the next private chat to try, preferably on the platform where the person plays; None if all refused.

        Raises TryLater if a platform does not answer now, _ForPeer if only a peer process can write to the chat.
        """
        store, near = self._store, [post.place.platform for post in shown]
        identities = await store.people.identities(person.id)
        tried = await store.posts.list_with(kind=kind, subject=subject)
        refused = {post.place.id for post in tried if post.gone and post.shown_at is None}
        absent, waits = False, list[TryLater]()
        # The page accepts every message even if no one looks at it: it comes last, unless they play there.
        for identity in sorted(identities, key=lambda each: (each.platform not in near, each.platform == "web")):
            adapter = self._context.adapters.get(identity.platform)
            if adapter is None:
                absent = True
                continue
            try:
                async with asyncio.timeout(PLATFORM_CALL_TIMEOUT_SECONDS):
                    chat = await adapter.private_chat(identity.user_id)
            except Undeliverable as error:
                log.info("private-message-refused", platform=identity.platform, reason=error.reason)
            except (TryLater, TimeoutError) as error:
                waits.append(error if isinstance(error, TryLater) else TryLater())
                continue
            else:
                place = await store.places.get_or_create(chat.platform, chat.channel, kind="private")
                if place.id not in refused:
                    return place.id
            await store.people.record_reachability(identity.platform, identity.user_id, can_dm=False)
        if waits:
            raise waits[0]
        if absent and store.is_shared:
            raise _ForPeer
        return None

    async def _route_digest(self, notice: Notice) -> bool:
        store, now, seconds = self._store, self._clock(), self._clock.monotonic()
        if seconds < self._next_digest:
            return False
        person = await store.people.get(notice.person)
        listed = await list_digest_games(self._context, person) if person is not None else []
        if person is None or not listed:
            await store.notices.postpone(notice, None)
            return True
        self._next_digest = seconds + DIGEST_INTERVAL_SECONDS
        subject = f"{person.id}-{now:%Y%m%d}"
        shown = [post for waiting, _ in listed for post in await store.posts.list_for_game(waiting.brief.id)]
        private = await self._find_private_place(person, shown, DIGEST, subject)
        places = [private] if private is not None else await fallback_places(self._context, person, listed)
        chosen = {place for place in places if place is not None}
        if not chosen:
            await self._retry_later(notice, MAX_SLEEP_SECONDS)
            return True
        async with store.transaction():
            for place in sorted(chosen):
                await store.posts.promise(NewPost(DIGEST, subject, place, now))
            await store.notices.postpone(notice, next_digest_at(person.id, person.settings, now))
        return True

    async def _retry_later(self, notice: Notice, asked: float | None) -> None:
        pause = pause_after(notice.attempts, asked)
        await self._store.notices.record_failure(notice, self._clock() + pause)
