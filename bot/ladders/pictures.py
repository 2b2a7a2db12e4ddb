"""Pictures of ladders, with alt text that says the same."""

from functools import partial

from bot.core.context import Context
from bot.interface.cards import Picture
from bot.ladders.cards import ROWS_PER_PAGE, page_count, place_lines
from bot.ladders.service import StoredLadder
from bot.language.texts import Speaker, join, strip_styles
from render.ladders import Rung, draw_ladder


async def ladder_picture(
    context: Context, ladder: StoredLadder, speaker: Speaker, theme: str, page: int = 0
) -> Picture | None:
    """Return a page of a ladder as a picture; None if there is no such page or no pictures are drawn."""
    stands = ladder.stands
    if not stands.order or not 0 <= page < page_count(ladder):
        return None
    voice, first = speaker.of(ladder.row.game_key), page * ROWS_PER_PAGE
    title = voice.line("name")
    if page_count(ladder) > 1:
        title = f"{title} · {first + 1}–{min(first + ROWS_PER_PAGE, len(stands.order))} / {len(stands.order)}"
    rungs = []
    for place, each in enumerate(stands.order[first : first + ROWS_PER_PAGE], start=first + 1):
        given = stands.incoming(each)
        challenger = (stands.place(given.challenger) or 0) if given is not None else None
        rungs.append(Rung(place, ladder.name(each), challenger, given is not None and given.accepted))
    words = strip_styles(join(place_lines(ladder, voice, first, ROWS_PER_PAGE), "; "))
    return await context.artist.chart(partial(draw_ladder, title, rungs, theme), words, f"ladder-{ladder.row.id}.png")
