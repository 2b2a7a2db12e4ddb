"""Puzzles as text: their goals, solutions and results, and the buttons that open one."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time
from typing import Final

from bot.boards.puzzles.proving import PuzzleSentence
from bot.boards.puzzles.puzzle import Goal, Puzzle
from bot.boards.puzzles.solving import find_solution, reason_sentence
from bot.kernel.cards import Button
from bot.kernel.explanations import explain_turn
from bot.kernel.line import read_actions
from bot.kernel.presses import OPEN_PUZZLE, press
from bot.kernel.question_cards import make_button
from bot.kernel.texts import Parameter, Speaker, Text, join
from bot.kernel.words.describe import line_words
from storage import PuzzleMark

TODAY: Final = "today"
YESTERDAY: Final = "yesterday"
NEXT: Final = "next"
HERE: Final = "here"
"""The value for a puzzle from games played here."""
PUZZLE_SCOPE: Final = "PUZZLES"
"""Placeholder for a game in buttons that open a puzzle, so that the message is not taken for one about the channel."""

MARK_GLYPHS: Final[Mapping[PuzzleMark, str]] = {"clean": "★", "errors": "☆", "hinted": "◇"}
UNSOLVED_GLYPH: Final = "✕"
"""The result of an attempt as one spoiler-free symbol."""


def attempt_code(attempt: int) -> str:
    """Return the code of an attempt in buttons; it is longer than any game's code."""
    return f"P{attempt:07}"


def open_puzzle_press(puzzle: str) -> str:
    """Return the payload of a button that opens a puzzle: by id, today's, yesterday's or the next one."""
    return press(OPEN_PUZZLE, PUZZLE_SCOPE, 0, puzzle)


def goal_words(speaker: Speaker, puzzle: Puzzle, goal: Goal) -> Text:
    """Return a goal, whole or remaining, as a sentence."""
    return speaker.of(puzzle.game).say(f"puzzle.goal.{goal.name}", n=goal.turns)


def day_words(speaker: Speaker, day: date) -> str:
    """Return a calendar date, independent of the reader's time zone."""
    return speaker.day(datetime.combine(day, time(12), UTC)).text


def sentence_words(voice: Speaker, sentence: PuzzleSentence) -> Text:
    """Return a sentence about a puzzle; the speaker knows its game."""
    parameters: dict[str, Parameter] = dict(sentence.parameters)
    for name, value in sentence.parameters.items():
        if isinstance(value, tuple):
            parameters[name] = line_words(voice, [str(action) for action in value])
        elif isinstance(value, int) and name != "n":
            parameters[name] = voice.number(value)
    return voice.say(sentence.key, **parameters)


def solution_words(speaker: Speaker, puzzle: Puzzle, names: Sequence[str]) -> list[Text]:
    """Return the solution of a puzzle: its line, the reason of its first turn, and the effect of that turn."""
    voice, turns, state = speaker.of(puzzle.game), find_solution(puzzle), puzzle.state()
    line = join([(line_words(voice, turn),) for turn in turns], " · ")
    effect = explain_turn(voice, state, read_actions(state, turns[0]), names)
    reason = join([sentence_words(voice, reason_sentence(puzzle, turns[0])), effect], " ")
    return [voice.say("puzzle.solution", line=line), reason]


def mark_words(speaker: Speaker, mark: PuzzleMark | None) -> Text:
    """Return the symbol of a result, with its meaning."""
    if mark is None:
        return speaker.say("puzzle.mark.unsolved", glyph=UNSOLVED_GLYPH)
    return speaker.say(f"puzzle.mark.{mark}", glyph=MARK_GLYPHS[mark])


def open_button(speaker: Speaker, puzzle: str) -> Button:
    """Return the button that opens a puzzle by its id: *Try it* below a channel's message."""
    return make_button(speaker, "button.puzzle.try", OPEN_PUZZLE, PUZZLE_SCOPE, 0, puzzle, style="primary")
