"""The message with the day's puzzle that all in a place see: what is asked, who has tried it, and in the end why."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from babel.dates import format_date

from bot.interface.cards import Card
from bot.language.names import name_seats, tell_apart
from bot.language.texts import Span, Speaker, Text, join, make_small, strip_styles
from bot.play.card_parts import with_position
from bot.puzzles.cards import MARK_GLYPHS, goal_words, mark_words, open_button, solution_words
from bot.puzzles.puzzle import Puzzle
from bot.puzzles.solving import find_solution
from bot.tables.line import Line, replay_line
from storage import SolvedSummary

DATE_FORMAT: Final = "EEEE d MMMM"
"""How a date is written, with its weekday: by that everybody knows how hard it is."""


@dataclass(frozen=True, slots=True)
class DailyScene:
    """What the picture shows: a line, and who is playing; `told` are their names in sentences, where "You" is none."""

    line: Line
    names: tuple[str, ...]
    names_in_sentences: tuple[str, ...]


def question_card(puzzle: Puzzle, day: str, speaker: Speaker, summary: SolvedSummary, *, in_words: bool) -> Card:
    """Return the message of a date, without its picture: the goal in one sentence, and who has tried it.

    `in_words`: what the picture and the signs mean is said, too, as far as there is room.
    """
    parts = [_title(puzzle, day, speaker), goal_words(speaker, puzzle, puzzle.goal)]
    parts += _tally(speaker, summary)
    parts += _newest(speaker, summary, in_words=in_words)
    text = join(parts)
    if in_words:
        scene = puzzle_scene(puzzle, speaker)
        text = with_position(text, speaker.of(puzzle.game), scene.line.state, scene.names_in_sentences)
    return Card(text, rows=((open_button(speaker, puzzle.id),),))


def teaser_words(puzzle: Puzzle, day: str, speaker: Speaker) -> Text:
    """Return what is asked on a date, for a place that is told no more of it."""
    return join([_title(puzzle, day, speaker), goal_words(speaker, puzzle, puzzle.goal)])


def solution_card(puzzle: Puzzle, day: str, speaker: Speaker, summary: SolvedSummary) -> Card:
    """Return what stands in its place once the next one has come: the solution with its reason, and no names."""
    parts = [_title(puzzle, day, speaker), goal_words(speaker, puzzle, puzzle.goal)]
    names = seat_names(puzzle, speaker, speaker.line("daily.solver"))
    return Card(join([*parts, *solution_words(speaker, puzzle, names), *_tally(speaker, summary)]))


def puzzle_scene(puzzle: Puzzle, speaker: Speaker, *, solved: bool = False) -> DailyScene:
    """Return what there is to see: the position that is asked about, or the one after the first right turn."""
    played: Sequence[str] = find_solution(puzzle).turns[0] if solved else ()
    you, solver = (seat_names(puzzle, speaker, speaker.line(key)) for key in ("daily.you", "daily.solver"))
    return DailyScene(replay_line(puzzle.state(), played), you, solver)


def seat_names(puzzle: Puzzle, speaker: Speaker, solver: str) -> tuple[str, ...]:
    """Return the names by seat: the solver's, and the opponent everywhere else."""
    return name_seats(puzzle.seats, puzzle.seat, solver, speaker.line("puzzle.opponent"))


def _title(puzzle: Puzzle, day: str, speaker: Speaker) -> Text:
    said = format_date(date.fromisoformat(day), DATE_FORMAT, locale=speaker.language)
    return speaker.say("daily.title", day=said, game=speaker.of(puzzle.game).line("name"))


def _tally(speaker: Speaker, summary: SolvedSummary) -> list[Text]:
    if not summary.tried:
        return [speaker.say("daily.nobody")]
    return [speaker.say("daily.tally", n=summary.tried, solved=summary.solved)]


def _newest(speaker: Speaker, summary: SolvedSummary, *, in_words: bool) -> list[Text]:
    """Return who has solved it last, each with a sign for how, and what the signs that are there mean."""
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
