"""Offers: the post that asks for an answer beside a board, and says afterwards how it was answered."""

from collections.abc import Collection
from dataclasses import replace
from typing import Final

from bot.core.context import Context
from bot.core.notice_routes import NoticeKind
from bot.core.post_kinds import PostKind, Rendering, Showing, digest_of_card
from bot.notices.rules import notices_for_post, offer_subject, with_mentions
from bot.play.card_parts import answered_offer_card, offer_card
from bot.tables.table import Table, list_asked_people
from storage import NewPost, Notice, Offer, Post

OFFER: Final = "offer"
"""The kind of post of an offer; its subject is that of the offer's notices."""


def list_pending(table: Table) -> dict[str, Offer]:
    """Return the offers of a game that can be answered, by the subjects of their notices."""
    if table.row.status != "playing" or table.line is None:
        return {}
    pending = [offer for offer in table.row.offers.pending if list_asked_people(table, offer)]
    return {offer_subject(table.row.id, offer): offer for offer in pending}


async def promise_offers(context: Context, board: Post, table: Table, notices: Collection[Notice]) -> None:
    """Promise a message for every offer of a game where its board is, again for those whom none has called.

    `notices` are those shown where the board is.
    """
    if context.edits_alone(board.place):
        return  # the board itself has their buttons
    for subject in list_pending(table):
        post = NewPost(OFFER, subject, board.place.id, context.clock(), game=board.game)
        if not await context.store.posts.promise(post) and _list_unsent(notices, subject):
            await context.store.posts.show(post)


class OfferPost(PostKind):
    """An offer of a game, until it is answered."""

    async def render(self, showing: Showing) -> Rendering | None:
        """Return what is asked of whom, or how it was answered; None if nobody was asked here."""
        context, post = self._context, showing.post
        table = await context.table(post.game or "")
        voice = context.place_speaker(post.place).of(table.row.game)
        offer = list_pending(table).get(post.subject)
        if offer is None:
            if post.message is None or showing.removes_old_messages:
                return None
            card = answered_offer_card(table, voice, post.subject)
            return Rendering(card, announced=post.announced or 1, revision=table.row.revision, last=True)
        unsent = _list_unsent(await notices_for_post(context, showing.found), post.subject)
        calls = {each.person: table.person_span(each.person) for each in unsent}
        card = offer_card(table, voice, offer)
        boards = await context.store.posts.list_for_game(table.row.id)
        board = next((each.message for each in boards if each.place.id == post.place.id), None)
        return Rendering(
            replace(with_mentions(card, calls, speaker=voice), about=board),
            edited=card,
            revision=table.row.revision,
            content=digest_of_card(card),
            notices=unsent,
            once=True,
        )


def _list_unsent(notices: Collection[Notice], subject: str) -> tuple[Notice, ...]:
    mine = [each for each in notices if each.kind == NoticeKind.OFFER and each.subject == subject]
    return tuple(each for each in mine if each.delivered_at is None)
