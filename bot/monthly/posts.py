"""The message of a month in a channel, sent once."""

from datetime import timedelta
from typing import Final

import structlog

from bot.core.context import Context
from bot.core.post_kinds import PostKind, Rendering, Showing
from bot.core.preferences import MONTHLY
from bot.monthly.cards import capture_picture, month_card
from bot.monthly.month import read_played_month, titles_of
from bot.pictures.artist import choose_theme
from bot.standings.periods import read_month
from storage import PlaceRow, Post

MAX_LATENESS: Final = timedelta(days=7)
"""After so long a month is not told of any more: the program was down, or it could not be sent."""

log = structlog.get_logger(__name__)


def is_wanted(context: Context, place: PlaceRow) -> bool:
    """Return whether a place gets the message of its months."""
    adapter = context.adapters.get(place.platform)
    if adapter is None or place.effective.get(MONTHLY) is False:
        return False
    # A thread that was opened for one game gets none: its channel does.
    return place.thread is None or not adapter.has_threads


class MonthPost(PostKind):
    """What happened in a place in a month, with its titles."""

    async def render(self, showing: Showing) -> Rendering | None:
        """Give the titles of a month and return its message; None if that is too late or not wanted."""
        context, place, now = self._context, showing.post.place, self._context.clock()
        month = read_month(showing.post.subject, place, now)
        if month is None or not is_wanted(context, place) or now > month.message_at + MAX_LATENESS:
            return None
        played = await read_played_month(context, place, month)
        if played is None:
            return None
        await context.store.titles.award(titles_of(place, played), now)
        speaker, picture = context.place_speaker(place), None
        if played.capture is not None:
            wide = context.shows_small_pictures(place.platform)
            theme = choose_theme(place.effective, place.settings)
            picture = await capture_picture(context, played.capture, speaker, theme, wide=wide)
        return Rendering(month_card(played, speaker, picture), last=True)

    async def on_shown(self, post: Post) -> None:
        """Log that a month's message was sent."""
        log.info("month-told", platform=post.place.platform, place=post.place.id, month=post.subject)
