"""The days of puzzles, and solving one on its page without an account.

The address contains the actions so far, and nothing is stored.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Final
from urllib.parse import urlencode

from multidict import MultiMapping

from bot.boards.puzzle_boards import PuzzleBoard
from bot.boards.puzzles.cards import goal_words
from bot.boards.puzzles.puzzle import FIRST_DATE, Puzzle, puzzle_on
from bot.boards.puzzles.solving import Judgement, PuzzleAttempt
from bot.kernel.choices import NoSuchChoice, Question, click_paths, follow, without_cell_answers
from bot.kernel.presses import PATH_SEPARATOR
from bot.kernel.question_cards import QuestionView
from bot.kernel.texts import Speaker, Text, join
from bot.kernel.words.describe import line_words
from bot.platforms.public.answers import NothingToShow
from engine import Action, EngineError
from render.scene import Choices

LAST_ZONE: Final = timedelta(hours=12)
"""Time from the end of a date in UTC until its end in the last time zone."""
FIRST_ZONE: Final = timedelta(hours=14)
"""Time from the beginning of a date in the first time zone until its beginning in UTC."""


def newest_day(now: datetime) -> date:
    """Return the newest date that has begun anywhere."""
    return (now.astimezone(UTC) + FIRST_ZONE).date()


def newest_past_day(now: datetime) -> date:
    """Return the newest date that has ended everywhere."""
    return (now.astimezone(UTC) - LAST_ZONE).date() - timedelta(days=1)


def read_puzzle(text: str, now: datetime) -> tuple[date, Puzzle]:
    """Return a date and its puzzle; NothingToShow if the text is no date, or one that has not begun anywhere."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise NothingToShow("unknown") from None
    # A date has other forms, but each page has one address.
    if day.isoformat() != text or not FIRST_DATE <= day <= newest_day(now):
        raise NothingToShow("unknown")
    return day, puzzle_on(day)


MAX_PLAYED: Final = 32
"""Maximum number of actions in an address, more than any puzzle needs."""
MAX_LENGTH: Final = 64
"""Maximum length in characters of an action, and of the answers to a question."""


@dataclass(frozen=True, slots=True)
class SolvingQuery:
    """The content of an address: the solver's actions so far, and the answers to the open question."""

    played: tuple[str, ...] = ()
    path: tuple[str, ...] = ()

    def query(self, more: Mapping[str, str]) -> str:
        """Return the query of the address, with more parameters."""
        at = [("at", PATH_SEPARATOR.join(self.path))] if self.path else []
        return urlencode([*(("played", text) for text in self.played), *at, *more.items()])


def read_asked(query: MultiMapping[str]) -> SolvingQuery:
    """Return the content of an address's query; NothingToShow if it is too long."""
    played, at = tuple(query.getall("played", ())), query.get("at", "")
    if len(played) > MAX_PLAYED or any(not 0 < len(text) <= MAX_LENGTH for text in played) or len(at) > MAX_LENGTH:
        raise NothingToShow("wrong")
    return SolvingQuery(played, tuple(at.split(PATH_SEPARATOR)) if at else ())


@dataclass(frozen=True, slots=True)
class Solving:
    """An attempt, read from an address: its last judgement, and the open question, None if the puzzle is solved.

    `asked` is the content of the address without a wrong turn, which is taken back.
    """

    asked: SolvingQuery
    attempt: PuzzleAttempt
    judged: Judgement | None
    question: Question | None

    @property
    def is_solved(self) -> bool:
        """True if the puzzle is solved."""
        return self.attempt.solved

    @property
    def marks(self) -> Choices | None:
        """The choices to mark in the picture, without targets if there are too many."""
        if self.question is None:
            return None
        marks = self.question.marks(pressed=True)
        return marks if len(marks.targets) <= PuzzleBoard.max_marked else replace(marks, targets=())

    def said(self, speaker: Speaker) -> list[Text]:
        """Return the texts about the last turn, the remaining goal, and the open question."""
        voice, said = speaker.of(self.attempt.puzzle.game), list[Text]()
        if self.judged is not None and self.judged.verdict == "right":
            move, reply = (line_words(voice, turn) for turn in (self.judged.turn, self.judged.reply))
            said.append(voice.say("puzzle.right", move=move, reply=reply))
            said.append(goal_words(speaker, self.attempt.puzzle, self.attempt.goal))
        elif self.judged is not None and self.judged.verdict == "wrong":
            wrong = voice.say("puzzle.wrong", move=line_words(voice, self.judged.turn))
            said.append(join([wrong, speaker.say("world.solve.again")], " "))
        if self.question is not None:
            said.append(self._view(voice).question(self.question))
        return said

    def answers(self, speaker: Speaker) -> tuple[dict[str, SolvingQuery], list[tuple[str, SolvingQuery]]]:
        """Return the addresses of the answers: of cells in the picture, and of the other answers with their labels."""
        question = self.question
        if question is None:
            return {}, []
        voice, begun = speaker.of(self.attempt.puzzle.game), self.attempt.begun
        cells = {cell: self._after(path) for cell, path in click_paths(question).items()}
        others = [
            (self._view(voice).label(question, entry), self._after((*question.path, entry.key)))
            for entry in without_cell_answers(question).entries
        ]
        if question.path:
            others.append((voice.line("button.back"), replace(self.asked, path=question.path[:-1])))
        elif begun:
            # The actions of the last press, including forced ones, are one entry of the address.
            others.append((voice.line("button.puzzle.back"), SolvingQuery(self.asked.played[:-1])))
        return cells, others

    def _view(self, voice: Speaker) -> QuestionView:
        return QuestionView(voice, "", 0, private=False, state=self.attempt.line.state)

    def _after(self, path: Sequence[str]) -> SolvingQuery:
        """Return the content of the address after the answers of a path."""
        found, played = self.attempt.line.ask(path), self.asked.played
        return SolvingQuery((*played, found.text)) if isinstance(found, Action) else SolvingQuery(played, tuple(path))


def solve(puzzle: Puzzle, asked: SolvingQuery) -> Solving:
    """Return the attempt in an address; NothingToShow if it cannot have been played.

    Wrong turns are not refuted: anonymous visitors must not cause searches.
    """
    attempt, judged, turns_end = PuzzleAttempt(puzzle), None, 0
    try:
        for number, text in enumerate(asked.played, start=1):
            if judged is not None and judged.verdict in ("solved", "wrong"):
                raise NothingToShow("wrong")
            judged = attempt.play([attempt.line.state.read(text)])
            attempt = judged.solving
            turns_end = number if judged.verdict == "right" else turns_end
    except EngineError as error:
        raise NothingToShow("wrong") from error
    if judged is not None and judged.verdict == "wrong":
        asked = SolvingQuery(asked.played[:turns_end])
    if attempt.solved:
        return Solving(asked, attempt, judged, None)
    try:
        found = follow(attempt.line.first_question, asked.path)
    except NoSuchChoice as error:
        raise NothingToShow("wrong") from error
    if not isinstance(found, Question):
        raise NothingToShow("wrong")
    return Solving(asked, attempt, judged, found)
