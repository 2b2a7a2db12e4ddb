"""Puzzles: loading, the calendar, and one person's way through them."""

import datetime as dt
import hashlib
import json
import re
from itertools import islice

import pytest

from bot.boards.puzzles import puzzle as calendar
from bot.boards.puzzles.cards import sentence_words
from bot.boards.puzzles.proving import PuzzleSentence, whole_turns
from bot.boards.puzzles.puzzle import Puzzle, puzzle_by_id, puzzles_of
from bot.boards.puzzles.solving import (
    HINTS_PER_TURN,
    PuzzleAttempt,
    find_solution,
    read_solving,
    reason_sentence,
)
from bot.kernel.texts import Texts, strip_styles
from engine import games
from tests.support.present import present

SHOWN = [next(iter(puzzles_of(game).values())) for game in games if puzzles_of(game)]
"""A puzzle of each game that has any."""
TEXTS = Texts()
TYPED = re.compile(r"/\d|\b[a-zA-Z]*x[a-z]\d|\b[QKr][a-z]\d|\d{4}")
"""What belongs to typed moves, and numbers without separators."""


def kinds() -> list[Puzzle]:
    """Return a puzzle of each game for each of its goals."""
    found: dict[tuple[str, str, int], Puzzle] = {}
    for game in games:
        for puzzle in puzzles_of(game).values():
            found.setdefault((game, puzzle.goal.kind, puzzle.goal.turns), puzzle)
    return list(found.values())


def said(puzzle: Puzzle, sentence: PuzzleSentence, language: str = "en") -> str:
    speaker = TEXTS.speaker(language).of(puzzle.game)
    assert speaker.has(sentence.key), sentence.key
    return strip_styles(sentence_words(speaker, sentence))


EACH = pytest.mark.parametrize("puzzle", kinds(), ids=lambda puzzle: puzzle.id)


@EACH
def test_the_solution_solves_it_turn_by_turn(puzzle: Puzzle) -> None:
    solving = PuzzleAttempt(puzzle)
    for turn in find_solution(puzzle)[::2]:
        state, actions = solving.line.state, []
        for text in turn:
            actions.append(state.read(text))
            state = state.advance(actions[-1])
        judged = solving.play(actions)
        assert judged.verdict in ("right", "solved")
        assert read_solving(judged.solving.puzzle, judged.solving.to_json()) == judged.solving
        solving = judged.solving
    assert solving.solved
    assert solving.wrong == 0


@EACH
def test_a_wrong_turn_is_refuted_and_leaves_the_position(puzzle: Puzzle) -> None:
    solving = PuzzleAttempt(puzzle)
    before, right = solving.line.state, find_solution(puzzle)[0]
    wrong = next(way for way in islice(whole_turns(before), 40) if sorted(way.texts) != sorted(right))
    judged = solving.play(wrong.actions)
    assert (judged.verdict, judged.solving.line.state, judged.solving.wrong) == ("wrong", before, 1)
    missed = solving.refute(judged.turn)
    assert missed.key != "puzzle.overlooked.over"
    for language in TEXTS.languages:
        sentence_text = said(puzzle, PuzzleSentence(missed.key, missed.parameters), language)
        assert "{" not in sentence_text
        assert not TYPED.search(sentence_text), sentence_text
    state = wrong.after
    for text in missed.reply:
        state = state.play(state.read(text))


@EACH
def test_goal_motif_reason_and_hints_have_words(puzzle: Puzzle) -> None:
    solving = PuzzleAttempt(puzzle)
    hints = [solving.hint(number) for number in range(1, HINTS_PER_TURN + 1)]
    sentences = [
        PuzzleSentence(f"puzzle.goal.{puzzle.goal.name}", {"n": puzzle.goal.turns}),
        PuzzleSentence(f"puzzle.motif.{puzzle.motif}"),
        reason_sentence(puzzle, find_solution(puzzle)[0]),
    ]
    for language in TEXTS.languages:
        for sentence in (*sentences, *(hint.sentence for hint in hints)):
            sentence_text = said(puzzle, sentence, language)
            assert "{" not in sentence_text
            assert not TYPED.search(sentence_text), sentence_text
    cells = set(puzzle.state().topology.names)
    assert all(set(hint.cells) <= cells for hint in hints)
    assert hints[-1].turn == find_solution(puzzle)[0]


def test_a_turn_of_several_actions_can_be_pressed_one_by_one_and_taken_back() -> None:
    puzzle = next(puzzle for game in games for puzzle in puzzles_of(game).values() if len(puzzle.tree[0].play) > 1)
    solving = PuzzleAttempt(puzzle)
    judged = solving.play([solving.line.state.read(puzzle.tree[0].play[0])])
    assert judged.verdict == "on"
    assert judged.solving.line.has_acted
    assert judged.solving.back() == solving


def test_a_puzzle_that_is_gone_has_no_attempt() -> None:
    data = PuzzleAttempt(SHOWN[0]).to_json()
    assert read_solving(SHOWN[0], data) == PuzzleAttempt(SHOWN[0])
    with pytest.raises(ValueError, match=f"{SHOWN[0].game}-0"):
        read_solving(SHOWN[0], {**data, "puzzle": f"{SHOWN[0].game}-0"})
    assert puzzle_by_id("nothing") is None


def test_calendar_has_a_puzzle_for_every_date_and_keeps_weekdays() -> None:
    ids = calendar.list_puzzles()
    assert calendar.FIRST_DATE.weekday() == 0
    assert len(set(ids)) == len(ids)
    assert all(puzzle_by_id(name) is not None for name in ids)
    assert [calendar.puzzle_on(calendar.FIRST_DATE + dt.timedelta(days=day)).id for day in range(len(ids))] == list(ids)
    week = dt.timedelta(days=len(ids) - len(ids) % 7)
    later = calendar.FIRST_DATE + dt.timedelta(days=len(ids))
    assert calendar.puzzle_on(later) == calendar.puzzle_on(later - week)
    assert calendar.puzzle_on(calendar.FIRST_DATE - dt.timedelta(days=1)).id in ids


RELEASED = ((1335, "a821d9ac4dd9d9eeb16a890443d3c4ee0147480d713b9ab2f1625a8f2f124eb2"),)
"""How many days were given away by each release, with the digest of their puzzles: lines are only ever added here."""


@pytest.mark.parametrize(("count", "digest"), RELEASED)
def test_a_day_that_was_given_away_keeps_its_puzzle(count: int, digest: str) -> None:
    """What is asked and what is right, on each date."""
    names, asked = calendar.list_puzzles()[:count], hashlib.sha256()
    assert len(names) == count
    for name in names:
        puzzle = present(puzzle_by_id(name)).to_json()
        asked.update(json.dumps([puzzle[part] for part in ("id", "position", "goal", "tree")], sort_keys=True).encode())
    assert asked.hexdigest() == digest
