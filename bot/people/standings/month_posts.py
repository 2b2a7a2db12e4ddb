"""The message of a month in a channel, sent once."""

from datetime import datetime, timedelta
from typing import Final

import structlog

from bot.kernel.cards import Card, Picture
from bot.kernel.context import Context
from bot.kernel.pictures import BoardView
from bot.kernel.post_kinds import DueWorker, PostKind, Rendering, Showing
from bot.kernel.preferences import MONTHLY
from bot.kernel.question_cards import make_button
from bot.kernel.texts import Span, Speaker, Text, join
from bot.people.standings.month import Highlight, PlayedMonth, read_played_month, titles_of
from bot.people.standings.service import month_words, read_month
from storage import NewPost, PlaceRow, Post
from storage.message_schema import MONTH


def month_card(played: PlayedMonth, speaker: Speaker, picture: Picture | None) -> Card:
    """Return the message of a month."""
    label = played.month.label
    parts = [
        speaker.say("monthly.title", month=month_words(speaker, label)),
        speaker.say("monthly.games", n=played.games, people=played.players),
        *(_line(played, each, speaker) for each in played.highlights),
        () if played.highlights else speaker.say("monthly.nothing"),
    ]
    button = make_button(speaker, "button.leaderboard", "leaders", None, 0, "", "here", label)
    return Card(join(parts), picture, ((button,),))


def _line(played: PlayedMonth, found: Highlight, speaker: Speaker) -> Text:
    """Return the line of a highlight."""

    def name(person: int) -> Span:
        return Span(played.name(person), bold=True)

    return speaker.say(
        f"monthly.{found.kind}",
        who=speaker.listing([name(each) for each in found.people]),
        other=(name(found.other),) if found.other is not None else (),
        game=speaker.of(next(iter(found.people.values()))).line("name"),
        n=found.n,
        played=found.played,
        code=found.code,
    )


MAX_LATENESS: Final = timedelta(days=7)
"""Maximum delay of a message; later it is not sent any more."""

log = structlog.get_logger(__name__)


def is_wanted(context: Context, place: PlaceRow) -> bool:
    """Return whether a place gets the message of its months."""
    adapter = context.adapters.get(place.platform)
    if adapter is None or place.effective.get(MONTHLY) is False:
        return False
    # Only the channel gets the message, not the threads that were opened for single games.
    return place.thread is None or not adapter.has_threads


class MonthPost(PostKind):
    """The report of a place's month, with its titles."""

    async def render(self, showing: Showing) -> Rendering | None:
        """Award the titles of a month and return its message; None if it is too late or not wanted."""
        context, place, now = self._context, showing.post.place, self._clock()
        month = read_month(showing.post.subject, place, now)
        if month is None or not is_wanted(context, place) or now > month.message_at + MAX_LATENESS:
            return None
        played = await read_played_month(context, place, month)
        if played is None:
            return None
        await context.store.titles.award(titles_of(place, played), now)
        speaker = context.place_speaker(place)

        async def draw(theme: str) -> Picture | None:
            """Return the board after the largest capture, with the turn marked on it."""
            if played.capture is None:
                return None
            table, turn = played.capture.table, played.capture.turn
            voice = speaker.of(table.row.game)
            names = table.in_language(voice).names
            view = BoardView(viewer=0, theme=theme, wide=context.shows_small_pictures(place.platform))
            return await context.artist.scene(turn.after, turn, voice, view, names)

        return Rendering(month_card(played, speaker, await context.draw_for_all(place, draw)), last=True)

    async def translate(self, post: Post, speaker: Speaker) -> Card | None:
        """Return the text and the button of a month's message; None if there is nothing left to report."""
        month = read_month(post.subject, post.place, self._clock())
        played = None if month is None else await read_played_month(self._context, post.place, month)
        return None if played is None else month_card(played, speaker, None)

    async def on_shown(self, post: Post) -> None:
        """Log that a month's message was sent."""
        log.info("month-told", platform=post.place.platform, place=post.place.id, month=post.subject)


SEARCH_INTERVAL_SECONDS: Final = 3600.0
"""Seconds between searches for places whose month has ended."""
_LARGEST_OFFSET: Final = timedelta(hours=14)
"""Maximum offset of a time zone from UTC."""


class MonthlyWorker(DueWorker):
    """The worker that promises the message of the last month to places."""

    def __init__(self, context: Context) -> None:
        super().__init__(context, context.signals.event("monthly"), "monthly")
        self._search_at = 0.0
        """The time of the next search by the monotonic clock."""

    async def _run_due(self) -> bool:
        seconds = self._clock.monotonic()
        if seconds >= self._search_at:
            await self._promise_messages(self._clock())
            self._search_at = seconds + SEARCH_INTERVAL_SECONDS
        return False

    async def _promise_messages(self, now: datetime) -> None:
        """Promise a message to every place whose month has ended, if a game ended there in that month."""
        store = self._store
        # In the easternmost places the next month may have begun, in the westernmost ones the last may not be over.
        days = {(at.replace(day=1) - timedelta(days=1)) for at in (now - _LARGEST_OFFSET, now + _LARGEST_OFFSET)}
        for first in sorted({datetime(day.year, day.month, 1, tzinfo=now.tzinfo) for day in days}):
            label = f"{first:%Y-%m}"
            since, until = first - _LARGEST_OFFSET, (first + timedelta(days=32)).replace(day=1) + _LARGEST_OFFSET
            if now > until + MAX_LATENESS:
                continue
            for place in await store.daily.list_without_month(label, since, until):
                own = read_month(label, place, now)
                if own is None or now < own.until or not is_wanted(self._context, place):
                    continue
                if await store.games.ended_in(place.id, own.since, own.until, 1):
                    await store.posts.promise(NewPost(MONTH, label, place.id, now, own.message_at))
