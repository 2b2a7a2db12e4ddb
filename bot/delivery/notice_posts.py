"""Posts of notices: one subject sent to one person, and the digest of everything that waits for them."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

import structlog

from bot.core.context import Context
from bot.core.features import read_notice_content
from bot.core.notice_routes import CHANNEL_ROUTES_SETTING, ROUTE_SETTING, NoticeKind, Route, next_digest_at
from bot.core.post_kinds import PostKind, Rendering, Showing
from bot.delivery.notice_cards import digest_card, notice_card
from bot.interface.cards import Card
from bot.interface.requests import Undeliverable
from bot.language.texts import Span, Speaker
from bot.lobby.lobby_context import read_lobby_context
from bot.notices.rules import with_mentions, with_private_mention
from bot.play.service import store_step
from bot.tables.table import GamePeople
from engine import games as installed
from engine.record_fields import FORGOTTEN_NAME
from storage import NewEvent, Notice, Person, PlaceRow, Post
from storage.notices import DIGEST_KIND

NOTICE: Final = "notice"
"""The kind of post that tells a notice to a person; its subject is what the notice is known by."""
DIGEST: Final = "digest"
"""The kind of post that tells a person once a day of everything; its subject is the person and the date."""

log = structlog.get_logger(__name__)

GameWithNotices = tuple[GamePeople, Sequence[Notice]]


def notice_subject(notice: Notice) -> str:
    """Return the subject of a notice's post; row ids are reused once a notice is gone."""
    return f"{notice.person}-{notice.kind}-{notice.subject}"


def digest_subject(person: Person, now: datetime) -> str:
    """Return the subject of a person's digest of a day."""
    return f"{person.id}-{now:%Y%m%d}"


class _PersonalKind(PostKind):
    """A message for one person: in their private chat in their language, in a channel with a mention of them."""

    waits = False

    def _speaker(self, showing: Showing, person: Person) -> Speaker:
        if showing.post.place.kind != "private":
            return self._context.place_speaker(showing.post.place)
        showing.language = self._context.person_language(person)
        return self._context.speaker(showing.language, showing.adapter.platform)

    def _addressed(self, showing: Showing, card: Card, person: Person, speaker: Speaker) -> Card:
        if showing.post.place.kind == "private":
            return with_private_mention(card, person.id)
        name = Span(person.name or FORGOTTEN_NAME, bold=True, person=person.id)
        return with_mentions(card, {person.id: name}, speaker=speaker)

    async def _record_reached(self, post: Post, person: int) -> None:
        """Record that a person's private chat takes messages."""
        if post.place.kind == "private":
            for identity in await self._context.store.people.identities(person):
                if identity.platform == post.place.platform and identity.can_dm is False:
                    await self._context.store.people.record_reachability(
                        identity.platform, identity.user_id, can_dm=True
                    )


class NoticePost(_PersonalKind):
    """A notice sent as a message of its own."""

    async def render(self, showing: Showing) -> Rendering | None:
        """Return what a person is notified of, None if that is out of date."""
        store = self._context.store
        notice = await self._find(showing.post)
        person = await store.people.get(notice.person) if notice is not None else None
        if notice is None or person is None or notice.delivered_at is not None:
            return None
        speaker = self._speaker(showing, person)
        card = await self._write(notice, speaker)
        if card is None:
            await store.notices.record_delivered([notice], self._context.clock())
            return None
        card = self._addressed(showing, card, person, speaker)
        return Rendering(card, revision=showing.post.revision, notices=(notice,), last=True)

    async def on_shown(self, post: Post) -> None:
        """A game remembers whom its reminders have reached."""
        if (notice := await self._find(post)) is not None:
            await self._record_reached(post, notice.person)
            await record_reminder(self._context, notice, is_delivered=True)

    async def on_undeliverable(self, post: Post, error: Undeliverable) -> None:
        """The notice is routed anew: another private chat, or a channel."""
        notice = await self._find(post)
        if notice is not None and notice.delivered_at is None:
            place = None if post.place.kind == "private" else post.place.id
            route = notice.route or Route.PRIVATE
            if place is not None:
                # A channel was the last resort.
                await record_reminder(self._context, notice, is_delivered=False)
                await self._context.store.notices.record_delivered([notice], self._context.clock())
            else:
                await self._context.store.notices.reroute(notice, route, None, self._context.clock())
                self._context.signals.wake("notices")

    async def _find(self, post: Post) -> Notice | None:
        person, kind, subject = post.subject.split("-", 2)
        return await self._context.store.notices.find(int(person), kind, subject)

    async def _write(self, notice: Notice, speaker: Speaker) -> Card | None:
        if notice.game is None:
            found = await read_notice_content(self._context, notice)
            return None if found is None else found.write(speaker)
        table = await self._context.table(notice.game)
        return notice_card(table, speaker, notice, await read_lobby_context(self._context, table.row))


