"""Boards: the post that shows a game in a place and mentions its people; and the move of a game to a thread."""

from collections.abc import Collection
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Final

from bot.kernel.cards import Card, Picture
from bot.kernel.context import Context
from bot.kernel.post_kinds import PostKind, Rendering, Showing, digest_of_card
from bot.kernel.preferences import NoticeKind
from bot.kernel.question_cards import NO_SPOTS
from bot.kernel.requests import TryLater, Undeliverable
from bot.kernel.table import NotInstalled, Table, has_computer, list_asked_people
from bot.kernel.texts import Span, Speaker, Text, join
from bot.lobby.cards import boards_come_late, lobby_card, read_lobby_context
from bot.lobby.teams.cards import BoardExtra, read_board_extra
from bot.table.card_parts import (
    answered_offer_card,
    headline,
    offer_card,
    offer_rows,
    shared_view,
    wants_text,
    with_position_in_words,
)
from bot.table.cards import board_card
from bot.table.clocks import DELIVERY_DELAY, start_clock, waits_for_board
from bot.table.notices import notices_for_post, notices_on_board, offers_by_subject, with_notices
from bot.table.replaying import table_after
from storage import NewPost, News, Notice, Offer, PlaceRow, Post, ShownPost

OFFER: Final = "offer"
"""The post kind of an offer; its subject is the subject of the offer's notices."""


def list_pending(table: Table) -> dict[str, Offer]:
    """Return the pending offers of a game, by the subjects of their notices."""
    if not table.row.offers.pending or not table.row.is_playing or table.line is None:
        return {}
    pending = offers_by_subject(table.row)
    return {subject: offer for subject, offer in pending.items() if list_asked_people(table, offer)}


class OfferPost(PostKind):
    """An offer of a game, until it is answered."""

    is_kept = False

    async def render(self, showing: Showing) -> Rendering | None:
        """Return the offer and whom it asks, or how it was answered; None if no one was asked here."""
        context, post = self._context, showing.post
        table = await context.table(post.game)
        voice = _voice(showing, table)
        offer = list_pending(table).get(post.subject)
        if offer is None:
            if post.message is None or post.removes_old_messages:
                return None
            card = answered_offer_card(table, voice, post.subject)
            return Rendering(card, announced=post.announced or 1, revision=table.row.revision, last=True)
        unsent = _list_unsent(await notices_for_post(context, showing.found), post.subject)
        card = offer_card(table, voice, offer)
        boards = await context.store.posts.list_for_game(table.id)
        board = next((each.message for each in boards if each.place.id == post.place.id), None)
        return Rendering(
            replace(with_notices(card, table, post, unsent, voice), about=board),
            edited=card,
            revision=table.row.revision,
            content=digest_of_card(card),
            notices=unsent,
            once=True,
        )


def _list_unsent(notices: Collection[Notice], subject: str) -> tuple[Notice, ...]:
    called = [each for each in notices if each.kind == NoticeKind.OFFER and each.subject == subject]
    return tuple(each for each in called if each.delivered_at is None)


MIN_PLAYERS_FOR_THREAD: Final = 3
"""Number of players from which a game gets its own thread by default."""
LOBBY_ANNOUNCEMENT: Final = 0
"""The announcement number of a game that has not started."""
MAX_READINGS: Final = 5
"""How often a game and its post are read before the board is left for later, because they keep differing."""


def wants_thread(place: PlaceRow, table: Table) -> bool:
    """Return True if a game in a place should have its own thread, where the platform allows one.

    A setting of the place decides. By default, games of three and more players have a thread, since their boards would
    fill the channel, and so do games of a competition.
    """
    if place.kind != "group" or place.thread is not None or place.guest:
        return False
    chosen = place.effective.get("threads")
    if table.row.terms.cup is not None:
        return chosen is not False
    return table.row.seat_count >= MIN_PLAYERS_FOR_THREAD if chosen is None else bool(chosen)


