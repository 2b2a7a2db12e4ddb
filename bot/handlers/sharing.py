"""Links to a game, for whoever wants to send them to a friend."""

from __future__ import annotations

from bot.context.asker import Asker
from bot.context.context import Context
from bot.interface.presses import Press
from bot.interface.refusals import Refused
from bot.interface.requests import LeadsHere, Reply
from bot.presenters.sharing import share_card


async def press_share(context: Context, asker: Asker, pressed: Press) -> Reply:
    """The button Share: what leads to the game from every platform that the program is connected to, privately."""
    table = await context.table(pressed.game or "")
    if table.row.status == "over" and table.line is None:
        raise Refused("refusal.is-over")
    leading = {name: each for name, each in context.adapters.items() if isinstance(each, LeadsHere)}
    ways = {name: way for name, each in leading.items() if (way := each.way_to(table.row.id)) is not None}
    return Reply(share_card(table.row, asker.mine, ways), private=True)
