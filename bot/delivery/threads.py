"""Threads of games: who gets one, the message from which it starts, and the move of a board into it."""

from contextlib import suppress
from dataclasses import replace
from typing import Final

from bot.core.post_kinds import Showing
from bot.interface.cards import Card
from bot.interface.requests import Undeliverable
from bot.language.texts import Span, Speaker, Text
from bot.tables.table import Table
from storage import PlaceRow, ShownPost

MIN_PLAYERS_FOR_THREAD: Final = 3
"""Number of players from which a game gets its own thread by default."""
LOBBY_ANNOUNCEMENT: Final = 0
"""The announcement number of a game that has not started."""


def wants_thread(place: PlaceRow, table: Table) -> bool:
    """Return True if a game in a place should have its own thread, where the platform allows one.

    A setting decides; by default games of three and more players have one, since their boards would fill the channel,
    and so has a game of a competition.
    """
    if place.kind != "group" or place.thread is not None or place.guest:
        return False
    chosen = place.effective.get("threads")
    if table.row.terms.cup is not None:
        return chosen is not False
    return table.row.seat_count >= MIN_PLAYERS_FOR_THREAD if chosen is None else bool(chosen)


async def open_thread_message(showing: Showing, table: Table) -> None:
    """Send a message from which a thread can start, if the game has begun without a lobby."""
    post, line = showing.post, table.line
    fresh = post.message is None and post.announced is None and line is not None
    if not fresh or not wants_thread(post.place, table) or line is None or line.state.turn >= table.row.seat_count:
        return
    if table.row.terms.cup is None and not any(entry.computer for entry in table.row.seats):
        return
    voice, context = _voice(showing, table), showing.context
    card = Card(voice.say("lobby.begins", game=voice.line("name"), who=_players(voice, table)))
    message = await showing.adapter.send(showing.place, card, f"{post.id}-{LOBBY_ANNOUNCEMENT}-")
    shown = ShownPost(message, 0, LOBBY_ANNOUNCEMENT)
    noted = await context.store.posts.record_shown(post, shown, context.clock())
    showing.found = replace(showing.found, post=noted or post)


async def move_to_thread(showing: Showing, table: Table) -> bool:
    """Move a game that has just begun to its own thread, say so in its lobby, and return whether that was done.

    Raises TryLater until its old messages are retired, and where the platform asks for time.
    """
    post, adapter, context = showing.post, showing.adapter, showing.context
    begun = table.line is not None and post.announced == LOBBY_ANNOUNCEMENT and post.message is not None
    if not begun or not wants_thread(post.place, table):
        return False
    voice, row, store = _voice(showing, table), post.place, context.store
    title = f"{voice.line('name')}: {' – '.join(table.in_language(voice).names)}"
    thread = await adapter.open_thread(showing.place, post.message or "", title)
    if thread is None:
        return False
    _, waits = await showing.retire(adapter, post)
    if waits is not None:
        raise waits
    with suppress(Undeliverable):
        said = voice.say("lobby.in-thread", game=voice.line("name"), who=_players(voice, table))
        await adapter.edit(showing.place, post.message or "", Card(said))
    there = await store.places.get_or_create(row.platform, row.channel, thread, row.group, row.kind, row.title)
    async with store.transaction():
        await store.posts.add(post.subject, there.id, context.clock())
        await store.posts.close(post.id)
        await store.notices.reopen(context.clock(), game=post.game, place=row.id)
    showing.found = replace(showing.found, post=replace(post, gone=True))
    return True


def _voice(showing: Showing, table: Table) -> Speaker:
    return showing.context.place_speaker(showing.post.place).of(table.row.game)


def _players(voice: Speaker, table: Table) -> Text:
    return voice.listing([Span(name, bold=True) for name in table.in_language(voice).names])
