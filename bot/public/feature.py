"""What the world is shown, as a feature: where its page of a game is."""

from __future__ import annotations

from typing import Final

from bot.core.context import Context
from bot.core.features import Feature
from bot.public.consent import find_page


async def page_of_game(context: Context, game: str) -> str | None:
    """Return the address of a game's page, None where it may not be shown."""
    if not context.web_address:
        return None
    page = await find_page(context, game)
    return None if page is None else f"{context.web_address}/g/{page}"


FEATURE: Final = Feature(page_of_game=page_of_game)
