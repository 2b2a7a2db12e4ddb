"""The public message with the day's puzzle in a place: the question, the people who tried it, later the solution."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date, timedelta
from functools import partial
from typing import Final

import structlog
from babel.dates import format_date

from bot.boards.puzzles.cards import MARK_GLYPHS, goal_words, mark_words, open_button, solution_words
from bot.boards.puzzles.daily import today_at
from bot.boards.puzzles.puzzle import Puzzle, puzzle_by_id
from bot.boards.puzzles.service import opens_at
from bot.boards.puzzles.solving import find_solution
from bot.kernel.cards import Card, Picture
from bot.kernel.line import Line, replay_line
from bot.kernel.names import name_seats, tell_apart
from bot.kernel.operations.metrics import DAILY_PUZZLES
from bot.kernel.pictures import BoardView
from bot.kernel.post_kinds import PostKind, PutOff, Rendering, Showing, digest_of_card
from bot.kernel.requests import Undeliverable
from bot.kernel.texts import Span, Speaker, Text, join, make_small, strip_styles
from bot.table.card_parts import wants_text, with_position
from storage import PlaceRow, Post, SolvedSummary

DATE_FORMAT: Final = "EEEE d MMMM"
"""The format of a date, with its weekday, which tells how hard the puzzle is."""


def question_card(puzzle: Puzzle, day: str, speaker: Speaker, summary: SolvedSummary, *, in_words: bool) -> Card:
    """Return the message of a date, without its picture: the goal in one sentence, and who has tried it.

    `in_words`: also describe the picture and the signs as text, if there is room.
    """
    text = join([teaser_words(puzzle, day, speaker), _tally(speaker, summary), *_newest(speaker, summary, in_words)])
    if in_words:
        names = seat_names(puzzle, speaker, speaker.line("daily.solver"))
        text = with_position(text, speaker.of(puzzle.game), puzzle.state(), names)
    return Card(text, rows=((open_button(speaker, puzzle.id),),))


def teaser_words(puzzle: Puzzle, day: str, speaker: Speaker) -> Text:
    """Return the title of a date and its question as text."""
    date_words = format_date(date.fromisoformat(day), DATE_FORMAT, locale=speaker.language)
    title = speaker.say("daily.title", day=date_words, game=speaker.game_name(puzzle.game))
    return join([title, goal_words(speaker, puzzle, puzzle.goal)])


def solution_card(puzzle: Puzzle, day: str, speaker: Speaker, summary: SolvedSummary) -> Card:
    """Return the message after the next one was sent: the solution with its reason, without names."""
    solution = solution_words(speaker, puzzle, seat_names(puzzle, speaker, speaker.line("daily.solver")))
    return Card(join([teaser_words(puzzle, day, speaker), *solution, _tally(speaker, summary)]))


def puzzle_line(puzzle: Puzzle, *, solved: bool = False) -> Line:
    """Return the line in the picture: the position of the question, or the one after the first right turn."""
    return replay_line(puzzle.state(), find_solution(puzzle)[0] if solved else ())


def seat_names(puzzle: Puzzle, speaker: Speaker, solver: str) -> tuple[str, ...]:
    """Return the names by seat: the solver's, and the opponent's in all other seats."""
    return name_seats(puzzle.seats, puzzle.seat, solver, speaker.line("puzzle.opponent"))


def _tally(speaker: Speaker, summary: SolvedSummary) -> Text:
    if not summary.tried:
        return speaker.say("daily.nobody")
    return speaker.say("daily.tally", n=summary.tried, solved=summary.solved)


def _newest(speaker: Speaker, summary: SolvedSummary, in_words: bool) -> list[Text]:
    """Return the people who solved it last, each with the sign of their result, and a legend of these signs."""
    if not summary.newest:
        return []
    marks = list(dict.fromkeys(solver.mark for solver in summary.newest))
    people: list[Text] = []
    names = tell_apart(tuple(solver.name for solver in summary.newest))
    for solver, shown in zip(summary.newest, names, strict=True):
        name = Span(shown, bold=True, person=solver.person)
        said = f" ({strip_styles(mark_words(speaker, solver.mark))})" if in_words else f" {MARK_GLYPHS[solver.mark]}"
        people.append((name, Span(said)))
    sentence = speaker.say("daily.newest", people=speaker.listing(people))
    legend = [] if in_words else [make_small(join([mark_words(speaker, mark) for mark in marks], " · "))]
    return [sentence, *legend]


RECENT_MESSAGE_AGE: Final = timedelta(hours=1)
"""Maximum age of a fresh message, which is edited more often."""
EDIT_INTERVALS_SECONDS: Final[Mapping[tuple[str, str], tuple[float, float]]] = {
    ("telegram", "group"): (30.0, 120.0),
}
"""Minimum seconds between edits of a message, by platform and kind of place: while it is fresh, and later."""
DEFAULT_EDIT_INTERVALS_SECONDS: Final = (5.0, 60.0)

log = structlog.get_logger(__name__)


def edit_interval(platform: str, kind: str, age: timedelta) -> timedelta:
    """Return the minimum interval between edits of a message, by its age."""
    fresh, later = EDIT_INTERVALS_SECONDS.get((platform, kind), DEFAULT_EDIT_INTERVALS_SECONDS)
    return timedelta(seconds=fresh if age < RECENT_MESSAGE_AGE else later)


class DailyPost(PostKind):
    """The puzzle of a date in a place; the subject is the date and the puzzle's id."""

    deliveries = DAILY_PUZZLES

    async def render(self, showing: Showing) -> Rendering | None:
        """Return the question while it is the place's newest, later once the solution; None if it is too late."""
        store, post, now = self._store, showing.post, self._clock()
        day, _, number = post.subject.partition(":")
        puzzle = puzzle_by_id(number)
        if puzzle is None:
            return None  # the puzzle's game is not installed any more
        hour = post.place.daily_hour
        is_today = hour is not None and today_at(post.place, hour, now).date.isoformat() == day
        if post.message is None and not is_today:
            return None
        solved = post.message is not None and await store.daily.is_past(post.place.id, day)
        card = await self._write(post.place, day, puzzle, self._context.place_speaker(post.place), solved=solved)
        content = digest_of_card(card)
        if post.shown_at is not None and (solved or content != post.content):
            age = timedelta() if solved else now - post.made_at
            pause = edit_interval(post.place.platform, post.place.kind, age)
            if post.shown_at <= now < post.shown_at + pause:
                raise PutOff(post.shown_at + pause)
        if solved:
            # Record this before people can read the solution.
            await store.puzzles.publish_solution(puzzle.id, now)
        if content != post.content:
            draw = partial(self._picture, post.place, puzzle, solved=solved)
            card = replace(card, picture=await self._context.draw_for_all(post.place, draw))
        return Rendering(card, content=content, urgent=post.message is None, once=True, last=solved)

    async def translate(self, post: Post, speaker: Speaker) -> Card | None:
        """Return the question, or the solution if it is public; None if the puzzle does not exist any more."""
        day, _, number = post.subject.partition(":")
        puzzle = puzzle_by_id(number)
        if puzzle is None:
            return None
        # A date is past shortly before its solution is recorded as public: do not show it earlier.
        store = self._store
        figures = (await store.puzzles.get_figures([number])).get(number)
        is_public = figures is not None and figures.public_at is not None
        solved = is_public and await store.daily.is_past(post.place.id, day)
        return await self._write(post.place, day, puzzle, speaker, solved=solved)

    async def on_shown(self, post: Post) -> None:
        """Schedule the solutions in the messages of earlier dates."""
        day = post.subject.partition(":")[0]
        await self._store.daily.hasten_earlier(post.place.id, day, self._clock())
        log.info("daily-posted", platform=post.place.platform, place=post.place.id, date=day)

    async def on_undeliverable(self, post: Post, error: Undeliverable) -> None:
        """End the daily puzzle in a channel that is gone."""
        if error.reason == "channel-gone":
            await self._store.daily.end(post.place.id)

    async def _write(self, place: PlaceRow, day: str, puzzle: Puzzle, speaker: Speaker, *, solved: bool) -> Card:
        """Return the question or the solution, with the number of people here who tried it since its date began."""
        since = opens_at(date.fromisoformat(day))
        summary = await self._store.puzzles.get_solved_summary(puzzle.id, place.id, since)
        if solved:
            return solution_card(puzzle, day, speaker, summary)
        return question_card(puzzle, day, speaker, summary, in_words=wants_text(place.effective))

    async def _picture(self, place: PlaceRow, puzzle: Puzzle, theme: str, *, solved: bool) -> Picture | None:
        """Return the public picture of a puzzle, or of its solution."""
        language, wide = self._context.place_language(place), self._context.shows_small_pictures(place.platform)
        voice = self._context.speaker(language).of(puzzle.game)
        line, caption = puzzle_line(puzzle, solved=solved), voice.line("puzzle.caption")
        view = BoardView(viewer=puzzle.seat, theme=theme, wide=wide, goals_of=puzzle.seat, caption=caption)
        drawn, spoken = (seat_names(puzzle, voice, voice.line(key)) for key in ("daily.you", "daily.solver"))
        return await self._context.artist.scene(line.state, line.shown_turn, voice, view, drawn, spoken_names=spoken)
