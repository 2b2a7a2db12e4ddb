"""Boards: the post that shows a game in a place, with those whom it calls; and where it moves to a thread."""

from dataclasses import replace

from bot.core.context import Context
from bot.core.features import BoardExtra, load_board_extra
from bot.core.post_kinds import PostKind, Rendering, Showing
from bot.core.question_cards import NO_SPOTS
from bot.delivery.offers import promise_offers
from bot.delivery.threads import LOBBY_ANNOUNCEMENT, move_to_thread, open_thread_message
from bot.interface.cards import Card, Picture
from bot.interface.requests import Undeliverable
from bot.lobby.cards import lobby_card
from bot.lobby.lobby_context import read_lobby_context
from bot.notices.rules import notices_for_post, notices_on_board, with_notices
from bot.play.card_parts import headline, wants_text, with_offers, with_position_in_words
from bot.play.cards import board_card
from bot.play.replaying import table_after
from bot.play.views import shared_view
from bot.tables.table import NotInstalled, Table
from storage import PlaceRow, PlayersHere, Post


def announcement_number(table: Table) -> int:
    """Return the number of the announcement that a new message is due for: lobby, each player's turn, end."""
    if table.line is None:
        return LOBBY_ANNOUNCEMENT
    return (table.line.state.turn << 4) | (1 if table.mover is None else table.mover + 2)


class BoardPost(PostKind):
    """The newest position of a game, or its lobby."""

    async def render(self, showing: Showing) -> Rendering | None:
        """Return the board, announced to those whose turn it is; None once the game is shown in its thread."""
        table = await self._read_at_one_moment(showing)
        if showing.post.gone or showing.post.waiting:
            return None
        if showing.adapter.has_threads:
            await open_thread_message(showing, table)
            if await move_to_thread(showing, table):
                return None
        post, stays = showing.post, showing.adapter.draws_for_readers
        number = announcement_number(table)
        if post.message is not None and post.announced and table.level_at(table.mover) is not None:
            number = post.announced  # a computer's turn mentions nobody: the old message says it thinks
        called = await notices_for_post(self._context, showing.found)
        await retire_other_games(self._context, post)
        await promise_offers(self._context, post, table, called)
        called = notices_on_board(called, table.row)
        unsent = tuple(each for each in called if each.delivered_at is None)
        card = await self.card(table, post.place, showing.found.players_here)
        card = replace(card, user_ids=showing.found.user_ids)
        return Rendering(
            with_notices(self._context, card, table, post, unsent),
            edited=with_notices(self._context, card, table, post, called),
            announced=number,
            revision=table.row.revision,
            notices=unsent,
            # Where everybody gets their own drawing, one message stands for the game; the place announces its turns.
            lasting=stays,
        )

    async def redraw(self, post: Post, revision: int) -> Picture | None:
        """Return the picture of a game's board after a revision."""
        then = await table_after(self._context, await self._context.table(post.subject), revision)
        return await self._picture(then, post.place, BoardExtra())

    async def on_undeliverable(self, post: Post, error: Undeliverable) -> None:
        """People who were to be notified there are notified elsewhere, or there once it is open again."""
        await self._context.store.notices.reopen(self._context.clock(), game=post.game, place=post.place.id)
        await show_in_channel(self._context, post)

    async def _read_at_one_moment(self, showing: Showing) -> Table:
        """Return a game's table at the same step as its post and notices: a board and whom it mentions.

        A step that is stored between the two reads has both read again.
        """
        store, game = self._context.store, showing.post.subject
        while True:
            table = await self._table(game)
            if (table.row.revision, table.row.to_move) == (showing.post.revision, showing.found.to_move):
                return table
            store.cache.put_right({game: None})  # an operator may have changed the file by other means
            again = await store.posts.get_with_notices(showing.post.id)
            if again is None:
                showing.found = replace(showing.found, post=replace(showing.post, gone=True))
                return table
            showing.found = again

    async def _table(self, game: str) -> Table:
        """Return a game's table; of a game that ended while not installed, only what can be shown: that it ended."""
        try:
            return await self._context.table(game)
        except NotInstalled:
            table = await self._context.table_as_stored(game)
            reason = (table.row.outcome or {}).get("reason")
            if table.row.status != "over" or not self._context.speaker(None).has(f"ended.{reason}"):
                raise
            return table

    async def card(self, table: Table, place: PlaceRow, here: PlayersHere | None = None) -> Card:
        """Return the card that shows a table in a place, in its language and theme."""
        speaker = self._context.place_speaker(place)
        if table.line is None:
            lobby = lobby_card(table, table.row, speaker, await read_lobby_context(self._context, table.row, place))
            return replace(lobby, headline=headline(table))
        extra = await load_board_extra(self._context, table, place, speaker)
        if self._context.draws_for_readers(place.platform):
            return extra.added_to(replace(board_card(table, speaker), headline=headline(table)))
        picture = await self._picture(table, place, extra, here)
        spots = picture.spots if picture is not None else NO_SPOTS
        alone = self._context.edits_alone(place)
        board = board_card(table, speaker, spots=spots, typed=not alone)
        card = extra.added_to(replace(board, headline=headline(table)))
        if table.row.status == "playing" and alone:
            card = with_offers(card, table, speaker.of(table.row.game))
        if wants_text(place.effective):
            card = with_position_in_words(card, table, speaker)
        return replace(card, picture=picture)

    async def _picture(
        self, table: Table, place: PlaceRow, extra: BoardExtra, here: PlayersHere | None = None
    ) -> Picture | None:
        """Return the picture of a table's board as everybody in a place sees it."""
        speaker = self._context.place_speaker(place)
        view = replace(await shared_view(self._context, table, place, here), hint=extra.hint)
        return await self._context.artist.picture(table, speaker, view)


async def retire_other_games(context: Context, post: Post) -> None:
    """Close the posts of earlier games in a place that is a single message: it shows one game."""
    where = post.place
    if post.message is not None or not context.edits_alone(where):
        return
    over = await context.store.games.last_finished_in(where.id)
    shown = [brief.id for brief in await context.store.games.list_in_place(where.id)]
    for game in [*shown, *([over] if over is not None else [])]:
        for other in await context.store.posts.list_for_game(game):
            if other.place.id == where.id and other.id < post.id:
                await context.store.posts.close(other.id)


async def show_in_channel(context: Context, post: Post) -> None:
    """Show a competition's game in the channel where its player entered, if their private chat is closed to the bot."""
    row = await context.store.games.get(post.subject) if post.place.kind == "private" else None
    if row is None or row.terms.cup is None or row.status != "playing":
        return
    seated = {entry.person for entry in row.seats}
    for entry in await context.store.competitions.entrants(row.terms.cup):
        place = await context.store.places.get(entry.place or 0) if entry.person in seated else None
        if place is not None and place.kind == "group" and place.platform == post.place.platform:
            await context.store.posts.add(row.id, place.id, context.clock())
