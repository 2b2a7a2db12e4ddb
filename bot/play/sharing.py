"""Links to a game, to send to friends."""

from __future__ import annotations

from bot.core.context import Context
from bot.core.features import page_of_game
from bot.core.request_context import RequestContext
from bot.interface.presses import Press
from bot.interface.refusals import Refused
from bot.interface.requests import DeepLinks, Reply
from bot.play.share_cards import share_card


async def press_share(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """The button Share: what leads to the game from every platform that the program is connected to, privately."""
    table = await context.table(pressed.game or "")
    if table.row.status == "over" and table.line is None:
        raise Refused("refusal.is-over")
    leading = {name: each for name, each in context.adapters.items() if isinstance(each, DeepLinks)}
    ways = {name: way for name, each in leading.items() if (way := each.game_link(table.row.id)) is not None}
    page = await page_of_game(context, table.row.id)
    return Reply(share_card(table.row, asker.mine, ways, page), private=True)