async def move_to_thread(showing: Showing, table: Table) -> bool:
    """Move a game that has just begun to its own thread, announced in its lobby; return True if it was moved.

    A game without a lobby gets a message from which the thread can start. Raises TryLater until the game's old messages
    are retired, and if the platform asks us to wait.
    """
    adapter, context, line = showing.adapter, showing.context, table.line
    if line is None or not wants_thread(showing.post.place, table):
        return False
    voice, row, store = _voice(showing, table), showing.post.place, context.store
    name, players = voice.game_name(), _players(voice, table)
    if showing.post.message is None and showing.post.announced is None:
        has_lobby = table.row.terms.cup is None and not has_computer(table.row)
        if has_lobby or line.state.turn >= table.row.seat_count:
            return False
        begins = Card(voice.say("lobby.begins", game=name, who=players))
        message = await adapter.send(showing.place, begins, f"{showing.post.id}-{LOBBY_ANNOUNCEMENT}-")
        shown = ShownPost(message, 0, LOBBY_ANNOUNCEMENT)
        noted = await store.posts.record_shown(showing.post, shown, context.clock())
        showing.found = replace(showing.found, post=noted or showing.post)
    post = showing.post
    if post.announced != LOBBY_ANNOUNCEMENT or post.message is None:
        return False
    title = f"{name}: {' – '.join(table.in_language(voice).names)}"
    thread = await adapter.open_thread(showing.place, post.message, title)
    if thread is None:
        return False
    _, waits = await showing.retire(adapter, post)
    if waits is not None:
        raise waits
    with suppress(Undeliverable):
        await adapter.edit(showing.place, post.message, Card(voice.say("lobby.in-thread", game=name, who=players)))
    there = await store.places.get_or_create(row.platform, row.channel, thread, row.group, row.kind, row.title)
    async with store.transaction():
        await store.posts.add(post.subject, there.id, context.clock())
        await store.posts.close(post.id)
        await store.notices.reopen(context.clock(), game=post.game, place=row.id)
    showing.found = replace(showing.found, post=replace(post, gone=True))
    return True


def _voice(showing: Showing, table: Table) -> Speaker:
    return table.words_for(showing.context.place_speaker(showing.post.place))


def _players(voice: Speaker, table: Table) -> Text:
    return voice.listing([Span(name, bold=True) for name in table.in_language(voice).names])


def announcement_number(table: Table) -> int:
    """Return the number of the current announcement: lobby, each player's turn, end. A new one needs a new message."""
    if table.line is None:
        return LOBBY_ANNOUNCEMENT
    return (table.line.state.turn << 4) | (1 if table.mover is None else table.mover + 2)


