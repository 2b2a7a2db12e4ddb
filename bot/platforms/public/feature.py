"""The pages for the world as a feature: it tells the other features the addresses of these pages."""

from collections.abc import Mapping
from typing import Final

from bot.kernel.context import Context
from bot.kernel.features import Feature, PageKind
from bot.platforms.public.consent import find_competition_page, find_game_page, find_profile_page

FOLDERS: Final[Mapping[PageKind, str]] = {"game": "g", "person": "p"}
"""First part of the path, for kinds whose name is not the path."""


async def find_page(context: Context, kind: PageKind, subject: str) -> str | None:
    """Return the address of the public page of a game, a competition or a person; None if it may not be shown."""
    if not context.web_address:
        return None
    if kind == "game":
        page = await find_game_page(context, subject)
    elif kind == "person":
        page = await find_profile_page(context, int(subject))
    else:
        page = await find_competition_page(context, subject)
    return None if page is None else f"{context.web_address}/{FOLDERS.get(kind, kind)}/{page}"


FEATURE: Final = Feature(find_page=find_page)
