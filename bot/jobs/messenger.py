"""Notices by messages of their own: private ones, one digest a day, and in a channel what no private chat took.

What is to be told stands in the database; a message that was sent and not noted before the program died is sent again
under the same key.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

import structlog

from bot.context.context import Context
from bot.interface.cards import Card
from bot.interface.refusals import Refused
from bot.interface.requests import PrivateChats, TryLater, Undeliverable
from bot.jobs.boards import PATIENCE, pause_after, place_of
from bot.jobs.due_worker import IDLE, DueWorker
from bot.language.rich_text import Span
from bot.language.texts import Speaker
from bot.notices.calling import addressed, privately, settle
from bot.notices.ways import APART, WAY, NoticeKind, Way, next_digest
from bot.presenters.notices import digest_card, notice_card
from bot.services.around_lobby import around_lobby
from bot.services.steps import store_step
from bot.tables.broken import report
from bot.tables.table import FORGOTTEN, Company, Table
from engine import EngineError
from engine import games as installed
from storage import NewEvent, Notice, Person, PlaceRow, StorageError, Surface
from storage.notices import DIGEST

ANOTHERS: Final = 20.0
"""After how many seconds what another process is to tell, or tells, is looked at again."""
PACE: Final = timedelta(seconds=3)
"""How far apart digests are sent."""

log = structlog.get_logger(__name__)

Write = Callable[[Speaker], Card | None]


@dataclass(frozen=True, slots=True)
class _Sent:
    """How sending went: `done`, or to be tried again after so many seconds, or impossible in private."""

    done: bool = False
    later: float | None = None


class Messenger(DueWorker):
    """A worker that tells what boards do not tell."""

    def __init__(self, context: Context) -> None:
        super().__init__(context, context.signals.notices, "messenger")
        self._elsewhere: dict[int, datetime] = {}
        self._next_digest: datetime | None = None

    async def _next(self) -> datetime | None:
        return await self._context.store.next_notice()

    async def _do_all(self) -> bool:
        now, done = self._context.clock(), False
        self._elsewhere = {notice: until for notice, until in self._elsewhere.items() if until > now}
        for notice in await self._context.store.due_notices(now, 100 + len(self._elsewhere)):
            if notice.id not in self._elsewhere:
                done = await self._serve(notice.id) or done
        return done

    async def _serve(self, listed: int) -> bool:
        """Tell one notice unless another process does, or it is not the time for it; say whether anything was done."""
        store = self._context.store
        async with store.claimed(f"notice {listed}") as ours:
            notice = await store.notice(listed) if ours else None
            if notice is None:
                self._leave(listed)
                return False
            if notice.due_at is None or notice.due_at > self._context.clock():
                return False
            try:
                return await (self._digest(notice) if notice.kind == DIGEST else self._tell(notice))
            except (Refused, EngineError) as error:
                report(log, error, game=notice.game or "")
                await self._later(notice, None)
            except StorageError:
                raise
            except Exception:
                log.exception("notice-failed", notice=notice.id)
                await self._later(notice, None)
        return True

    # One thing for one person.

    async def _tell(self, notice: Notice) -> bool:
        store, now = self._context.store, self._context.clock()
        surfaces = [each for each in await store.surfaces(notice.game or "") if not each.waiting]
        if notice.way is None:
            decision = await settle(self._context, notice, surfaces)
            if decision is not None and decision.way == Way.HERE:
                await self._have_it_shown(surfaces, decision.place)
            return True
        table = await self._context.table(notice.game or "")
        person = await store.person(notice.person)
        around = await around_lobby(self._context, table.row)
        card = notice_card(table, self._speaker(person), notice, around) if person is not None else None
        if person is None or card is None:
            await store.notices_told([notice.id], now)
            return True
        if notice.way == Way.PRIVATE:
            sent = await self._in_private(person, surfaces, card, _key(notice))
            if sent is None:
                self._leave(notice.id)
                return False
            if not sent.done and sent.later is None:
                # What others must not know is told on the person's own board alone then.
                secret = notice.kind == NoticeKind.PLAN
                place = None if secret else await self._fallback(person, surfaces)
                if place is not None:
                    log.info("notice-in-channel", notice=notice.id, place=place.id)
                    await store.notice_diverted(notice.id, Way.CHANNEL, place.id, now)
                    return True
                log.info("notice-undeliverable", notice=notice.id)
        else:
            place = await store.place_by_id(notice.place or 0)

            def write(speaker: Speaker) -> Card | None:
                return notice_card(table, speaker, notice, around)

            sent = await self._in_channel(place, person, write, _key(notice))
            if sent is None:
                self._leave(notice.id)
                return False
        if sent.later is not None:
            await self._later(notice, sent.later)
            return True
        if notice.kind == NoticeKind.TIME:
            await self._reminded(table, person, heard=sent.done)
        await store.notices_told([notice.id], self._context.clock())
        return True

    async def _reminded(self, table: Table, person: Person, *, heard: bool) -> None:
        """Note in a game whether a reminder of the clock has reached somebody, so that its board says if not."""
        seat, known = table.seat_of(person.id), table.row.course.unreminded
        if seat is None or table.row.status != "playing" or (seat not in known) is heard:
            return
        course = replace(table.row.course, unreminded=known ^ {seat})
        event = NewEvent("reminded" if heard else "unreminded", {"seat": seat})
        await store_step(self._context, table, replace(table.row, course=course), [event], line=table.line)

    async def _have_it_shown(self, surfaces: Sequence[Surface], place: int | None) -> None:
        """Have a board that is up to date shown anew, since it has not called whom it is to call."""
        for surface in surfaces:
            up_to_date = surface.shown_revision == surface.revision and surface.announced_turn is not None
            if surface.place.id == place and up_to_date:
                await self._context.store.add_surface(surface.game, surface.place.id, self._context.clock())

    async def _fallback(self, person: Person, surfaces: Sequence[Surface]) -> PlaceRow | None:
        """Return where a game is shown to somebody among others: the oldest such place."""
        platforms = {identity.platform for identity in await self._context.store.identities(person.id)}
        shown = [each.place for each in surfaces if each.place.platform in platforms]
        open_there = [place for place in shown if place.kind != "private" and not self._context.edits_alone(place)]
        return next(iter(open_there), None)

    async def _in_private(self, person: Person, surfaces: Sequence[Surface], card: Card, key: str) -> _Sent | None:
        """Send a card to somebody alone, on the platform where they play if it can be; None: others have to."""
        identities = await self._context.store.identities(person.id)
        near = [surface.place.platform for surface in surfaces]
        # A page that nobody looks at takes every message: it comes last, unless they play there.
        order = sorted(identities, key=lambda each: (each.platform not in near, each.platform == "web"))
        absent, later = False, list[float]()
        for identity in order:
            adapter = self._context.adapters.get(identity.platform)
            absent = absent or adapter is None
            if adapter is None or not isinstance(adapter, PrivateChats):
                continue
            try:
                async with asyncio.timeout(PATIENCE):
                    place = replace(await adapter.private_chat(identity.user), language=self._speaker(person).language)
                    await adapter.send(place, privately(card, person.id), key)
                if identity.writable is False:
                    await self._context.store.note_writable(identity.platform, identity.user, writable=True)
                return _Sent(done=True)
            except Undeliverable as error:
                log.info("not-in-private", platform=identity.platform, reason=error.reason)
                await self._context.store.note_writable(identity.platform, identity.user, writable=False)
            except (TryLater, TimeoutError) as error:
                later.append((error.seconds if isinstance(error, TryLater) else None) or IDLE)
        if not later and absent and self._context.store.shared:
            return None
        return _Sent(later=min(later, default=None))

    async def _in_channel(self, row: PlaceRow | None, person: Person, write: Write, key: str) -> _Sent | None:
        """Send what calls somebody to where others read it, too; None if another process has to."""
        adapter = self._context.adapters.get(row.platform) if row is not None else None
        if row is None or adapter is None:
            return None if row is not None and self._context.store.shared else _Sent()
        language = self._context.place_language(row)
        speaker = self._context.speaker(language)
        card = write(speaker)
        if card is None:
            return _Sent(done=True)
        name = Span(person.name or FORGOTTEN, bold=True, person=person.id)
        try:
            async with asyncio.timeout(PATIENCE):
                await adapter.send(place_of(row, language), addressed(card, {person.id: name}, speaker=speaker), key)
        except Undeliverable as error:
            log.info("notice-undeliverable", platform=row.platform, reason=error.reason)
            return _Sent()
        except (TryLater, TimeoutError) as error:
            return _Sent(later=(error.seconds if isinstance(error, TryLater) else None) or IDLE)
        return _Sent(done=True)

    # All that waits, once a day.

    async def _digest(self, notice: Notice) -> bool:
        store, now = self._context.store, self._context.clock()
        if self._next_digest is not None and now < self._next_digest:
            return False
        person = await store.person(notice.person)
        held = [each for each in await store.notices_held(notice.person, Way.DIGEST) if each.kind != DIGEST]
        around = await self._around(held) if person is not None and await self._wants_digests(person) else []
        if person is None or not around:
            await store.notice_put_off(notice.id, None)
            return True
        self._next_digest = now + PACE
        key = f"digest-{person.id}-{now:%Y%m%d}"
        surfaces = [surface for company, _ in around for surface in await store.surfaces(company.brief.id)]
        sent = await self._in_private(person, surfaces, digest_card(around, self._speaker(person), person.id), key)
        if sent is None:
            self._leave(notice.id)
            return False
        if sent.later is not None:
            await self._later(notice, sent.later)
            return True
        if not sent.done and not await self._digest_in_channels(person, around, key):
            await self._later(notice, IDLE)
            return True
        async with store.transaction():
            await store.notices_told([each.id for each in held], self._context.clock())
            await store.notice_put_off(notice.id, next_digest(person.id, person.settings, now))
        return True

    async def _wants_digests(self, person: Person) -> bool:
        if person.settings.get(WAY) == Way.DIGEST:
            return True
        choices = await self._context.store.notice_choices(person.id) if person.settings.get(APART) else {}
        return Way.DIGEST in choices.values()

    async def _around(self, held: Sequence[Notice]) -> list[tuple[Company, list[Notice]]]:
        """Return the games that notices are of, with the notices of each that are still to be told."""
        listed: list[tuple[Company, list[Notice]]] = []
        for game in dict.fromkeys(each.game for each in held if each.game is not None):
            # What is over was told once; what waits is told every day.
            mine = [
                each for each in held if each.game == game and (each.kind != NoticeKind.OVER or each.told_at is None)
            ]
            table = await self._context.table_as_stored(game) if mine else None
            if table is not None and table.row.game in installed:
                listed.append((Company(table.row, table.people), mine))
        return listed

    async def _digest_in_channels(
        self, person: Person, around: Sequence[tuple[Company, list[Notice]]], key: str
    ) -> bool:
        """Send a digest where its games are shown, by a message in each place; False if that has to be tried again."""
        places: dict[int, PlaceRow] = {}
        games: dict[int, list[tuple[Company, list[Notice]]]] = {}
        for each in around:
            place = await self._fallback(person, await self._context.store.surfaces(each[0].brief.id))
            if place is not None:
                places[place.id] = place
                games.setdefault(place.id, []).append(each)
        for number, place in places.items():

            def write(speaker: Speaker, shown: Sequence[tuple[Company, list[Notice]]] = games[number]) -> Card:
                return digest_card(shown, speaker, person.id)

            sent = await self._in_channel(place, person, write, f"{key}-{number}")
            if sent is None or sent.later is not None:
                return False
        return True

    def _speaker(self, person: Person | None) -> Speaker:
        known = (person.settings.get("language") or person.language) if person is not None else None
        return self._context.speaker(known)

    def _leave(self, notice: int) -> None:
        self._elsewhere[notice] = self._context.clock() + timedelta(seconds=ANOTHERS)

    async def _later(self, notice: Notice, asked: float | None) -> None:
        pause = pause_after(notice.attempts, asked)
        await self._context.store.notice_failed(notice.id, self._context.clock() + pause)


def _key(notice: Notice) -> str:
    """Return what stands for a notice where messages are told apart; ids are given anew once a notice is past."""
    return f"notice-{notice.person}-{notice.kind}-{notice.subject}"