class BoardPost(PostKind):
    """The newest position of a game, or its lobby."""

    async def render(self, showing: Showing) -> Rendering | None:
        """Return the board, which mentions those whose turn it is; None once the game is shown in its thread."""
        table = await self._read_at_one_moment(showing)
        if showing.post.gone or showing.post.waiting:
            return None
        if showing.adapter.has_threads and await move_to_thread(showing, table):
            return None
        post = showing.post
        number = announcement_number(table)
        if post.message is not None and post.announced and table.level_at(table.mover) is not None:
            number = post.announced  # a computer's turn mentions no one: the old message shows that it is thinking
        is_awaited = table.row.deadline is not None and waits_for_board(table.row, self._clock())
        called = await notices_for_post(self._context, showing.found)
        if self._context.edits_alone(post.place):
            if post.message is None:
                # The place is a single message, which shows only its newest game.
                await self._store.posts.close_earlier(post)
        else:
            # Every offer has a message next to the board, shown again for unsent notices.
            for subject in list_pending(table):
                offered = NewPost(OFFER, subject, post.place.id, self._clock(), game=post.game)
                if not await self._store.posts.promise(offered) and _list_unsent(called, subject):
                    await self._store.posts.show(offered)
        called = notices_on_board(called, table.row)
        unsent = tuple(each for each in called if each.delivered_at is None)
        card = replace(await self.card(table, post.place), user_ids=showing.found.user_ids)
        speaker = self._context.place_speaker(post.place)
        return Rendering(
            with_notices(card, table, post, unsent, speaker),
            edited=with_notices(card, table, post, called, speaker),
            announced=number,
            revision=table.row.revision,
            notices=unsent,
            # Where each reader gets their own drawing, the game keeps one message; others announce its turns.
            lasting=showing.adapter.draws_for_readers,
            after=partial(self._start_clock, table, post.place) if is_awaited else None,
        )

    async def on_rate_limit(self, post: Post, until: datetime) -> None:
        """Stop the clock of a live game while a rate limit keeps its board from being shown."""
        table, begins = await self._context.table(post.subject), until + DELIVERY_DELAY
        if not waits_for_board(table.row, begins):
            await self._start_clock(table, post.place, begins)

    async def _start_clock(self, table: Table, place: PlaceRow, begins: datetime | None = None) -> None:
        """Start a waiting clock of a live game, by default now, if the board is shown where the player to move is."""
        now, mover = self._clock(), table.row.to_move
        if mover is None or not waits_for_board(table.row, now):
            return
        if await self._store.places.filter_seen(place.id, [mover]):
            row = start_clock(table.row, table.people, begins or now, now)
            await self._store.alarms.set_deadline(table.row, row.deadline, row.alarm_at)

    async def redraw(self, post: Post, revision: int) -> Picture | None:
        """Return the picture of a game's board after a revision."""
        then = await table_after(self._context, await self._context.table(post.subject), revision)
        return await self._picture(then, post.place, BoardExtra())

    async def retired_card(self, post: Post, revision: int | None) -> Card | None:
        """Return the last card of a lobby whose game has begun in a newer message: no one can join any more."""
        if revision != LOBBY_ANNOUNCEMENT:
            return None
        table = await self._context.table(post.subject)
        voice = table.words_for(self._context.place_speaker(post.place))
        if table.row.started_at is None:
            return None
        return Card(voice.say("lobby.has-begun", game=voice.game_name(), who=_players(voice, table)))

    async def on_undeliverable(self, post: Post, error: Undeliverable) -> None:
        """Route the notices of this board's people through another place, or here once it is open again."""
        await self._store.notices.reopen(self._clock(), game=post.game, place=post.place.id)
        await show_in_channel(self._context, post)

    async def _read_at_one_moment(self, showing: Showing) -> Table:
        """Return a game's table at the same revision as its post and notices.

        If the game changes between the two reads, both are repeated. For a game that ended while not installed, the
        table only says that it ended. Raises TryLater where the two still differ after MAX_READINGS readings.
        """
        store, game = self._store, showing.post.subject
        for _ in range(MAX_READINGS):
            try:
                table = await self._context.table(game)
            except NotInstalled:
                table = await self._context.table_as_stored(game)
                reason = (table.row.outcome or {}).get("reason")
                if not table.row.is_over or not self._context.speaker(None).has(f"ended.{reason}"):
                    raise
            if (table.row.revision, table.row.to_move) == (showing.post.revision, showing.found.to_move):
                return table
            store.cache.put_right([News("table", game)])  # an operator may have changed the file by other means
            again = await store.posts.get_with_notices(showing.post.id)
            if again is None:
                showing.found = replace(showing.found, post=replace(showing.post, gone=True))
                return table
            showing.found = again
        raise TryLater

    async def card(self, table: Table, place: PlaceRow) -> Card:
        """Return the card that shows a table in a place, in its language and theme."""
        speaker = self._context.place_speaker(place)
        if table.line is None:
            lobby = lobby_card(table, speaker, await read_lobby_context(self._context, table.row, place))
            return replace(lobby, headline=headline(table))
        extra = await read_board_extra(self._context, table, place, speaker)
        if self._context.draws_for_readers(place.platform):
            return extra.added_to(replace(board_card(table, speaker), headline=headline(table)))
        picture = await self._picture(table, place, extra)
        spots = picture.spots if picture is not None else NO_SPOTS
        alone = self._context.edits_alone(place)
        board = board_card(table, speaker, spots=spots, typed=not alone)
        if table.playing.state.turn < table.row.seat_count and await boards_come_late(self._context, table.row, place):
            board = replace(board, text=join([board.text, speaker.say("lobby.late")]))
        card = extra.added_to(replace(board, headline=headline(table)))
        if alone:
            # Offers have no messages of their own there: the board has their buttons.
            voice = table.words_for(speaker)
            answers = [row for offer in list_pending(table).values() for row in offer_rows(table, voice, offer)]
            card = replace(card, rows=(*answers, *card.rows))
        if wants_text(place.effective):
            card = with_position_in_words(card, table, speaker)
        return replace(card, picture=picture)

    async def _picture(self, table: Table, place: PlaceRow, extra: BoardExtra) -> Picture | None:
        """Return the picture of a table's board for everybody in a place."""
        speaker = self._context.place_speaker(place)
        view = replace(await shared_view(self._context, table, place), hint=extra.hint)
        return await self._context.artist.picture(table, speaker, view)


async def show_in_channel(context: Context, post: Post) -> None:
    """Show a competition's game in the channel where its player entered, if their private chat is closed to the bot."""
    row = await context.store.games.get(post.subject) if post.place.kind == "private" else None
    if row is None or row.terms.cup is None or not row.is_playing:
        return
    seated = {entry.person for entry in row.seats}
    for entry in await context.store.competitions.entrants(row.terms.cup):
        place = await context.store.places.get(entry.place or 0) if entry.person in seated else None
        if place is not None and place.kind == "group" and place.platform == post.place.platform:
            await context.store.posts.add(row.id, place.id, context.clock())
