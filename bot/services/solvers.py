"""How well people solve puzzles and how hard puzzles are: a first attempt is a duel of the two."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from bot.puzzles.puzzle import Puzzle
from bot.services.ratings import OVERALL, after_duel, unrated
from storage import PuzzleFigures, PuzzleRating, Store

LEAST_TRIES: Final = 5
"""First attempts before a rating is told."""

_MIDDLE: Final = 50
_STEP: Final = 0.2
"""How much a point of a puzzle's first difficulty is worth."""
_SURER: Final = 0.5
"""How uncertain a puzzle's first rating is, compared with that of somebody of whom nothing is known."""


def first_rating(person: int, game: str) -> PuzzleRating:
    """Return the rating that every solver begins with."""
    fresh = unrated(person, game)
    return PuzzleRating(person, game, fresh.mu, fresh.sigma)


def hardness(puzzle: Puzzle, figures: PuzzleFigures | None) -> tuple[float, float]:
    """Return how hard a puzzle is, as mu and sigma: what attempts have shown, or else what was guessed of it."""
    if figures is not None and figures.mu is not None and figures.sigma is not None:
        return figures.mu, figures.sigma
    fresh = unrated(0, puzzle.game)
    return fresh.mu + _STEP * (puzzle.difficulty - _MIDDLE), _SURER * fresh.sigma


async def rate(store: Store, person: int, puzzle: Puzzle, *, solved: bool) -> None:
    """Count somebody's first attempt at a puzzle, in the game and in all games together; called in a transaction."""
    known, figures = await store.puzzle_ratings_for_update(person, puzzle.id)
    before = hardness(puzzle, figures)
    after: list[PuzzleRating] = []
    hard = before
    for key in (OVERALL, puzzle.game):
        rating = known.get(key) or first_rating(person, key)
        mine = (rating.mu, rating.sigma)
        if solved:
            mine, hard = after_duel(mine, before)
        else:
            hard, mine = after_duel(before, mine)
        tries, right = rating.tries + 1, rating.solved + solved
        after.append(replace(rating, mu=mine[0], sigma=mine[1], tries=tries, solved=right))
    counted = replace(figures, tries=figures.tries + 1, solved=figures.solved + solved)
    await store.put_puzzle_ratings(after, replace(counted, mu=hard[0], sigma=hard[1]))
