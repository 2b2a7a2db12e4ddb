"""The post of the daily puzzle: its question with how many have solved it, then its solution."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date, timedelta
from typing import Final

import structlog
from cachetools import FIFOCache

from bot.core.context import Context
from bot.core.post_kinds import PostKind, PutOff, Rendering, Showing, digest_of_card
from bot.interface.cards import Card, Picture
from bot.interface.requests import Undeliverable
from bot.operations.metrics import DAILY_PUZZLES
from bot.pictures.artist import BoardView, choose_theme
from bot.play.card_parts import wants_text
from bot.puzzles.daily import today_at
from bot.puzzles.daily_cards import puzzle_scene, question_card, solution_card
from bot.puzzles.puzzle import Puzzle, puzzle_by_id
from bot.puzzles.service import opens_at
from storage import PlaceRow, Post

RECENT_MESSAGE_AGE: Final = timedelta(hours=1)
"""How long a message counts as fresh and is edited more often."""
EDIT_INTERVALS_SECONDS: Final[Mapping[tuple[str, str], tuple[float, float]]] = {
    ("discord", "group"): (5.0, 60.0),
    ("telegram", "group"): (30.0, 120.0),
}
"""Minimum seconds between edits of a message, by platform and kind of place: while it is fresh, and later."""
DEFAULT_EDIT_INTERVALS_SECONDS: Final = (5.0, 60.0)
_PICTURE_CACHE_SIZE: Final = 32

log = structlog.get_logger(__name__)


def edit_interval(platform: str, kind: str, age: timedelta) -> timedelta:
    """Return the minimum interval between edits of a message, by its age."""
    fresh, later = EDIT_INTERVALS_SECONDS.get((platform, kind), DEFAULT_EDIT_INTERVALS_SECONDS)
    return timedelta(seconds=fresh if age < RECENT_MESSAGE_AGE else later)


class DailyPost(PostKind):
    """The puzzle of a date in a place; the subject is the date and the puzzle's id."""

    deliveries = DAILY_PUZZLES

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._pictures: FIFOCache[tuple[str, str, bool, str, bool], Picture | None] = FIFOCache(_PICTURE_CACHE_SIZE)

    async def render(self, showing: Showing) -> Rendering | None:
        """Return the question while it is the place's newest, and once its solution; None if its time is over."""
        store, post, now = self._context.store, showing.post, self._context.clock()
        day, _, number = post.subject.partition(":")
        puzzle = puzzle_by_id(number)
        if puzzle is None:
            return None  # of a game that is not here any more: there is nothing to ask, and nothing to tell
        if post.message is None and not await self._is_today(post, day):
            return None
        solved = post.message is not None and await store.daily.is_past(post.place.id, day)
        card = await self._write(post.place, day, puzzle, solved=solved)
        content = digest_of_card(card)
        if post.shown_at is not None and (solved or content != post.content):
            age = timedelta() if solved else now - post.made_at
            pause = edit_interval(post.place.platform, post.place.kind, age)
            if post.shown_at <= now < post.shown_at + pause:
                raise PutOff(post.shown_at + pause)
        if solved:
            # Noted before anybody can read it.
            await store.puzzles.publish_solution(puzzle.id, now)
        if content != post.content:
            card = replace(card, picture=await self._picture(post.place, puzzle, solved=solved))
        return Rendering(card, content=content, urgent=post.message is None, once=True, last=solved)

    async def on_shown(self, post: Post) -> None:
        """Have the messages of earlier dates solved."""
        day = post.subject.partition(":")[0]
        await self._context.store.daily.hasten_earlier(post.place.id, day, self._context.clock())
        log.info("daily-posted", platform=post.place.platform, place=post.place.id, date=day)

    async def on_undeliverable(self, post: Post, error: Undeliverable) -> None:
        """A place that is gone gets no more messages."""
        if error.reason == "channel-gone":
            await self._context.store.daily.end(post.place.id)

    async def _is_today(self, post: Post, day: str) -> bool:
        daily = await self._context.store.daily.get(post.place.id)
        if daily is None:
            return False
        return today_at(daily.place, daily.hour, self._context.clock()).date.isoformat() == day

    async def _write(self, place: PlaceRow, day: str, puzzle: Puzzle, *, solved: bool) -> Card:
        """Return the question or the solution, with how many here have tried it since its date began."""
        speaker = self._context.place_speaker(place)
        since = opens_at(date.fromisoformat(day))
        summary = await self._context.store.puzzles.get_solved_summary(puzzle.id, place.id, since=since)
        if solved:
            return solution_card(puzzle, day, speaker, summary)
        return question_card(puzzle, day, speaker, summary, in_words=wants_text(place.effective))

    async def _picture(self, place: PlaceRow, puzzle: Puzzle, *, solved: bool) -> Picture | None:
        """Return the picture of a puzzle, or of its solution, as all in a place see it; drawn once for many places."""
        language = self._context.place_language(place)
        theme, wide = choose_theme(place.effective, place.settings), self._context.shows_small_pictures(place.platform)
        key = (puzzle.id, theme, wide, language, solved)
        if key not in self._pictures:
            scene = puzzle_scene(puzzle, self._context.speaker(language), solved=solved)
            voice = self._context.speaker(language).of(puzzle.game)
            caption = voice.line("puzzle.caption")
            view = BoardView(viewer=puzzle.seat, theme=theme, wide=wide, goals_of=puzzle.seat, caption=caption)
            line, names, spoken_names = scene.line, scene.names, scene.names_in_sentences
            picture = await self._context.artist.scene(
                line.state, line.shown_turn, voice, view, names, spoken_names=spoken_names
            )
            if picture is None:
                return None
            self._pictures[key] = picture
        return self._pictures[key]