class DigestPost(_PersonalKind):
    """Once a day, every game in which something waits for a person, or that is over."""

    async def render(self, showing: Showing) -> Rendering | None:
        """Return a person's digest; in a channel only the games that are shown there."""
        person = await self._context.store.people.get(_person_of(showing.post))
        if person is None:
            return None
        shown = await self._list_games(showing.post, person)
        if not shown:
            await self._schedule_next(person)
            return None
        speaker = self._speaker(showing, person)
        card = self._addressed(showing, digest_card(shown, speaker, person.id), person, speaker)
        return Rendering(card, last=True)

    async def on_shown(self, post: Post) -> None:
        """What it listed is delivered, and the next digest scheduled."""
        store = self._context.store
        person = await store.people.get(_person_of(post))
        if person is None:
            return
        await self._record_reached(post, person.id)
        held = [notice for _, notices in await self._list_games(post, person) for notice in notices]
        async with store.transaction():
            await store.notices.record_delivered(held, self._context.clock())
            await self._schedule_next(person)

    async def on_undeliverable(self, post: Post, error: Undeliverable) -> None:
        """Another private chat takes it, or channels do."""
        person, now = _person_of(post), self._context.clock()
        for notice in await self._context.store.notices.list_for_person(person, Route.DIGEST):
            if notice.kind == DIGEST_KIND:
                await self._context.store.notices.postpone(notice, now)
        self._context.signals.wake("notices")

    async def _list_games(self, post: Post, person: Person) -> list[GameWithNotices]:
        listed = await list_digest_games(self._context, person)
        if post.place.kind == "private":
            return listed
        here = []
        for waiting, notices in listed:
            place = await fallback_place(
                self._context, person, await self._context.store.posts.list_for_game(waiting.brief.id)
            )
            here += [(waiting, notices)] if place is not None and place.id == post.place.id else []
        return here

    async def _schedule_next(self, person: Person) -> None:
        store, now = self._context.store, self._context.clock()
        for notice in await store.notices.list_for_person(person.id, Route.DIGEST):
            if notice.kind == DIGEST_KIND:
                await store.notices.postpone(notice, next_digest_at(person.id, person.settings, now))


def _person_of(post: Post) -> int:
    return int(post.subject.partition("-")[0])


async def list_digest_games(context: Context, person: Person) -> list[GameWithNotices]:
    """Return the games of a person's digest, each with its notices that are still to be reported."""
    if not await _wants_digests(context, person):
        return []
    held = await context.store.notices.list_for_person(person.id, Route.DIGEST)
    listed: list[GameWithNotices] = []
    for game in dict.fromkeys(each.game for each in held if each.game is not None):
        # A finished game is reported once; a waiting one every day.
        mine = [each for each in held if each.game == game and (each.kind != NoticeKind.OVER or not each.delivered_at)]
        table = await context.table_as_stored(game) if mine else None
        if table is not None and table.row.game in installed:
            listed.append((GamePeople(table.row, table.people), mine))
    return listed


async def _wants_digests(context: Context, person: Person) -> bool:
    if person.settings.get(ROUTE_SETTING) == Route.DIGEST:
        return True
    apart = person.settings.get(CHANNEL_ROUTES_SETTING)
    return bool(apart) and Route.DIGEST in (await context.store.notices.choices(person.id)).values()


async def fallback_place(context: Context, person: Person, shown: Sequence[Post]) -> PlaceRow | None:
    """Return the oldest shared place where a game is shown to a person, or None."""
    platforms = {identity.platform for identity in await context.store.people.identities(person.id)}
    for place in (post.place for post in shown):
        if place.platform in platforms and place.kind != "private" and not context.edits_alone(place):
            return place
    return None


async def record_reminder(context: Context, notice: Notice, *, is_delivered: bool) -> None:
    """Record in a game whether a reminder of its clock has reached a player, so that its board says if not."""
    if notice.kind != NoticeKind.TIME or notice.game is None:
        return
    table = await context.table(notice.game)
    seat, known = table.seat_of(notice.person), table.row.course.unreminded
    if seat is None or table.row.status != "playing" or (seat not in known) is is_delivered:
        return
    course = replace(table.row.course, unreminded=known ^ {seat})
    event = NewEvent("reminded" if is_delivered else "unreminded", {"seat": seat})
    await store_step(context, table, replace(table.row, course=course), [event], line=table.line)
