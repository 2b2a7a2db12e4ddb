"""Sends notices as messages of their own: private ones, a daily digest, and in channels if no private chat works.

Pending notices are in the database. A message that was sent but not recorded before a crash is sent again under the
same idempotency key.
"""

import asyncio
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

import structlog

from bot.core.context import Context
from bot.core.due_worker import MAX_SLEEP_SECONDS, DueWorker
from bot.core.features import read_notice_content
from bot.core.notice_routes import CHANNEL_ROUTES_SETTING, ROUTE_SETTING, NoticeKind, Route, next_digest_at
from bot.core.places import place_of
from bot.delivery.boards import PLATFORM_CALL_TIMEOUT_SECONDS, pause_after
from bot.delivery.notice_cards import digest_card, notice_card
from bot.interface.cards import Card
from bot.interface.refusals import Refused
from bot.interface.requests import TryLater, Undeliverable
from bot.language.texts import Span, Speaker
from bot.lobby.lobby_context import read_lobby_context
from bot.notices.rules import route_notice, with_mentions, with_private_mention
from bot.play.service import store_step
from bot.tables.table import GamePeople, Table, report_broken_game
from engine import EngineError
from engine import games as installed
from engine.record_fields import FORGOTTEN_NAME
from storage import CompetitionPlace, NewEvent, Notice, Person, PlaceRow, StorageError, Surface
from storage.notices import DIGEST_KIND

CLAIM_RETRY_SECONDS: Final = 20.0
"""Seconds before looking again at a notice that a peer process has to send, or is sending."""
DIGEST_INTERVAL_SECONDS: Final = 3.0
"""Minimum interval between two digests."""

log = structlog.get_logger(__name__)

Write = Callable[[Speaker], Card | None]
_Shown = Surface | CompetitionPlace


@dataclass(frozen=True, slots=True)
class _SendResult:
    """The result of sending: `done`, or to be retried after `later` seconds, or impossible in private."""

    done: bool = False
    later: float | None = None


