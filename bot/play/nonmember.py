"""Games where the bot is no member: they are shown only in replies, which wait for a computer's turn.

The reply is the board itself, with the computer's turn on it; every press shows it anew in its place.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from typing import Final

from bot.core.context import Context
from bot.core.request_context import RequestContext
from bot.entry.choices import Question
from bot.interface.presses import Press
from bot.interface.refusals import Refused
from bot.interface.requests import Reply
from bot.play.card_parts import wants_text, with_position_in_words
from bot.play.cards import nonmember_card
from bot.play.views import private_view
from storage import GameBrief, GameRow


async def wait_for_computer(context: Context, game: str, timeout_seconds: float) -> None:
    """Wait until no computer has to act in a game, or can for now, or until the timeout."""
    signals = context.signals
    with suppress(TimeoutError):
        async with asyncio.timeout(timeout_seconds):
            while True:
                end = signals.next_computer_done
                row = await context.store.games.get(game)
                if row is None or not row.thinking or game in signals.resting:
                    return
                await end.wait()


COMPUTER_REPLY_TIMEOUT_SECONDS: Final = 30.0
"""Maximum seconds that a reply waits for a computer's turn; after that it says that it is thinking."""


def is_answer_only(asker: RequestContext) -> bool:
    """Return True if only private replies can be shown where the person asks."""
    return asker.request.nonmember and not asker.request.place.guest


def shows_game_in_answers(asker: RequestContext, brief: GameBrief) -> bool:
    """Return True if a game is shown in replies where the person asks: a solo game, or one that only they would see."""
    others = [entry for entry in brief.seats if entry.computer is None and entry.person != asker.person.id]
    return asker.request.nonmember and (is_answer_only(asker) or not others)


async def is_shown_nowhere_else(context: Context, asker: RequestContext, game: str) -> bool:
    """Return True if a game is shown only in replies where the person asks."""
    if not asker.request.nonmember or is_answer_only(asker):
        return asker.request.nonmember
    return all(post.place.id != asker.place.id for post in await context.store.posts.list_for_game(game))


PressHandler = Callable[[Context, RequestContext, Press], Awaitable[Reply]]


async def board_reply(context: Context, asker: RequestContext, game: str) -> Reply:
    """Return a game's board as a reply, once it is a person's move again."""
    await wait_for_computer(context, game, COMPUTER_REPLY_TIMEOUT_SECONDS)
    table = await context.table(game)
    seat = table.seat_of(asker.person.id)
    if seat is None or table.line is None:
        raise Refused("refusal.stale")
    asked = table.line.ask() if seat == table.mover else None
    first = asked if isinstance(asked, Question) else None
    card = nonmember_card(table, asker.mine, first, seat)
    if wants_text(asker.person.settings, asker.place.effective):
        card = with_position_in_words(card, table, asker.mine)
    view = await private_view(context, asker, table, choices=first.picture_choices if first else None)
    picture = await context.artist.picture(table, asker.mine, view)
    return Reply(replace(card, picture=picture), private=True, update=True)


async def opened_reply(context: Context, asker: RequestContext, row: GameRow, reply: Reply) -> Reply:
    """Return the reply to the person who offered or joined a game: its board if nothing else can show it."""
    return (
        await board_reply(context, asker, row.id) if shows_game_in_answers(asker, row) else replace(reply, opens=row.id)
    )


def answer_with_board(handler: PressHandler) -> PressHandler:
    """Wrap a press handler so that the reply is the board where nothing else can show it, unless it asks a question."""

    async def answer(context: Context, asker: RequestContext, pressed: Press) -> Reply:
        if pressed.game is None or not await is_shown_nowhere_else(context, asker, pressed.game):
            return await handler(context, asker, pressed)
        try:
            reply = await handler(context, asker, pressed)
        except Refused as refused:
            # The message is outdated: the current board says more than a refusal.
            if refused.key not in ("refusal.moved-on", "refusal.is-over"):
                raise
            return await board_reply(context, asker, pressed.game)
        asks = reply.card is not None and reply.card.rows and pressed.rest
        return reply if asks else await board_reply(context, asker, pressed.game)

    return answer


def ask_in_place(handler: PressHandler) -> PressHandler:
    """Wrap a press handler so that its question replaces the board where nothing else can show it."""

    async def answer(context: Context, asker: RequestContext, pressed: Press) -> Reply:
        reply = await handler(context, asker, pressed)
        unseen = await is_shown_nowhere_else(context, asker, pressed.game or "")
        return replace(reply, update=True) if unseen else reply

    return answer
