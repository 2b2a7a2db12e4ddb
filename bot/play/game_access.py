"""Who may see a game from elsewhere, or take part in it: not those who have left the groups in which it is shown."""

from bot.core.context import Context
from bot.core.features import find_page
from bot.core.permissions import check_not_departed
from bot.core.request_context import RequestContext
from bot.interface.refusals import Refused
from bot.tables.table import Table
from storage import GameRow


async def check_may_take_part(context: Context, asker: RequestContext, row: GameRow) -> None:
    """Raise Refused if the asker was in a group that shows a game, and is in none that does now.

    Who was never in one may have been sent the game's code. MembershipUnknown where nobody says who is there.
    """
    if asker.place.id == row.place:
        return
    shown = {post.place.id: post.place for post in await context.store.posts.list_for_game(row.id)}
    if row.place not in shown and (home := await context.store.places.get(row.place)) is not None:
        shown[home.id] = home
    await check_not_departed(context, asker, shown.values())


async def check_may_see(context: Context, asker: RequestContext, table: Table) -> None:
    """Raise Refused as `check_may_take_part`, but not to those who sit in a game, or if it has a public page."""
    if table.entry_of(asker.person.id) is not None:
        return
    try:
        await check_may_take_part(context, asker, table.row)
    except Refused:
        if await find_page(context, "game", table.row.id) is None:
            raise


async def check_may_see_code(context: Context, asker: RequestContext, code: str) -> None:
    """Raise Refused as `check_may_see` does for the game with a code; nothing if there is none."""
    if asker.is_game_here:
        return
    found = await context.store.games.get_with_people(code)
    if found is not None:
        row, people = found
        await check_may_see(context, asker, Table(brief=row, row=row, people=people, line=None))