class Messenger(DueWorker):
    """A worker that sends the notices that boards do not show."""

    def __init__(self, context: Context) -> None:
        super().__init__(context, context.signals.event("notices"), "messenger")
        self._elsewhere: dict[int, float] = {}
        self._next_digest = -math.inf

    async def _next_due_at(self) -> datetime | None:
        return await self._context.store.notices.next_due_at()

    async def _run_due(self) -> bool:
        now, done = self._context.clock(), False
        seconds = self._context.clock.monotonic()
        self._elsewhere = {notice: until for notice, until in self._elsewhere.items() if until > seconds}
        for notice in await self._context.store.notices.list_due(now, 100 + len(self._elsewhere)):
            if notice.id not in self._elsewhere:
                done = await self._serve(notice.id) or done
        return done

    async def _serve(self, listed: int) -> bool:
        """Send one notice if it is due and no peer process holds it; return True if anything was done."""
        store = self._context.store
        async with store.lock(f"notice {listed}") as ours:
            notice = await store.notices.get(listed) if ours else None
            if notice is None:
                self._drop_notice(listed)
                return False
            if notice.due_at is None or notice.due_at > self._context.clock():
                return False
            try:
                return await (self._send_digest(notice) if notice.kind == DIGEST_KIND else self._deliver_notice(notice))
            except (Refused, EngineError) as error:
                report_broken_game(log, error, game=notice.game or "")
                await self._retry_later(notice, None)
            except StorageError:
                raise
            except Exception:
                log.exception("notice-failed", notice=notice.id)
                await self._retry_later(notice, None)
        return True

    # Single notices.

    async def _deliver_notice(self, notice: Notice) -> bool:
        if notice.game is None:
            return await self._deliver_without_game(notice)
        store, now = self._context.store, self._context.clock()
        surfaces = [each for each in await store.surfaces.list_for_game(notice.game) if not each.waiting]
        if notice.route is None:
            decision = await route_notice(self._context, notice, surfaces)
            if decision is not None and decision.route == Route.HERE:
                await self._reannounce_board(surfaces, decision.place)
            return True
        table = await self._context.table(notice.game)
        person = await store.people.get(notice.person)
        around = await read_lobby_context(self._context, table.row)
        card = notice_card(table, self._speaker(person), notice, around) if person is not None else None
        if person is None or card is None:
            await store.notices.record_delivered([notice], now)
            return True
        if notice.route == Route.PRIVATE:
            sent = await self._send_in_private(person, surfaces, card, _key(notice))
            if sent is None:
                self._drop_notice(notice.id)
                return False
            if not sent.done and sent.later is None:
                # A private matter is then shown only on the person's own board.
                secret = notice.kind == NoticeKind.PLAN
                place = None if secret else await self._fallback_place(person, surfaces)
                if place is not None:
                    log.info("notice-in-channel", notice=notice.id, place=place.id)
                    await store.notices.reroute(notice, Route.CHANNEL, place.id, now)
                    return True
                log.info("notice-undeliverable", notice=notice.id)
        else:
            place = await store.places.get(notice.place or 0)

            def write(speaker: Speaker) -> Card | None:
                return notice_card(table, speaker, notice, around)

            sent = await self._send_in_channel(place, person, write, _key(notice))
            if sent is None:
                self._drop_notice(notice.id)
                return False
        if sent.later is not None:
            await self._retry_later(notice, sent.later)
            return True
        if notice.kind == NoticeKind.TIME:
            await self._record_reminder(table, person, is_delivered=sent.done)
        await store.notices.record_delivered([notice], self._context.clock())
        return True

    async def _deliver_without_game(self, notice: Notice) -> bool:
        """Send a notice that belongs to no game: in private, or as an extra message where its subject is shown."""
        store, now = self._context.store, self._context.clock()
        person, found = await store.people.get(notice.person), await read_notice_content(self._context, notice)
        card = found.write(self._speaker(person)) if person is not None and found is not None else None
        if person is None or found is None or card is None:
            await store.notices.record_delivered([notice], now)
            return True
        if notice.route is None:
            decision = await route_notice(self._context, notice, found.shown)
            if decision is None or decision.route == Route.HERE:
                place = decision.place if decision is not None else next((each.place.id for each in found.shown), None)
                await store.notices.reroute(notice, Route.CHANNEL, place, now)
            return True
        if notice.route == Route.PRIVATE:
            sent = await self._send_in_private(person, found.shown, card, _key(notice))
            place_row = await self._fallback_place(person, found.shown)
            if sent is not None and not sent.done and sent.later is None and place_row is not None:
                await store.notices.reroute(notice, Route.CHANNEL, place_row.id, now)
                return True
        else:
            place_row = await store.places.get(notice.place or 0)
            sent = await self._send_in_channel(place_row, person, found.write, _key(notice))
        if sent is None:
            self._drop_notice(notice.id)
            return False
        if sent.later is not None:
            await self._retry_later(notice, sent.later)
        else:
            await store.notices.record_delivered([notice], self._context.clock())
        return True

    async def _record_reminder(self, table: Table, person: Person, *, is_delivered: bool) -> None:
        """Record in a game whether a clock reminder has reached a player, so that its board says if not."""
        seat, known = table.seat_of(person.id), table.row.course.unreminded
        if seat is None or table.row.status != "playing" or (seat not in known) is is_delivered:
            return
        course = replace(table.row.course, unreminded=known ^ {seat})
        event = NewEvent("reminded" if is_delivered else "unreminded", {"seat": seat})
        await store_step(self._context, table, replace(table.row, course=course), [event], line=table.line)

    async def _reannounce_board(self, surfaces: Sequence[Surface], place: int | None) -> None:
        """Make a board due that is up to date but has not mentioned the person it is to mention."""
        for surface in surfaces:
            up_to_date = surface.shown_revision == surface.revision and surface.announced_turn is not None
            if surface.place.id == place and up_to_date:
                await self._context.store.surfaces.add(surface.game, surface.place.id, self._context.clock())

    async def _fallback_place(self, person: Person, surfaces: Sequence[_Shown]) -> PlaceRow | None:
        """Return the oldest shared place where a game is shown to a person, or None."""
        platforms = {identity.platform for identity in await self._context.store.people.identities(person.id)}
        shown = [each.place for each in surfaces if each.place.platform in platforms]
        open_there = [place for place in shown if place.kind != "private" and not self._context.edits_alone(place)]
        return next(iter(open_there), None)

    async def _send_in_private(
        self, person: Person, surfaces: Sequence[_Shown], card: Card, key: str
    ) -> _SendResult | None:
        """Send a card to a person's private chat, preferably on the platform where they play; None: a peer has to."""
        identities = await self._context.store.people.identities(person.id)
        near = [surface.place.platform for surface in surfaces]
        # The page accepts every message even if nobody looks at it: it comes last, unless they play there.
        order = sorted(identities, key=lambda each: (each.platform not in near, each.platform == "web"))
        absent, later = False, list[float]()
        for identity in order:
            adapter = self._context.adapters.get(identity.platform)
            absent = absent or adapter is None
            if adapter is None:
                continue
            try:
                async with asyncio.timeout(PLATFORM_CALL_TIMEOUT_SECONDS):
                    place = replace(
                        await adapter.private_chat(identity.user_id), language=self._speaker(person).language
                    )
                    await adapter.send(place, with_private_mention(card, person.id), key)
                if identity.can_dm is False:
                    await self._context.store.people.record_reachability(
                        identity.platform, identity.user_id, can_dm=True
                    )
                return _SendResult(done=True)
            except Undeliverable as error:
                log.info("private-message-refused", platform=identity.platform, reason=error.reason)
                await self._context.store.people.record_reachability(identity.platform, identity.user_id, can_dm=False)
            except (TryLater, TimeoutError) as error:
                later.append((error.seconds if isinstance(error, TryLater) else None) or MAX_SLEEP_SECONDS)
        if not later and absent and self._context.store.is_shared:
            return None
        return _SendResult(later=min(later, default=None))

    async def _send_in_channel(
        self, row: PlaceRow | None, person: Person, write: Write, key: str
    ) -> _SendResult | None:
        """Send a card that mentions a person to a channel, where others read it too; None if a peer process has to."""
        adapter = self._context.adapters.get(row.platform) if row is not None else None
        if row is None or adapter is None:
            return None if row is not None and self._context.store.is_shared else _SendResult()
        speaker = self._context.place_speaker(row)
        card = write(speaker)
        if card is None:
            return _SendResult(done=True)
        name = Span(person.name or FORGOTTEN_NAME, bold=True, person=person.id)
        try:
            async with asyncio.timeout(PLATFORM_CALL_TIMEOUT_SECONDS):
                await adapter.send(
                    place_of(row, speaker.language), with_mentions(card, {person.id: name}, speaker=speaker), key
                )
        except Undeliverable as error:
            log.info("notice-undeliverable", platform=row.platform, reason=error.reason)
            return _SendResult()
        except (TryLater, TimeoutError) as error:
            return _SendResult(later=(error.seconds if isinstance(error, TryLater) else None) or MAX_SLEEP_SECONDS)
        return _SendResult(done=True)

    # Daily digests.

    async def _send_digest(self, notice: Notice) -> bool:
        store, now = self._context.store, self._context.clock()
        if self._context.clock.monotonic() < self._next_digest:
            return False
        person = await store.people.get(notice.person)
        held = [
            each
            for each in await store.notices.list_for_person(notice.person, Route.DIGEST)
            if each.kind != DIGEST_KIND
        ]
        around = (
            await self._companies_of_notices(held) if person is not None and await self._wants_digests(person) else []
        )
        if person is None or not around:
            await store.notices.postpone(notice, None)
            return True
        self._next_digest = self._context.clock.monotonic() + DIGEST_INTERVAL_SECONDS
        key = f"digest-{person.id}-{now:%Y%m%d}"
        surfaces = [
            surface for game_people, _ in around for surface in await store.surfaces.list_for_game(game_people.brief.id)
        ]
        sent = await self._send_in_private(person, surfaces, digest_card(around, self._speaker(person), person.id), key)
        if sent is None:
            self._drop_notice(notice.id)
            return False
        if sent.later is not None:
            await self._retry_later(notice, sent.later)
            return True
        if not sent.done and not await self._send_digest_in_channels(person, around, key):
            await self._retry_later(notice, MAX_SLEEP_SECONDS)
            return True
        async with store.transaction():
            await store.notices.record_delivered(held, self._context.clock())
            await store.notices.postpone(notice, next_digest_at(person.id, person.settings, now))
        return True

    async def _wants_digests(self, person: Person) -> bool:
        if person.settings.get(ROUTE_SETTING) == Route.DIGEST:
            return True
        choices = (
            await self._context.store.notices.choices(person.id) if person.settings.get(CHANNEL_ROUTES_SETTING) else {}
        )
        return Route.DIGEST in choices.values()

    async def _companies_of_notices(self, held: Sequence[Notice]) -> list[tuple[GamePeople, list[Notice]]]:
        """Return the games of some notices, each with its notices that are still to be reported."""
        listed: list[tuple[GamePeople, list[Notice]]] = []
        for game in dict.fromkeys(each.game for each in held if each.game is not None):
            # A finished game is reported once; a waiting one every day.
            mine = [
                each
                for each in held
                if each.game == game and (each.kind != NoticeKind.OVER or each.delivered_at is None)
            ]
            table = await self._context.table_as_stored(game) if mine else None
            if table is not None and table.row.game in installed:
                listed.append((GamePeople(table.row, table.people), mine))
        return listed

    async def _send_digest_in_channels(
        self, person: Person, around: Sequence[tuple[GamePeople, list[Notice]]], key: str
    ) -> bool:
        """Send a digest as one message in each place where its games are shown; False if it has to be retried."""
        places: dict[int, PlaceRow] = {}
        games: dict[int, list[tuple[GamePeople, list[Notice]]]] = {}
        for each in around:
            place = await self._fallback_place(
                person, await self._context.store.surfaces.list_for_game(each[0].brief.id)
            )
            if place is not None:
                places[place.id] = place
                games.setdefault(place.id, []).append(each)
        for number, place in places.items():

            def write(speaker: Speaker, shown: Sequence[tuple[GamePeople, list[Notice]]] = games[number]) -> Card:
                return digest_card(shown, speaker, person.id)

            sent = await self._send_in_channel(place, person, write, f"{key}-{number}")
            if sent is None or sent.later is not None:
                return False
        return True

    def _speaker(self, person: Person | None) -> Speaker:
        return self._context.speaker(self._context.person_language(person) if person is not None else None)

    def _drop_notice(self, notice: int) -> None:
        self._elsewhere[notice] = self._context.clock.monotonic() + CLAIM_RETRY_SECONDS

    async def _retry_later(self, notice: Notice, asked: float | None) -> None:
        pause = pause_after(notice.attempts, asked)
        await self._context.store.notices.record_failure(notice, self._context.clock() + pause)


def _key(notice: Notice) -> str:
    """Return the idempotency key of a notice; row ids are reused once a notice is gone."""
    return f"notice-{notice.person}-{notice.kind}-{notice.subject}"
